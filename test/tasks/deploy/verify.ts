import hardhatVerify from "@nomicfoundation/hardhat-verify";
import { expect } from "chai";
import type { HardhatUserConfig } from "hardhat/config";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { ledgerContracts } from "../../../src/plugin/deployment/addresses.ts";
import { PrivacyGroupFactory__factory } from "../../../src/typechain/index.ts";
import {
  anEnvironment,
  blockNumber,
  deploy,
  members,
} from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { FakeEtherscan } from "../../plugin/helpers/etherscan.ts";

const { factory, atomFactory } = ledgerContracts();

describe("plugin: deploy --verify", function () {
  this.timeout(60_000);
  let explorer: FakeEtherscan;
  let hre: HardhatRuntimeEnvironment;
  let apiUrl: string;

  beforeEach(async function () {
    explorer = new FakeEtherscan(async (address) => {
      const { ethers } = await hre.network.getOrCreate();
      return await ethers.provider.getCode(address);
    });
    apiUrl = await explorer.start();
  });

  afterEach(async function () {
    await explorer.stop();
  });

  function withExplorer(config: HardhatUserConfig = {}): HardhatUserConfig {
    const etherscan = { name: "Fake", url: apiUrl, apiUrl };
    return {
      plugins: [hardhatVerify],
      chainDescriptors: {
        31337: { name: "Hardhat", blockExplorers: { etherscan } },
      },
      verify: { etherscan: { apiKey: "test-key" } },
      ...config,
    };
  }

  it("has every contract verified, and finds it so the second time", async function () {
    hre = await anEnvironment(withExplorer());
    const options = { members: members.join(","), verify: true };
    const first = await deploy(hre, options);
    const verified = {
      [factory.address]: "PrivacyGroupFactory",
      [factory.implementation]: "PrivacyGroup",
      [atomFactory.address]: "AtomFactory",
      [atomFactory.implementation]: "Atom",
    };
    const verdicts = first.facts.flatMap((fact) =>
      fact.type === "verification" ? [fact] : [],
    );
    expect(verdicts.map(({ status }) => status)).to.deep.equal(
      Array(4).fill("verified"),
    );
    expect(
      Object.fromEntries(
        [...explorer.verified].map(([address, name]) => [
          address,
          name.split(":")[1],
        ]),
      ),
    ).to.deep.equal(verified);

    const second = await deploy(hre, options);
    expect(
      second.facts.flatMap((fact) =>
        fact.type === "verification" ? [fact.status] : [],
      ),
    ).to.deep.equal(Array(4).fill("already-verified"));
    expect(explorer.submitted).to.have.lengthOf(4);
  });

  it("says what the explorer did not verify, after trying all", async function () {
    hre = await anEnvironment(withExplorer());
    await deploy(hre);
    const { provider } = await hre.network.getOrCreate();
    await provider.request({
      method: "hardhat_setCode",
      params: [factory.implementation, "0xfe"],
    });
    await expectError("VERIFY_FAILED", async () => {
      await deploy(hre, { verify: true });
    });
    expect([...explorer.verified.keys()]).to.have.members([
      factory.address,
      atomFactory.address,
      atomFactory.implementation,
    ]);
  });

  it("needs the plugin, before anything is sent", async function () {
    hre = await anEnvironment();
    await expectError("VERIFY_NOT_INSTALLED", async () => {
      await deploy(hre, { verify: true });
    });
    expect(await blockNumber(hre)).to.equal(0);
  });

  it("needs a key, before anything is sent", async function () {
    hre = await anEnvironment(withExplorer({ verify: {} }));
    await expectError("VERIFY_NOT_CONFIGURED", async () => {
      await deploy(hre, { verify: true });
    });
    expect(await blockNumber(hre)).to.equal(0);
  });

  it("knows the source of its own factory only", async function () {
    hre = await anEnvironment(withExplorer());
    const { ethers, provider } = await hre.network.getOrCreate();
    const own = await new PrivacyGroupFactory__factory(
      await ethers.provider.getSigner(0),
    ).deploy();
    const address = await own.getAddress();
    const code = await ethers.provider.getCode(address);
    await provider.request({
      method: "hardhat_setCode",
      params: [address, `${code}00`],
    });
    hre.config.sequencer = {
      ...hre.config.sequencer,
      networks: { default: { factory: address, groups: {} } },
    };
    await expectError("VERIFY_OTHER_FACTORY", async () => {
      await deploy(hre, { verify: true });
    });
  });
});
