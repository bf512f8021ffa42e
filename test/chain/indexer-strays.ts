import { expect } from "chai";
import hre from "hardhat";

import { topicOf } from "../../src/ledger/index.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { canFollow } from "../../src/chain/indexer/parents.ts";
import type { IndexerOptions } from "../../src/chain/indexer/ports.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { type Answer, ChainRecord } from "../helpers/chain-farm/record.ts";
import { ViewClient } from "../helpers/chain-farm/view-client.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { impatientTimers } from "../helpers/impatient-timers.ts";
import { MemoryIndex } from "../helpers/memory-index.ts";
import { randomFrom } from "../helpers/random.ts";
import {
  openTestLedger,
  type TestGroup,
  type TestLedger,
} from "../helpers/runtime-ledger.ts";

describe("runtime: indexer among backends that stray", function () {
  this.timeout(20_000);

  let client: ChainClient;
  let record: ChainRecord;
  let view: ViewClient;
  let ledger: TestLedger;
  let group: TestGroup;
  beforeEach(async () => {
    client = openChainClient((await hre.network.create()).provider);
    record = new ChainRecord(client);
    view = new ViewClient(record);
    ledger = await openTestLedger(client);
    group = await ledger.createGroup();
    await mine(1);
  });

  const options = (): Partial<IndexerOptions> => ({
    groups: [group.address],
    fromBlock: group.block,
    contract: ledger.factory,
    pollMs: 2,
  });

  const mine = async (blocks: number): Promise<void> => {
    for (let i = 0; i < blocks; i++) await client.request("evm_mine", []);
  };

  const height = async (): Promise<number> =>
    Number(await client.request("eth_blockNumber", []));

  const truth = async (): Promise<readonly string[]> => {
    const logs = await ledger.chain.logsBetween([0, 1_000_000], {
      addresses: [group.address],
      topics: [topicOf("Transitioned")],
    });
    return logs.map(({ topics }) => topics[1] ?? "");
  };

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

  /** A chain with the same id and other blocks, some of them without parents. */
  const openStranger = async (blocks: number): Promise<ChainClient> => {
    const { provider } = await hre.network.create({
      override: { initialDate: "2020-01-01T00:00:00Z" },
    });
    const stranger = openChainClient(provider);
    await stranger.request("hardhat_mine", [`0x${blocks.toString(16)}`]);
    return stranger;
  };

  const untilLooks = async (looks: number): Promise<void> => {
    const isLook = (method: string) => method === "eth_getBlockByNumber";
    const before = view.asked.filter(isLook).length;
    while (view.asked.filter(isLook).length < before + looks)
      await new Promise((resolve) => setImmediate(resolve));
  };

  it("finds a fork far below although every look at its branch is cut short", async () => {
    const index = new MemoryIndex();
    const indexer = index.open(view, options(), {
      timers: impatientTimers,
    });
    indexer.start();
    const fork = await height();
    const snapshot = await client.request("evm_snapshot", []);
    await group.execute();
    await index.until(() => index.height === fork + 1);
    view.head = record.heads.at(-1);
    await reorganise(snapshot, 60);
    let parents = 0;
    view.instead = (method) =>
      method === "eth_getBlockByHash" && ++parents % 12 >= 8
        ? Promise.resolve(null)
        : undefined;
    view.head = undefined;
    await index.until(() => index.height === fork + 60);
    await indexer.stop();
    expect(index.reverts).to.deep.equal([fork]);
    expect(parents).to.be.below(200);
  });

  it("does not tell blocks again that were taken back, because a late backend has them", async () => {
    const index = new MemoryIndex();
    const indexer = index.open(view, options());
    indexer.start();
    const fork = await height();
    const snapshot = await client.request("evm_snapshot", []);
    for (let i = 0; i < 3; i++) await group.execute();
    await index.until(() => index.height === fork + 3);
    const old = record.heads.at(-1);
    view.head = old;
    await reorganise(snapshot, 5);
    // All is read of the new branch but its blocks: then the late backend answers.
    view.instead = (method, [tag]) => {
      if (method === "eth_getBlockByNumber" && tag === `0x${hex(fork + 1)}`)
        view.head = old;
      return undefined;
    };
    view.head = undefined;
    await index.until(() => index.reverts.length === 1);
    await untilLooks(30);
    expect(index.height).to.equal(fork);
    view.instead = () => undefined;
    view.head = undefined;
    await index.until(() => index.height === fork + 5);
    await indexer.stop();
    expect(index.reverts).to.deep.equal([fork]);
  });

  it("tells blocks again when the chain has returned to them for good", async () => {
    const timers = new FakeTimers();
    const index = new MemoryIndex();
    const indexer = index.open(view, options(), { timers });
    const pass = async (holds: () => boolean): Promise<void> => {
      while (!holds()) {
        timers.advance(100);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    indexer.start();
    const fork = await height();
    const snapshot = await client.request("evm_snapshot", []);
    for (let i = 0; i < 6; i++) await group.execute();
    await record.sync();
    const old = record.heads.at(-1);
    await pass(() => index.height === fork + 6);
    view.head = old;
    await reorganise(snapshot, 7);
    view.head = undefined;
    await pass(() => index.height === fork + 7);
    view.head = old;
    await pass(() => index.height === fork + 6);
    const stopped = indexer.stop();
    timers.advance(1);
    await stopped;
    expect(index.reverts).to.deep.equal([fork, fork]);
    expect(index.blocks.at(-1)?.hash).to.equal(old?.hash);
  });

  it("does not take a chain for a simulated one because one answer says so", async () => {
    let isStray = false;
    view.instead = (method) =>
      isStray && method === "web3_clientVersion"
        ? Promise.resolve("HardhatNetwork/3.0.0")
        : undefined;
    const index = new MemoryIndex();
    const indexer = index.open(view, options());
    indexer.start();
    await mine(2);
    const top = await height();
    await index.until(() => index.height === top);
    const low = record.heads.at(-3);
    // After trouble it looks again at what chain this is.
    isStray = true;
    view.instead = (method, params) =>
      method === "eth_getBlockByNumber" && params[0] === "latest"
        ? Promise.resolve("nonsense")
        : undefined;
    await index.until(() => index.troubles.at(-1) !== undefined);
    view.instead = (method) =>
      method === "web3_clientVersion"
        ? Promise.resolve("HardhatNetwork/3.0.0")
        : undefined;
    view.head = low;
    await index.until(() => index.troubles.at(-1) === undefined);
    await untilLooks(20);
    view.head = undefined;
    await mine(1);
    await index.until(() => index.height === top + 1);
    await indexer.stop();
    expect(index.reverts).to.deep.equal([]);
  });

  it("follows a block without a parent on simulated chains only", () => {
    const child = { number: 5, parentHash: `0x${"0".repeat(64)}` };
    const hash = randomFrom(1).bytes32();
    expect(canFollow(child, hash, { isSimulated: true })).to.equal(true);
    expect(canFollow(child, hash, { isSimulated: false })).to.equal(false);
    const own = { number: 5, parentHash: hash };
    expect(canFollow(own, hash, { isSimulated: false })).to.equal(true);
  });

  it("takes no block of a higher chain for a deep one of its own", async () => {
    const stranger = await openStranger(400);
    const index = new MemoryIndex();
    const indexer = index.open(view, options(), {
      timers: impatientTimers,
    });
    indexer.start();
    const before = await height();
    await index.until(() => index.height === before);
    let turns = 0;
    view.instead = (method, params) => {
      if (method !== "eth_getBlockByNumber") return undefined;
      const isUnknown = Number(params[0]) > before;
      if (params[0] !== "latest" && !isUnknown) return undefined;
      // Some answers are of the right chain, as far as it has such a block.
      return turns++ % 3 === 2
        ? undefined
        : stranger.request(method, [...params]);
    };
    await untilLooks(200);
    expect(index.height).to.equal(before);
    view.instead = () => undefined;
    await group.execute();
    await index.until(() => index.height === before + 1);
    await indexer.stop();
    expect(index.reverts).to.deep.equal([]);
    expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
  });

  it("finds old logs that most backends hide", async () => {
    for (let i = 0; i < 6; i++) await group.execute();
    await mine(20);
    let searches = 0;
    view.instead = (method, [filter]) =>
      method === "eth_getLogs" &&
      !("blockHash" in Object(filter)) &&
      ++searches % 4 !== 0
        ? Promise.resolve([])
        : undefined;
    const index = new MemoryIndex();
    const indexer = index.open(view, { ...options(), reorgDepthMax: 4 });
    indexer.start();
    const top = await height();
    await index.until(() => index.height === top);
    await indexer.stop();
    expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
    expect(searches).to.be.at.least(4);
  });

  it("goes back behind all that it remembers to read a block again", async () => {
    const index = new MemoryIndex();
    let isHidden = true;
    view.instead = (method, params) => {
      if (method === "eth_getLogs" && isHidden) return Promise.resolve([]);
      if (!method.startsWith("eth_getBlockBy")) return undefined;
      return view
        .answer(method, params)
        .then((block) => withoutBloom(block as Answer | null));
    };
    const ports = index.ports();
    const kept = 4;
    const indexer = index.open(view, options(), {
      // Older hashes are forgotten.
      knownAt: (number) => {
        const known = ports.knownAt(number);
        return known !== undefined && known.number > index.height - kept
          ? known
          : undefined;
      },
    });
    indexer.start();
    await group.execute();
    const block = await height();
    const { transactionHash = "" } =
      (
        await ledger.chain.logsBetween([block, block], {
          addresses: [group.address],
          topics: [topicOf("Transitioned")],
        })
      )[0] ?? {};
    await mine(10);
    await index.until(() => index.height === block + 10);
    isHidden = false;
    index.forgetBelow(block + 10 - kept);
    indexer.reindex({ block, transactionHash });
    await index.until(() => index.height === block + 10);
    await index.until(() => index.transitionsOf(group.address).length === 1);
    await index.until(() => index.height === block + 10);
    await indexer.stop();
    expect(index.reverts).to.deep.equal([block - 1]);
    // The block before it was told once, and is known by its hash alone.
    expect(index.blocks[0]).to.include({ number: block - 1 });
    expect(index.transitionsOf(group.address)).to.deep.equal(await truth());
  });
});

/** Of a chain whose headers tell nothing of logs. */
function withoutBloom(block: Answer | null): Answer | null {
  return block && { ...block, logsBloom: `0x${"0".repeat(512)}` };
}

function hex(number: number): string {
  return number.toString(16);
}
