import { expect } from "chai";

import {
  parseAddress,
  privacyGroupFactoryInterface,
  privacyGroupInterface,
} from "../../src/ledger/index.ts";
import { GroupSearch } from "../../src/node/groups/group-search.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import type { MissingGroup } from "../../src/store/missing-groups.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { groupAt, word } from "../helpers/stores.ts";

const factory = groupAt(99);
const own = parseAddress(groupAt(50));
const other = parseAddress(groupAt(51));
const HEAD = 1_000;

interface Log {
  readonly block: number;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

function created(
  block: number,
  group: string,
  members: readonly string[],
): Log {
  const { topics, data } = privacyGroupFactoryInterface.encodeEventLog(
    "GroupCreated",
    [group, other, word(1), members, 1, false],
  );
  return { block, address: factory, topics, data };
}

function changed(
  block: number,
  group: string,
  members: readonly string[],
): Log {
  const { topics, data } = privacyGroupInterface.encodeEventLog(
    "CommitteeChanged",
    [1n, members, 1],
  );
  return { block, address: group, topics, data };
}

/** A chain's node that has these logs, and refuses ranges that are too long. */
class Node {
  readonly ranges: number[] = [];
  isAway = false;
  readonly #logs: readonly Log[];
  readonly #rangeMax: number;

  constructor(logs: readonly Log[], rangeMax = Infinity) {
    this.#logs = logs;
    this.#rangeMax = rangeMax;
  }

  readonly client: ChainClient = {
    request: async (method, params) =>
      await Promise.resolve().then(() => this.#answer(method, params[0])),
    onHead: () => () => undefined,
    close: async () => {
      await Promise.resolve();
    },
  };

  #answer(method: string, param: unknown): unknown {
    if (this.isAway) throw new ChainError("unreachable", "Nobody is there.");
    if (method === "eth_getBlockByNumber")
      return {
        number: `0x${HEAD.toString(16)}`,
        hash: word(7),
        parentHash: word(6),
        timestamp: "0x1",
      };
    const filter = param as {
      readonly fromBlock: string;
      readonly toBlock: string;
      readonly address?: readonly string[];
      readonly topics: readonly (readonly string[])[];
    };
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    if (to - from + 1 > this.#rangeMax)
      throw new ChainError("refused", "The range is too long.");
    this.ranges.push(to - from + 1);
    return this.#logs
      .filter(
        ({ block, address, topics }) =>
          block >= from &&
          block <= to &&
          filter.address?.includes(address) !== false &&
          filter.topics[0]?.includes(topics[0] ?? "") === true,
      )
      .map(({ block, address, topics, data }, index) => ({
        address,
        topics,
        data,
        blockNumber: `0x${block.toString(16)}`,
        blockHash: word(block),
        transactionHash: word(block),
        transactionIndex: "0x0",
        logIndex: `0x${index.toString(16)}`,
        removed: false,
      }));
  }
}

const logs = [
  created(3, groupAt(1), [own, other]),
  created(4, groupAt(2), [other]),
  changed(500, groupAt(2), [own]),
  // Anybody can write such logs.
  { ...created(600, groupAt(3), [own]), address: groupAt(4) },
  changed(600, groupAt(5), [own]),
  created(999, groupAt(6), [own]),
];
const expected = [
  { address: groupAt(1), block: 3 },
  { address: groupAt(2), block: 500 },
  { address: groupAt(6), block: 999 },
];

/** Searches, and gives what was found and how far it was settled when it was complete. */
async function search(
  node: Node,
  from = 0,
): Promise<{
  readonly found: readonly MissingGroup[];
  readonly settled: number;
}> {
  const found: MissingGroup[] = [];
  return await new Promise((resolve, reject) => {
    const one = new GroupSearch(
      { factory, endorser: own, from },
      {
        client: node.client,
        timers: new FakeTimers(),
        fail: reject,
        onFound: (more, { settled, isComplete }) => {
          found.push(...more);
          if (!isComplete) return;
          void one.stop().then(() => {
            expect(one.progress).to.equal(undefined);
            resolve({ found, settled });
          });
        },
      },
    );
    one.start();
  });
}

describe("The search for groups of a node", () => {
  it("takes two requests, and believes the factory and its groups only", async () => {
    const node = new Node(logs);
    const { found, settled } = await search(node);
    expect(found).to.deep.equal(
      [...expected].sort(
        (a, b) => Number(a.block === 500) - Number(b.block === 500),
      ),
    );
    // What a reorganisation may take back is searched again after the next start.
    expect(settled).to.equal(HEAD - 128);
    expect(node.ranges).to.deep.equal([HEAD + 1, HEAD + 1]);
  });

  it("goes on in ranges that the chain's node accepts", async () => {
    const node = new Node(logs, 50);
    const { found } = await search(node);
    expect(found).to.deep.equal(expected);
    expect(Math.max(...node.ranges)).to.be.at.most(50);
  });

  it("begins where the last one ended", async () => {
    const node = new Node(logs);
    const { found } = await search(node, 873);
    expect(found).to.deep.equal([{ address: groupAt(6), block: 999 }]);
    expect(node.ranges[0]).to.equal(HEAD + 1 - 873);
  });

  it("says how far it is, and what is in its way", async () => {
    const node = new Node(logs);
    node.isAway = true;
    const timers = new FakeTimers();
    const one = new GroupSearch(
      { factory, endorser: own, from: 0 },
      {
        client: node.client,
        timers,
        fail: (error) => {
          throw error;
        },
        onFound: () => undefined,
      },
    );
    expect(one.progress).to.match(/^Searches the ledger/);
    one.start();
    while (timers.size === 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect(one.progress).to.contain("Nobody is there.");
    node.isAway = false;
    while (one.progress !== undefined) {
      timers.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await one.stop();
  });
});
