import { expect } from "chai";
import { toQuantity } from "ethers";
import type { HardhatUserConfig } from "hardhat/config";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import {
  deploymentProxy,
  ledgerContracts,
} from "../../../src/plugin/deployment/addresses.ts";
import { toLines } from "../../../tasks/deploy/format.ts";
import {
  anEnvironment,
  blockNumber,
  deploy,
  members,
} from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import type { JsonServer } from "../../plugin/helpers/http.ts";
import { aRelay } from "../../plugin/helpers/relay.ts";
import type { Intercept } from "../../plugin/helpers/relay.ts";

const three = members.join(",");
const { factory, atomFactory } = ledgerContracts();

async function set(
  hre: HardhatRuntimeEnvironment,
  method: string,
  ...params: unknown[]
): Promise<void> {
  const { provider } = await hre.network.getOrCreate();
  await provider.request({ method, params });
}

describe("plugin: what deploy refuses", function () {
  this.timeout(20_000);

  describe("before it sends anything", function () {
    it("an account that is not there", async function () {
      const hre = await anEnvironment();
      for (const from of ["20", factory.address])
        await expectError("SENDER_UNKNOWN", async () => {
          await deploy(hre, { from });
        });
      await expectError("ADDRESS_INVALID", async () => {
        await deploy(hre, { from: "alice" });
      });
      expect(await blockNumber(hre)).to.equal(0);
    });

    it("a network without accounts", async function () {
      const hre = await anEnvironment(
        {
          networks: { bare: { type: "edr-simulated", accounts: [] } },
        },
        "bare",
      );
      await expectError("NO_ACCOUNTS", async () => await deploy(hre));
    });

    it("a sender who cannot pay", async function () {
      const hre = await anEnvironment();
      const { deployment } = await deploy(hre, { dryRun: true });
      await set(hre, "hardhat_setBalance", deployment.sender, "0x1000");
      await expectError("FUNDS_INSUFFICIENT", async () => await deploy(hre));
      expect(await blockNumber(hre)).to.equal(0);
    });

    it("other code in a factory's place", async function () {
      for (const { address } of [factory, atomFactory]) {
        const hre = await anEnvironment();
        await set(hre, "hardhat_setCode", address, "0xfe");
        await expectError("CODE_MISMATCH", async () => await deploy(hre));
        expect(await blockNumber(hre)).to.equal(0);
      }
    });

    it("other code in the proxy's place", async function () {
      const hre = await anEnvironment();
      await set(hre, "hardhat_setCode", deploymentProxy.address, "0xfe");
      await expectError("CODE_MISMATCH", async () => await deploy(hre));
    });

    it("other code in a group's place", async function () {
      const hre = await anEnvironment();
      const dry = await deploy(hre, { members: three, dryRun: true });
      const address = dry.deployment.group?.address;
      await set(hre, "hardhat_setCode", address, "0xfe");
      await expectError("CODE_MISMATCH", async () => {
        await deploy(hre, { members: three });
      });
    });

    it("a configured factory that is none", async function () {
      const nobody = `0x${"12".repeat(20)}`;
      const hre = await anEnvironment({
        sequencer: { networks: { default: { factory: nobody } } },
      });
      await expectError("FACTORY_NOT_FOUND", async () => await deploy(hre));
      await set(hre, "hardhat_setCode", nobody, "0x00");
      await expectError("FACTORY_INVALID", async () => await deploy(hre));
    });

    it("a configured factory with a wrong checksum", async function () {
      const wrong = factory.address.replace(/[a-f]/, (c) => c.toUpperCase());
      const hre = await anEnvironment({
        sequencer: { networks: { default: { factory: wrong } } },
      });
      await expectError("ADDRESS_CHECKSUM", async () => await deploy(hre));
    });

    it("the name of another group", async function () {
      const main = `0x${"12".repeat(20)}`;
      const hre = await anEnvironment({
        sequencer: { networks: { default: { groups: { main } } } },
      });
      await expectError("GROUP_NAME_TAKEN", async () => {
        await deploy(hre, { members: three });
      });
      expect(await blockNumber(hre)).to.equal(0);
    });

    it("a fee above what the proxy's transaction pays", async function () {
      const hre = await anEnvironment(
        {
          networks: {
            dear: {
              type: "edr-simulated",
              initialBaseFeePerGas: 150_000_000_000,
            },
          },
        },
        "dear",
      );
      await expectError("PROXY_REFUSED", async () => await deploy(hre));
      expect(await blockNumber(hre)).to.equal(0);
    });

    it("a proxy whose one transaction was used up", async function () {
      const hre = await anEnvironment();
      await set(hre, "hardhat_setNonce", deploymentProxy.signer, "0x1");
      await expectError("PROXY_REFUSED", async () => await deploy(hre));
      expect(await blockNumber(hre)).to.equal(0);
    });
  });

  describe("when the node", function () {
    const relays: JsonServer[] = [];

    afterEach(async function () {
      for (const relay of relays.splice(0)) await relay.stop();
    });

    /** A project whose network is a node in front of `chain`. */
    async function behind(
      chain: HardhatRuntimeEnvironment,
      intercept: Intercept,
      config: HardhatUserConfig = {},
    ): Promise<HardhatRuntimeEnvironment> {
      const { provider } = await chain.network.getOrCreate();
      const relay = aRelay(provider, intercept);
      relays.push(relay);
      const url = await relay.start();
      return await anEnvironment(
        { ...config, networks: { remote: { type: "http", url } } },
        "remote",
      );
    }

    it("takes no transaction that names no chain", async function () {
      const chain = await anEnvironment();
      const hre = await behind(chain, async (method, forward) => {
        if (method === "eth_sendRawTransaction")
          throw new Error(
            "only replay-protected (EIP-155) transactions allowed over RPC",
          );
        return await forward();
      });
      await expectError("PROXY_REFUSED", async () => await deploy(hre));
      expect(await blockNumber(chain)).to.equal(0);
    });

    it("has the proxy's transaction already", async function () {
      const chain = await anEnvironment();
      const hre = await behind(chain, async (method, forward) => {
        const result = await forward();
        if (method === "eth_sendRawTransaction")
          throw new Error("already known");
        return result;
      });
      const { deployment } = await deploy(hre);
      expect(deployment.transactions).to.have.lengthOf(4);
    });

    it("refuses a transaction, and goes on afterwards", async function () {
      const chain = await anEnvironment();
      let refusals = 1;
      const hre = await behind(chain, async (method, forward) => {
        if (method === "eth_sendTransaction" && refusals-- > 0)
          throw new Error("transaction underpriced");
        return await forward();
      });
      await expectError("TRANSACTION_REFUSED", async () => await deploy(hre));
      const { deployment } = await deploy(hre);
      expect(deployment.transactions).to.have.lengthOf(4);
    });

    it("mines nothing in time", async function () {
      const chain = await anEnvironment();
      const hre = await behind(chain, async (method, forward) =>
        method === "eth_getTransactionReceipt" ? null : await forward(),
      );
      await expectError("TRANSACTION_TIMEOUT", async () => {
        await deploy(hre, { timeout: 1 });
      });
    });

    it("still has earlier transactions, waits for them and then sends only the rest", async function () {
      const chain = await anEnvironment();
      const hre = await behind(
        chain,
        async (_method, forward) => await forward(),
      );
      await deploy(hre);
      await set(chain, "evm_setAutomine", false);
      await expectError("TRANSACTION_TIMEOUT", async () => {
        await deploy(hre, { members: three, timeout: 1 });
      });
      await expectError("TRANSACTIONS_PENDING", async () => {
        await deploy(hre, { members: three, timeout: 1 });
      });
      const again = deploy(hre, { members: three });
      await set(chain, "evm_mine");
      const { deployment } = await again;
      expect(deployment.transactions).to.deep.equal([]);
    });

    it("takes its time, and says how far each transaction is", async function () {
      const chain = await anEnvironment();
      const hre = await behind(
        chain,
        async (_method, forward) => await forward(),
      );
      await set(chain, "evm_setAutomine", false);
      const mined: Promise<void>[] = [];
      const { facts } = await deploy(hre, { confirmations: 2 }, ({ type }) => {
        if (type === "pending") mined.push(set(chain, "evm_mine"));
      });
      await Promise.all(mined);
      const pending = facts.flatMap((fact) =>
        fact.type === "pending" ? [fact] : [],
      );
      expect(
        pending.map(({ name, confirmations, wanted, block }) => [
          name,
          confirmations,
          wanted,
          block === null,
        ]),
      ).to.deep.equal(
        ["funding", "proxy", "factory", "atomFactory"].flatMap((name) => [
          [name, 0, 2, true],
          [name, 1, 2, false],
        ]),
      );
      const text = pending.flatMap(toLines).join("\n");
      expect(text).to.match(/^factory +waiting to be mined +tx 0x/m);
      expect(text).to.match(/^factory +in block \d+, 1 of 2 confirmations/m);
    });

    it("lets a transaction fail", async function () {
      const chain = await anEnvironment();
      await deploy(chain);
      const hre = await behind(chain, async (method, forward) => {
        const result = await forward();
        return method === "eth_getTransactionReceipt"
          ? { ...(result as object), status: "0x0" }
          : method === "eth_getCode" && (result as string).startsWith("0x363d")
            ? "0x"
            : result;
      });
      await expectError("TRANSACTION_REVERTED", async () => {
        await deploy(hre, { members: three });
      });
    });

    it("lets somebody else be faster", async function () {
      const chain = await anEnvironment();
      await deploy(chain);
      const hre = await behind(chain, async (method, forward) => {
        const result = await forward();
        return method === "eth_getTransactionReceipt"
          ? { ...(result as object), status: "0x0" }
          : result;
      });
      const { facts } = await deploy(hre, { members: three });
      expect(facts).to.deep.include({
        type: "present",
        name: "group",
        status: "present",
        address: facts.find((fact) => fact.type === "group")?.address,
      });
    });

    it("waits for as many blocks as it is told", async function () {
      const chain = await anEnvironment();
      const hre = await behind(chain, async (method, forward) => {
        const result = await forward();
        return method === "eth_blockNumber"
          ? toQuantity(Number(result) + 2)
          : result;
      });
      const { facts } = await deploy(hre, { confirmations: 3 });
      expect(facts.some(({ type }) => type === "pending")).to.equal(false);
      await expectError("TRANSACTION_TIMEOUT", async () => {
        await deploy(hre, { members: three, confirmations: 4, timeout: 1 });
      });
    });
  });
});
