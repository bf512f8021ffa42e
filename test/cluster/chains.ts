import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import {
  balanceAt,
  createTestCluster,
  names,
  payFromOnePot,
} from "../helpers/cluster.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";
import {
  type Node as ChainProcess,
  startAnvil,
  startHardhatNode,
} from "../plugin/helpers/processes.ts";

interface TestChain {
  readonly openClient: () => ChainClient;
  readonly stop: () => Promise<void>;
}

async function inProcess(): Promise<TestChain> {
  const { provider } = await hre.network.create();
  return {
    openClient: () => openChainClient(provider),
    stop: async () => {
      await Promise.resolve();
    },
  };
}

async function inAnother(
  start: () => Promise<ChainProcess>,
  protocol: "http" | "ws",
): Promise<TestChain> {
  const { url, stop } = await start();
  const address = url.replace("http", protocol);
  return { openClient: () => openChainClient(address), stop };
}

const chains: Readonly<
  Record<string, { open: () => Promise<TestChain>; payments: number }>
> = {
  "in this process": { open: inProcess, payments: 1_000 },
  "in another process, over HTTP": {
    open: async () => await inAnother(startHardhatNode, "http"),
    payments: 100,
  },
  "in another process, over WebSocket": {
    open: async () => await inAnother(startHardhatNode, "ws"),
    payments: 100,
  },
  "Anvil, over HTTP": {
    open: async () => await inAnother(startAnvil, "http"),
    payments: 100,
  },
};

describe("A cluster on a chain", function () {
  this.timeout(180_000);

  for (const [where, { open, payments }] of Object.entries(chains))
    it(`confirms ${payments} contended intents without a base-ledger revert: ${where}`, async function () {
      let chain: TestChain;
      try {
        chain = await open();
      } catch (error) {
        if (where.startsWith("Anvil")) return this.skip();
        throw error;
      }
      const dataDir = mkdtempSync(join(tmpdir(), "cluster-"));
      const facts: NodeFact[] = [];
      let cluster: Cluster | undefined;
      try {
        const client = chain.openClient();
        const { chainId, factory } = await openTestLedger(client);
        cluster = createTestCluster({
          openClient: chain.openClient,
          chainId,
          factory,
          dataDir,
          onFact: (_, fact) => facts.push(fact),
        });
        cluster.start();
        const group = await cluster.createGroup({
          domain: "group-token",
          threshold: 3,
        });
        const receipts = await payFromOnePot(cluster, group, payments);
        expect(new Set(receipts)).to.deep.equal(new Set(["Confirmed"]));
        const failed = facts.filter(({ type }) => type === "SubmissionFailed");
        expect(failed).to.deep.equal([]);
        for (const name of names) {
          const member = cluster.member(name);
          const head = Number(await client.request("eth_blockNumber", []));
          await untilHeight(member.node, head);
          expect(await balanceAt(cluster, name, group, "pot")).to.equal(0);
        }
        await client.close();
      } finally {
        await cluster?.stop();
        await chain.stop();
        rmSync(dataDir, { recursive: true });
      }
    });
});

/** A node hears of blocks a moment after they are there. */
async function untilHeight(
  node: { readonly height: () => number },
  height: number,
): Promise<void> {
  while (node.height() < height)
    await new Promise((resolve) => setTimeout(resolve, 5));
}
