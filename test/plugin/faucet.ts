import { expect } from "chai";

import { parseAddress } from "../../src/ledger/index.ts";
import { faucetOf } from "../../src/plugin/faucet.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { anEnvironment } from "./helpers/environment.ts";
import { startHardhatNode } from "./helpers/processes.ts";

const poor = parseAddress(`0x${"34".repeat(20)}`);

async function balanceOf(client: ChainClient): Promise<bigint> {
  return BigInt(
    String(await client.request("eth_getBalance", [poor, "latest"])),
  );
}

/** A chain with a name, and what it was asked for. */
function aChain(name: string): { client: ChainClient; asked: string[] } {
  const asked: string[] = [];
  const client: ChainClient = {
    request: async (method) => {
      asked.push(method);
      if (method === "web3_clientVersion") return await Promise.resolve(name);
      if (method === "eth_getBalance") return "0x1";
      return true;
    },
    onHead: () => () => undefined,
    close: async () => {
      await Promise.resolve();
    },
  };
  return { client, asked };
}

describe("plugin: money for users of nodes", function () {
  this.timeout(120_000);

  async function gives(client: ChainClient): Promise<void> {
    const give = faucetOf(client);
    expect(await give(poor, 5n)).to.equal(true);
    const balance = await balanceOf(client);
    expect(balance).to.equal(10n ** 20n + 5n);
    // Who has enough gets nothing.
    expect(await give(poor, balance)).to.equal(false);
    expect(await give(poor, balance + 1n)).to.equal(true);
    expect(await balanceOf(client)).to.be.greaterThan(balance);
    expect(await give(poor, 2n ** 256n - 1n)).to.equal(false);
  }

  it("is free on Hardhat's simulated chain", async () => {
    const { network } = await anEnvironment();
    const connection = await network.create();
    await gives(openChainClient(connection.provider));
    await connection.close();
  });

  it("is free on Hardhat's node", async () => {
    const node = await startHardhatNode();
    await gives(openChainClient(node.url));
    await node.stop();
  });

  it("is free on Anvil, which is asked in its own words", async () => {
    const { client, asked } = aChain("anvil/v1.7.1");
    expect(await faucetOf(client)(poor, 2n)).to.equal(true);
    expect(asked).to.deep.equal([
      "web3_clientVersion",
      "eth_getBalance",
      "anvil_setBalance",
    ]);
  });

  it("is not free elsewhere, and is not asked for there", async () => {
    const { client, asked } = aChain("Geth/v1.16.0/hardhat");
    const give = faucetOf(client);
    expect(await give(poor, 2n)).to.equal(false);
    expect(await give(poor, 2n)).to.equal(false);
    expect(asked).to.deep.equal(["web3_clientVersion"]);
  });

  it("comes when the chain is back", async () => {
    const { client } = aChain("HardhatNetwork/3");
    let isAway = true;
    const give = faucetOf({
      ...client,
      request: async (method, params) => {
        if (isAway) throw new ChainError("unreachable", "It is away.");
        return await client.request(method, params);
      },
    });
    let thrown: unknown;
    await give(poor, 2n).catch((error: unknown) => (thrown = error));
    expect(thrown).to.be.instanceOf(ChainError);
    isAway = false;
    expect(await give(poor, 2n)).to.equal(true);
  });
});
