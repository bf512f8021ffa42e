import { expect } from "chai";
import hre from "hardhat";

import { hashTransition, topicOf } from "../../src/ledger/index.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { MemoryIndex } from "../helpers/memory-index.ts";
import {
  openTestLedger,
  type TestGroup,
  type TestLedger,
} from "../helpers/runtime-ledger.ts";
import { startAnvil, startHardhatNode } from "../plugin/helpers/processes.ts";

const noStop = async (): Promise<void> => {
  await Promise.resolve();
};

const chains: Record<
  string,
  () => Promise<{
    readonly client: ChainClient;
    readonly stop: () => Promise<void>;
  }>
> = {
  "Hardhat's chain in this process": async () => ({
    client: openChainClient((await hre.network.create()).provider),
    stop: noStop,
  }),
  "Hardhat's node over HTTP": async () => {
    const { url, stop } = await startHardhatNode();
    return { client: openChainClient(url), stop };
  },
  "Hardhat's node over WebSocket": async () => {
    const { url, stop } = await startHardhatNode();
    return { client: openChainClient(url.replace("http:", "ws:")), stop };
  },
  "Anvil over HTTP": async () => {
    const { url, stop } = await startAnvil();
    return { client: openChainClient(url), stop };
  },
  "Anvil over WebSocket": async () => {
    const { url, stop } = await startAnvil();
    return { client: openChainClient(url.replace("http:", "ws:")), stop };
  },
};

interface LogRange {
  readonly fromBlock?: string;
  readonly toBlock?: string;
}

/** What the chain itself says happened in a group. */
async function truthOf(
  { chain }: TestLedger,
  group: TestGroup,
): Promise<readonly string[]> {
  const logs = await chain.logsBetween([0, 1_000_000], {
    addresses: [group.address],
    topics: [topicOf("Transitioned")],
  });
  return logs.map(({ topics }) => topics[1] ?? "");
}

async function mine(client: ChainClient, blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) await client.request("evm_mine", []);
}

async function execute(group: TestGroup, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await group.execute();
}

