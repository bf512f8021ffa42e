import { expect } from "chai";
import hre from "hardhat";

import { topicOf } from "../../src/ledger/index.ts";
import { Bell } from "../../src/chain/bell.ts";
import { blockOf } from "../../src/chain/indexer/blocks.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { aFaultyClient } from "../helpers/faulty-client.ts";
import { MemoryIndex } from "../helpers/memory-index.ts";
import { randomFrom } from "../helpers/random.ts";
import {
  openTestLedger,
  type TestGroup,
  type TestLedger,
} from "../helpers/runtime-ledger.ts";

/** Timers that do not wait: what is due later is due after what is under way. */
const impatient = {
  now: () => performance.now(),
  after: (_ms: number, run: () => void) => {
    const timer = setImmediate(run);
    return () => {
      clearImmediate(timer);
    };
  },
};

describe("runtime: indexer on a chain that misbehaves", function () {
  this.timeout(30_000);

  let client: ChainClient;
  let ledger: TestLedger;
  let group: TestGroup;
  before(async () => {
    client = openChainClient((await hre.network.create()).provider);
    ledger = await openTestLedger(client);
    group = await ledger.createGroup();
  });
  const options = (): object => ({
    groups: [group.address],
    fromBlock: group.block,
  });

  for (const seed of [1, 2, 3, 4, 5])
    it(`indexes everything once in spite of faults and reorganisations (seed ${seed})`, async () => {
      const random = randomFrom(seed);
      const faults = { random, probability: 0.3, isOn: true, count: 0 };
      const index = new MemoryIndex();
      const indexer = index.open(
        aFaultyClient(client, faults),
        { ...options(), reorgDepthMax: 8, pageBlocks: 4 },
        { timers: impatient },
      );
      indexer.start();
      for (let round = 0; round < 10; round++) {
        const snapshot = await client.request("evm_snapshot", []);
        for (let i = random.below(5); i >= 0; i--) await group.execute();
        if (random.chance(0.4)) await client.request("evm_revert", [snapshot]);
      }
      await group.execute();
      const logs = await ledger.chain.logsBetween([0, 1_000_000], {
        addresses: [group.address],
        topics: [topicOf("Transitioned")],
      });
      const truth = logs.map(({ topics }) => topics[1]);
      await index.until(
        () => index.transitionsOf(group.address).at(-1) === truth.at(-1),
      );
      await indexer.stop();
      expect(index.transitionsOf(group.address)).to.deep.equal(truth);
      expect(faults.count).to.be.above(5);
    });

  it("says that the chain is away, and when it is back", async () => {
    const index = new MemoryIndex();
    const faults = {
      random: randomFrom(1),
      probability: 1,
      isOn: true,
      count: 0,
    };
    const indexer = index.open(aFaultyClient(client, faults), options(), {
      timers: impatient,
    });
    indexer.start();
    await index.until(() => index.troubles.length > 3);
    expect(index.troubles.every((error) => error instanceof ChainError)).to.be
      .true;
    faults.isOn = false;
    await index.until(() => index.troubles.at(-1) === undefined);
    await index.until(() => index.transitionsOf(group.address).length > 0);
    await indexer.stop();
  });

  it("follows no chain with another id", async () => {
    const index = new MemoryIndex();
    const indexer = index.open(client, { ...options(), chainId: 1n });
    indexer.start();
    await index.until(() => index.troubles.length > 0);
    await indexer.stop();
    expect(index.troubles[0]?.message).to.match(/31337.*1 is expected/);
    expect(index.blocks).to.be.empty;
  });

  it("tells nothing more while it is held", async () => {
    const index = new MemoryIndex();
    const indexer = index.open(client, options());
    indexer.start();
    const head = Number(await client.request("eth_blockNumber", []));
    await index.until(() => index.height === head);
    await indexer.hold();
    await group.execute();
    // Whatever is under way is over when this is answered.
    for (let i = 0; i < 20; i++) await client.request("eth_blockNumber", []);
    expect(index.height).to.equal(head);
    indexer.release();
    await index.until(() => index.height === head + 1);
    await indexer.stop();
  });

  it("is held only when what it was telling has been told", async () => {
    const index = new MemoryIndex();
    const { onBlocks } = index.ports();
    const telling = new Bell();
    const disk = new Bell();
    const indexer = index.open(client, options(), {
      onBlocks: async (blocks) => {
        telling.ring();
        await disk.wait();
        await onBlocks(blocks);
      },
    });
    indexer.start();
    await telling.wait();
    const held = indexer.hold().then(() => index.height);
    disk.ring();
    expect(await held).to.be.at.least(group.block);
    expect(index.height).to.equal(await held);
    await indexer.stop();
  });

  it("stops for good when blocks cannot be committed", async () => {
    const index = new MemoryIndex();
    const indexer = index.open(client, options(), {
      onBlocks: async () => {
        await Promise.reject(new Error("disk full"));
      },
    });
    indexer.start();
    await index.until(() => index.troubles.length > 0);
    await indexer.stop();
    expect(index.troubles[0]?.message).to.equal("disk full");
    expect(index.troubles).to.have.lengthOf(1);
  });

  it("ignores logs that are malformed or of others", () => {
    const hash = `0x${"11".repeat(32)}` as never;
    const header = {
      number: 1,
      hash,
      parentHash: hash,
      timestamp: 1,
      baseFee: 0n,
    };
    const log = {
      address: group.address,
      topics: [topicOf("Transitioned"), hash],
      data: "0x1234",
      transactionHash: hash,
      transactionIndex: 0,
      blockNumber: 1,
      blockHash: hash,
      logIndex: 0,
    };
    const watched = { groups: new Set([group.address]), factory: undefined };
    const others = [
      log,
      { ...log, topics: [] },
      { ...log, address: "0x00" },
      { ...log, topics: [topicOf("IntentFulfilled"), hash], logIndex: 3 },
    ];
    expect(blockOf(header, others, watched).transitions).to.be.empty;
  });
});
