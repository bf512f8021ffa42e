import hardhatIgnition from "@nomicfoundation/hardhat-ignition-ethers";
import { expect } from "chai";

import { groupModule, ledgerModule } from "../../src/ignition/ledger.ts";
import { PrivacyGroup__factory } from "../../src/typechain/index.ts";
import { anEnvironment, deploy, members } from "./helpers/environment.ts";

describe("ignition modules", function () {
  this.timeout(20_000);
  const ascending = [...members].reverse();

  it("deploy both factories without parameters", async function () {
    const hre = await anEnvironment({ plugins: [hardhatIgnition] });
    const { ignition, ethers } = await hre.network.getOrCreate();
    const { factory, atomFactory } = await ignition.deploy(ledgerModule);
    for (const contract of [factory, atomFactory]) {
      const code = await ethers.provider.getCode(await contract.getAddress());
      expect(code).not.to.equal("0x");
    }
  });

  it("create a group from parameters", async function () {
    const hre = await anEnvironment({ plugins: [hardhatIgnition] });
    const { ignition, ethers } = await hre.network.getOrCreate();
    const { group } = await ignition.deploy(groupModule, {
      parameters: { SequencerGroup: { members: ascending, threshold: 2 } },
    });
    const { members: found, threshold } = await PrivacyGroup__factory.connect(
      await group.getAddress(),
      ethers.provider,
    ).committee();
    expect([...found]).to.deep.equal(ascending);
    expect(threshold).to.equal(2n);
  });

  it("make a factory that sequencer:deploy takes", async function () {
    const hre = await anEnvironment({ plugins: [hardhatIgnition] });
    const { ignition } = await hre.network.getOrCreate();
    const { factory } = await ignition.deploy(ledgerModule);
    const address = await factory.getAddress();
    hre.config.sequencer = {
      ...hre.config.sequencer,
      networks: { default: { factory: address, groups: {} } },
    };
    const { deployment } = await deploy(hre, { members: members.join(",") });
    expect(deployment.transactions).to.have.lengthOf(1);
  });
});