for (const [name, open] of Object.entries(chains))
  describe(`runtime: indexer on ${name}`, function () {
    this.timeout(120_000);

    let client: ChainClient;
    let stop: () => Promise<void>;
    let ledger: TestLedger;
    let group: TestGroup;
    before(async () => {
      ({ client, stop } = await open());
      ledger = await openTestLedger(client);
      group = await ledger.createGroup();
    });
    after(async () => {
      await client.close();
      await stop();
    });

    it("indexes 200 transitions, also when it restarts in the middle", async () => {
      const index = new MemoryIndex();
      const options = { groups: [group.address], fromBlock: group.block };
      const first = index.open(client, options);
      first.start();
      await execute(group, 100);
      await index.until(() => index.transitionsOf(group.address).length > 50);
      await first.stop();
      const { height } = index;
      await execute(group, 100);
      expect(index.height).to.equal(height);
      const second = index.open(client, options);
      second.start();
      await index.until(() => index.transitionsOf(group.address).length >= 200);
      await second.stop();
      expect(index.transitionsOf(group.address)).to.deep.equal(
        await truthOf(ledger, group),
      );
      expect(index.reverts).to.deep.equal([]);
      expect(index.troubles).to.deep.equal([]);
    });

    it("tells of all intents of a transition, and of the creation of groups", async () => {
      const index = new MemoryIndex();
      const { factory } = ledger;
      const other = await ledger.createGroup();
      const indexer = index.open(client, { factory, fromBlock: other.block });
      indexer.start();
      void indexer.watch(other.address, other.block);
      const intents = [
        ...other.endorse().transition.intents,
        ...other.endorse().transition.intents,
      ];
      const { transition, data } = other.endorse({ intents });
      const { account: from } = ledger;
      const transactionHash = await client.request("eth_sendTransaction", [
        { from, to: other.to, data, gas: "0x100000" },
      ]);
      await index.until(() => index.transitionsOf(other.address).length > 0);
      await indexer.stop();
      const [found] = index.blocks.flatMap(({ transitions }) => transitions);
      expect(found).to.include({
        group: other.address,
        transitionHash: hashTransition(transition),
        transactionHash,
        transactionIndex: 0,
      });
      expect(found?.intents).to.deep.equal(intents);
      const [created] = index.blocks.flatMap((block) => block.created);
      expect(created).to.include({ group: other.address, threshold: 3 });
    });

    it("goes back when the chain does, to lower heights and to other blocks", async () => {
      const index = new MemoryIndex();
      const indexer = index.open(client, {
        groups: [group.address],
        fromBlock: group.block,
      });
      indexer.start();
      const count = (await truthOf(ledger, group)).length;
      const reaches = async (more: number): Promise<void> => {
        await index.until(
          () => index.transitionsOf(group.address).length === count + more,
        );
        expect(index.transitionsOf(group.address)).to.deep.equal(
          await truthOf(ledger, group),
        );
      };
      await reaches(0);
      const snapshot = await client.request("evm_snapshot", []);
      const { height } = index;
      await execute(group, 10);
      await reaches(10);
      await client.request("evm_revert", [snapshot]);
      await index.until(() => index.reverts.length === 1);
      await index.until(() => index.height === height);
      await reaches(0);

      const again = await client.request("evm_snapshot", []);
      await execute(group, 5);
      await reaches(5);
      await indexer.hold();
      await client.request("evm_revert", [again]);
      await execute(group, 5);
      indexer.release();
      await index.until(() => index.reverts.length === 2);
      await reaches(5);
      expect(index.reverts).to.deep.equal([height, height]);
      await indexer.stop();
    });

    it("goes back over a restart, when all it knew is gone", async () => {
      const snapshot = await client.request("evm_snapshot", []);
      await execute(group, 3);
      const index = new MemoryIndex();
      const options = { groups: [group.address], fromBlock: group.block };
      const first = index.open(client, options);
      first.start();
      const count = (await truthOf(ledger, group)).length;
      await index.until(
        () => index.transitionsOf(group.address).length === count,
      );
      await first.stop();
      // Blocks that were never on this chain, as if it had been made anew.
      index.blocks.forEach((block, i) => {
        const hash = block.hash.replace(/^0x./, (start) =>
          start === "0xf" ? "0x0" : "0xf",
        );
        index.blocks[i] = { ...block, hash: hash as typeof block.hash };
      });
      await client.request("evm_revert", [snapshot]);
      await execute(group, 4);
      const second = index.open(client, options);
      second.start();
      await index.until(() => index.reverts.length > 0);
      expect(index.reverts).to.deep.equal([-1]);
      await index.until(
        () => index.transitionsOf(group.address).length === count + 1,
      );
      await second.stop();
      expect(index.transitionsOf(group.address)).to.deep.equal(
        await truthOf(ledger, group),
      );
    });

    it("catches up in small pages, asking for less where the node refuses", async () => {
      const index = new MemoryIndex();
      let refused = 0;
      const strict: ChainClient = {
        ...client,
        request: async (method, params) => {
          const [filter] = params as [LogRange?];
          const { fromBlock, toBlock } = filter ?? {};
          if (Number(toBlock) - Number(fromBlock) >= 5) {
            refused++;
            throw new ChainError("refused", "block range too large");
          }
          return await client.request(method, params);
        },
      };
      const indexer = index.open(strict, {
        groups: [group.address],
        fromBlock: group.block,
        pageBlocks: 40,
        reorgDepthMax: 16,
      });
      indexer.start();
      const head = Number(await client.request("eth_blockNumber", []));
      await index.until(() => index.height === head);
      await indexer.stop();
      expect(index.transitionsOf(group.address)).to.deep.equal(
        await truthOf(ledger, group),
      );
      expect(refused).to.be.within(3, head);
      expect(index.troubles).to.deep.equal([]);
      expect(Math.max(...index.pages)).to.be.at.most(16);
    });

    it("watches a group late, and tells its past first", async () => {
      const late = await ledger.createGroup();
      const index = new MemoryIndex();
      const indexer = index.open(client, {
        groups: [group.address],
        fromBlock: group.block,
        pageBlocks: 7,
        reorgDepthMax: 8,
      });
      indexer.start();
      await execute(late, 15);
      await mine(client, 10);
      await execute(group, 1);
      const count = (await truthOf(ledger, group)).length;
      await index.until(
        () => index.transitionsOf(group.address).length === count,
      );
      const caughtUp = indexer.watch(late.address, late.block);
      await execute(late, 15);
      await caughtUp;
      await indexer.watch(late.address, late.block);
      await index.until(() => index.transitionsOf(late.address).length === 30);
      await indexer.stop();
      for (const one of [late, group])
        expect(index.transitionsOf(one.address)).to.deep.equal(
          await truthOf(ledger, one),
        );
    });

    it("names no contracts when there are many, and takes nothing from others", async () => {
      const asked: object[] = [];
      const watching: ChainClient = {
        ...client,
        request: async (method, params) => {
          if (method === "eth_getLogs") asked.push(params[0] as object);
          return await client.request(method, params);
        },
      };
      const [own, foreign] = [
        await ledger.createGroup(),
        await ledger.createGroup(),
      ];
      const others = Array.from(
        { length: 600 },
        (_, i) => `0x${(i + 1).toString(16).padStart(40, "0")}`,
      );
      const index = new MemoryIndex();
      const indexer = index.open(watching, {
        groups: [own.address, ...others],
        fromBlock: own.block,
      });
      indexer.start();
      await execute(foreign, 2);
      await execute(own, 2);
      await index.until(() => index.transitionsOf(own.address).length === 2);
      await indexer.stop();
      expect(index.transitionsOf(foreign.address)).to.deep.equal([]);
      expect(asked).to.not.deep.equal([]);
      for (const filter of asked)
        expect(filter).to.not.have.property("address");
    });

    it("goes through hundreds of blocks that were made at once", async () => {
      const index = new MemoryIndex();
      const indexer = index.open(client, {
        groups: [group.address],
        fromBlock: group.block,
      });
      indexer.start();
      for (const blocks of [16, 500]) {
        await execute(group, 1);
        await client.request("hardhat_mine", [`0x${blocks.toString(16)}`]);
        await execute(group, 1);
        const head = Number(await client.request("eth_blockNumber", []));
        await index.until(() => index.height === head);
      }
      await indexer.stop();
      expect(index.reverts).to.deep.equal([]);
      expect(index.transitionsOf(group.address)).to.deep.equal(
        await truthOf(ledger, group),
      );
    });

    it("waits for confirmations", async () => {
      const index = new MemoryIndex();
      const indexer = index.open(client, {
        groups: [group.address],
        fromBlock: group.block,
        confirmations: 3,
      });
      indexer.start();
      await execute(group, 1);
      const head = Number(await client.request("eth_blockNumber", []));
      await index.until(() => index.height === head - 3);
      await mine(client, 3);
      await index.until(() => index.height === head);
      await indexer.stop();
      expect(index.transitionsOf(group.address)).to.deep.equal(
        await truthOf(ledger, group),
      );
    });
  });
