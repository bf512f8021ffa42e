import { expect } from "chai";
import hre from "hardhat";

import { topicOf } from "../../src/ledger/index.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { IndexerOptions } from "../../src/chain/indexer/ports.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { ChainFarm, type FarmOptions } from "../helpers/chain-farm/farm.ts";
import { ChainRecord } from "../helpers/chain-farm/record.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { MemoryIndex } from "../helpers/memory-index.ts";
import { randomFrom } from "../helpers/random.ts";
import {
  openTestLedger,
  type TestGroup,
  type TestLedger,
} from "../helpers/runtime-ledger.ts";

/** Lets time pass, and everybody do what is due at once. */
async function pass(timers: FakeTimers, ms: number): Promise<void> {
  timers.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

describe("runtime: indexer behind a farm of backends", function () {
  this.timeout(20_000);

  let client: ChainClient;
  let record: ChainRecord;
  let ledger: TestLedger;
  let group: TestGroup;
  beforeEach(async () => {
    client = openChainClient((await hre.network.create()).provider);
    record = new ChainRecord(client);
    ledger = await openTestLedger(client);
    group = await ledger.createGroup();
    await client.request("evm_mine", []);
  });

  const aFarm = (seed: number, options: Partial<FarmOptions> = {}): ChainFarm =>
    new ChainFarm(
      { backends: 3, lagMax: 3, ...options },
      { record, random: randomFrom(seed) },
    );

  const options = (): Partial<IndexerOptions> => ({
    groups: [group.address],
    fromBlock: group.block,
    contract: ledger.factory,
    pollMs: 2,
  });

  const truth = async (): Promise<readonly string[]> => {
    const logs = await ledger.chain.logsBetween([0, 1_000_000], {
      addresses: [group.address],
      topics: [topicOf("Transitioned")],
    });
    return logs.map(({ topics }) => topics[1] ?? "");
  };

  const untilHead = async (index: MemoryIndex): Promise<void> => {
    const head = Number(await client.request("eth_blockNumber", []));
    await index.until(() => index.height === head);
  };

  const mine = async (blocks: number): Promise<void> => {
    for (let i = 0; i < blocks; i++) await client.request("evm_mine", []);
  };

  /** Goes back, and makes other blocks. */
  const reorganise = async (
    snapshot: unknown,
    blocks: number,
  ): Promise<void> => {
    await client.request("evm_revert", [snapshot]);
    await client.request("hardhat_setPrevRandao", [
      randomFrom(blocks).bytes32(),
    ]);
    await mine(blocks);
  };

  for (const seed of [1, 2, 3, 4, 5, 6])
    it(`takes back only what the chain took back (seed ${seed})`, async () => {
      const random = randomFrom(seed);
      const farm = aFarm(seed);
      const index = new MemoryIndex();
      const indexer = index.open(farm, options());
      indexer.start();
      const forks: number[] = [];
      for (let round = 0; round < 8; round++) {
        for (let i = 0; i < 3; i++) await group.execute();
        await untilHead(index);
        if (!random.chance(0.5)) continue;
        const snapshot = await client.request("evm_snapshot", []);
        const { height } = index;
        const blocks = 1 + random.below(3);
        for (let i = 0; i < blocks; i++) await group.execute();
        await untilHead(index);
        await reorganise(snapshot, blocks + 1);
        forks.push(height);
        await group.execute();
        await untilHead(index);
      }
      await indexer.stop();
      expect(index.reverts).to.deep.equal(forks);
      expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
    });

  it("waits for a head that is late, and says so after a while", async () => {
    const farm = aFarm(1, { backends: 1, lagMax: 0 });
    let isLate = false;
    const late: ChainClient = {
      onHead: farm.onHead,
      close: farm.close,
      request: async (method, params) =>
        await farm.request(
          method,
          isLate && params[0] === "latest" ? ["0x3", false] : params,
        ),
    };
    const timers = new FakeTimers();
    const index = new MemoryIndex();
    const indexer = index.open(late, options(), { timers });
    indexer.start();
    for (let i = 0; i < 3; i++) await group.execute();
    const head = Number(await client.request("eth_blockNumber", []));
    while (index.height < head) await pass(timers, 1);
    isLate = true;
    const { height } = index;
    while (index.troubles.length === 0) await pass(timers, 100);
    expect(index.troubles[0]?.message).to.match(
      new RegExp(`behind: its head is block 3, and block ${height} was seen`),
    );
    // However long it lasts.
    const { requests } = farm;
    while (farm.requests < requests + 200) await pass(timers, 1_000);
    expect(index.reverts).to.deep.equal([]);
    isLate = false;
    while (index.troubles.at(-1) !== undefined) await pass(timers, 100);
    const stopped = indexer.stop();
    await pass(timers, 1);
    await stopped;
    expect(index.height).to.equal(height);
  });

  it("follows a chain that is lower for good, when nobody knows the old blocks", async () => {
    const farm = aFarm(1, { backends: 2, lagMax: 1 });
    const timers = new FakeTimers();
    const index = new MemoryIndex();
    const indexer = index.open(farm, options(), { timers });
    indexer.start();
    while (index.height < group.block + 1) await pass(timers, 2);
    const { height } = index;
    const snapshot = await client.request("evm_snapshot", []);
    for (let i = 0; i < 4; i++) await group.execute();
    while (index.height < height + 4) await pass(timers, 2);
    await reorganise(snapshot, 2);
    while (index.reverts.length === 0) {
      // A busy machine must not make answers late by the clock of the test.
      while (farm.open > 0) await pass(timers, 0);
      await pass(timers, 100);
    }
    expect(index.reverts).to.deep.equal([height]);
    const told = index.troubles.map((trouble) => trouble?.message ?? "");
    expect(told.join("\n")).to.match(/another past/);
    while (index.height < height + 2) await pass(timers, 100);
    const stopped = indexer.stop();
    await pass(timers, 1);
    await stopped;
    expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
  });

  it("takes nothing back when another chain answers, and goes on when the right one does", async () => {
    const farm = aFarm(1, { backends: 1, lagMax: 0 });
    const index = new MemoryIndex();
    index.lastCreation = group.block;
    const indexer = index.open(farm, options());
    indexer.start();
    await group.execute();
    await untilHead(index);
    const { genesis } = index;
    // A local chain that was started again has the same id. It is higher, or lower, or has no such contract.
    for (const [chainId, blocks] of [
      [4, 20],
      [31337, 20],
      [31337, 1],
    ] as const) {
      const other = openChainClient(
        (
          await hre.network.create({
            override: { chainId, initialDate: "2020-01-01T00:00:00Z" },
          })
        ).provider,
      );
      for (let i = 0; i < blocks; i++) await other.request("evm_mine", []);
      farm.elsewhere = other;
      await index.until(() => index.troubles.at(-1) !== undefined);
      const message = index.troubles.at(-1)?.message;
      expect(message).to.match(/^This is another chain/);
      expect(message).to.contain(chainId === 4 ? "id 4" : genesis);
      farm.elsewhere = undefined;
      await group.execute();
      await untilHead(index);
      await index.until(() => index.troubles.at(-1) === undefined);
    }
    await indexer.stop();
    expect(index.reverts).to.deep.equal([]);
    expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
  });

  it("tells a restarted chain with the same first block by the factory and the groups", async () => {
    const index = new MemoryIndex();
    index.lastCreation = group.block;
    const first = index.open(client, options());
    first.start();
    await group.execute();
    await untilHead(index);
    await first.stop();
    const again = openChainClient((await hre.network.create()).provider);
    index.genesis = undefined;
    const before = [...index.blocks];
    const second = index.open(again, options());
    second.start();
    await index.until(() => index.troubles.length > 0);
    expect(index.troubles[0]?.message).to.match(
      /another chain: there is no contract at 0x/,
    );
    await openTestLedger(again);
    await index.until(() =>
      /another chain: it differs.*group was created/.test(
        index.troubles.at(-1)?.message ?? "",
      ),
    );
    await second.stop();
    expect(index.reverts).to.deep.equal([]);
    expect(index.blocks).to.deep.equal(before);
  });

  /** Blocks that make a deep page, recent ones, and all of them behind backends that hide logs. */
  for (const [where, reorgDepthMax] of [
    ["recent", 128],
    ["old", 4],
  ] as const)
    it(`finds logs that ${where} blocks have and backends hide`, async () => {
      for (let i = 0; i < 12; i++) await group.execute();
      const farm = aFarm(3, {
        lagMax: 1,
        faults: { hideLogs: where === "old" ? 0.2 : 0.5, loseReceipts: 0.2 },
      });
      const index = new MemoryIndex();
      const indexer = index.open(farm, { ...options(), reorgDepthMax });
      await mine(8);
      indexer.start();
      await untilHead(index);
      await indexer.stop();
      expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
      expect(index.reverts).to.deep.equal([]);
    });

  it("reads receipts one by one where a chain does not give those of a block", async () => {
    const farm = aFarm(3, { lagMax: 1, faults: { hideLogs: 0.5 } });
    const plain: ChainClient = {
      onHead: farm.onHead,
      close: farm.close,
      request: async (method, params) => {
        if (method === "eth_getBlockReceipts")
          throw new ChainError("refused", "no such method", { code: -32601 });
        return await farm.request(method, params);
      },
    };
    const index = new MemoryIndex();
    const indexer = index.open(plain, options());
    indexer.start();
    for (let i = 0; i < 12; i++) await group.execute();
    await untilHead(index);
    await indexer.stop();
    expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
  });

  it("reads a block again when a receipt shows what its logs did not", async () => {
    const farm = aFarm(3, { lagMax: 0, faults: { hideLogs: 1 } });
    // A chain whose headers tell nothing of logs.
    const bloomless: ChainClient = {
      onHead: farm.onHead,
      close: farm.close,
      request: async (method, params) => {
        const answer = await farm.request(method, params);
        if (!method.startsWith("eth_getBlockBy")) return answer;
        const block = answer as Readonly<Record<string, unknown>>;
        return { ...block, logsBloom: `0x${"0".repeat(512)}` };
      },
    };
    const index = new MemoryIndex();
    const indexer = index.open(bloomless, options());
    indexer.start();
    await group.execute();
    const block = Number(await client.request("eth_blockNumber", []));
    await group.execute();
    await untilHead(index);
    expect(index.transitionsOf(group.address)).to.deep.equal([]);
    const [log] = await ledger.chain.logsBetween([block, block], {
      addresses: [group.address],
      topics: [topicOf("Transitioned")],
    });
    const { transactionHash = "" } = log ?? {};
    // Nothing happens for a transaction that made no transition.
    indexer.reindex({ block, transactionHash: randomFrom(1).bytes32() });
    farm.hasFaults = false;
    indexer.reindex({ block, transactionHash });
    await index.until(() => index.transitionsOf(group.address).length === 2);
    await indexer.stop();
    expect(index.reverts).to.deep.equal([block - 1]);
    expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
  });

  it("asks an idle chain for one thing at each look", async () => {
    const farm = aFarm(1, { backends: 1, lagMax: 0 });
    const timers = new FakeTimers();
    const index = new MemoryIndex();
    const indexer = index.open(
      farm,
      { ...options(), pollMs: 6_000 },
      { timers },
    );
    indexer.start();
    while (index.height < group.block + 1) await pass(timers, 1);
    const before = farm.requests;
    // A minute with five blocks.
    for (let i = 0; i < 5; i++) {
      await client.request("evm_mine", []);
      const { height } = index;
      const { requests } = farm;
      while (index.height === height) await pass(timers, 100);
      // The second look of these twelve seconds finds nothing.
      while (farm.requests < requests + 2) await pass(timers, 100);
    }
    expect(farm.requests - before).to.be.at.most(15);
    const stopped = indexer.stop();
    await pass(timers, 1);
    await stopped;
  });
});
