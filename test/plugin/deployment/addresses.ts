import { expect } from "chai";
import { getCreateAddress, Transaction, ZeroHash, id } from "ethers";
import fc from "fast-check";

import {
  deploymentProxy,
  groupAddress,
  groupCode,
  ledgerContracts,
} from "../../../src/plugin/deployment/addresses.ts";
import { PrivacyGroupFactory__factory } from "../../../src/typechain/index.ts";
import { anEnvironment, deploy } from "../helpers/environment.ts";

const anyAddress = fc
  .bigInt({ min: 1n, max: (1n << 160n) - 1n })
  .map((value) => `0x${value.toString(16).padStart(40, "0")}`);

const anyConfig = fc
  .uniqueArray(anyAddress, { minLength: 1, maxLength: 255 })
  .chain((members) =>
    fc.record({
      members: fc.constant(members.sort()),
      threshold: fc.integer({ min: 1, max: members.length }),
      externalCalls: fc.boolean(),
    }),
  );

describe("plugin: addresses", function () {
  it("knows who signed the proxy's transaction, and where it leads", function () {
    const { from, gasPrice, gasLimit, chainId } = Transaction.from(
      deploymentProxy.transaction,
    );
    expect(from).to.equal(deploymentProxy.signer);
    expect(chainId).to.equal(0n);
    expect(gasPrice).to.equal(deploymentProxy.gasPrice);
    expect(gasLimit * deploymentProxy.gasPrice).to.equal(
      deploymentProxy.funding,
    );
    expect(getCreateAddress({ from: deploymentProxy.signer, nonce: 0 })).equal(
      deploymentProxy.address,
    );
  });

  it("predicts the addresses and the code of both factories", async function () {
    const hre = await anEnvironment();
    await deploy(hre);
    const { ethers } = await hre.network.getOrCreate();
    const { factory, atomFactory } = ledgerContracts();
    for (const { address, code, implementation } of [factory, atomFactory]) {
      expect(await ethers.provider.getCode(address)).to.equal(code);
      expect(await ethers.provider.getCode(implementation)).not.to.equal("0x");
    }
  });

  it("predicts the address of any group as the factory does", async function () {
    this.timeout(20_000);
    const hre = await anEnvironment();
    const { deployment } = await deploy(hre);
    const { ethers } = await hre.network.getOrCreate();
    const factory = PrivacyGroupFactory__factory.connect(
      deployment.factory,
      ethers.provider,
    );
    const anySalt = fc.string().map(id);
    await fc.assert(
      fc.asyncProperty(
        anyConfig,
        anyAddress,
        anySalt,
        async (config, from, salt) => {
          expect(groupAddress(deployment.factory, from, config, salt)).to.equal(
            await factory.groupAddress(from, config, salt),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it("predicts the code of a group", async function () {
    const hre = await anEnvironment();
    const { deployment } = await deploy(hre);
    const { ethers } = await hre.network.getOrCreate();
    const [signer] = await ethers.getSigners();
    const factory = PrivacyGroupFactory__factory.connect(
      deployment.factory,
      signer,
    );
    const config = {
      members: [`0x${"11".repeat(20)}`, `0x${"ee".repeat(20)}`],
      threshold: 2,
      externalCalls: true,
    };
    await (await factory.createGroup(config, ZeroHash)).wait();
    const address = groupAddress(
      deployment.factory,
      signer?.address ?? "",
      config,
      ZeroHash,
    );
    expect(await ethers.provider.getCode(address)).to.equal(
      groupCode(deployment.implementation, config),
    );
  });
});
