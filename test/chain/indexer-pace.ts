import { expect } from "chai";

import type { ChainClient } from "../../src/chain/ports.ts";
import type { Timers } from "../../src/async/timers.ts";
import { MemoryIndex } from "../helpers/memory-index.ts";

const POLL_MS = 100;

/** A chain in virtual time that makes an empty block every so often, and waits for an indexer to look at it. */
class PacedChain {
  readonly #blockMs: number;
  readonly #listeners = new Set<() => void>();
  readonly #timers = new Set<{ readonly atMs: number; run: () => void }>();
  #nowMs = 0;
  /** When somebody asked for the head. */
  readonly looks: number[] = [];

  constructor(options: { readonly blockMs: number }) {
    this.#blockMs = options.blockMs;
  }

  readonly timers: Timers = {
    now: () => this.#nowMs,
    after: (ms, run) => {
      const timer = { atMs: this.#nowMs + ms, run };
      this.#timers.add(timer);
      return () => {
        this.#timers.delete(timer);
      };
    },
  };

  readonly client: ChainClient = {
    request: async (method, [block]) => {
      await Promise.resolve();
      if (method === "eth_chainId") return "0x7a69";
      if (method !== "eth_getBlockByNumber") return [];
      if (block === "latest") this.looks.push(this.#nowMs);
      return this.#header(block === "latest" ? this.height : Number(block));
    },
    onHead: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    close: async () => {
      await Promise.resolve();
    },
  };

  get height(): number {
    return Math.floor(this.#nowMs / this.#blockMs);
  }

  /** Lets time pass. Everybody has all the time he needs for what he does at once. */
  async pass(ms: number, { isTold = false } = {}): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (; this.#nowMs <= untilMs; this.#nowMs++) {
      if (isTold && this.#nowMs % this.#blockMs === 0)
        for (const listener of this.#listeners) listener();
      for (const timer of this.#timers)
        if (timer.atMs <= this.#nowMs) {
          this.#timers.delete(timer);
          timer.run();
        }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #header(number: number): object {
    const hash = (n: number): string =>
      `0x${(n + 1).toString(16).padStart(64, "0")}`;
    return {
      number: `0x${number.toString(16)}`,
      hash: hash(number),
      parentHash: hash(number - 1),
      timestamp: `0x${number.toString(16)}`,
      baseFeePerGas: "0x1",
    };
  }
}

/** How often an indexer looked in two seconds of a chain, and how long it knew nothing of a block, on average. */
async function follow(
  blockMs: number,
  options: { readonly isTold?: boolean; readonly pollMs?: number } = {},
): Promise<{ readonly looks: number; readonly lateMs: number }> {
  const { pollMs = POLL_MS, ...told } = options;
  const chain = new PacedChain({ blockMs });
  const index = new MemoryIndex();
  const indexer = index.open(
    chain.client,
    { fromBlock: 0, pollMs },
    { timers: chain.timers },
  );
  indexer.start();
  await chain.pass(1_000, told);
  const looksBefore = chain.looks.length;
  let lateMs = 0;
  for (let ms = 0; ms < 2_000; ms++) {
    await chain.pass(0, told);
    if (index.height < chain.height) lateMs += 1;
  }
  const looks = chain.looks.length - looksBefore;
  const stopped = indexer.stop();
  await chain.pass(2 * pollMs);
  await stopped;
  return { looks, lateMs: lateMs / (2_000 / blockMs) };
}

describe("runtime: how often the indexer looks for blocks", function () {
  this.timeout(30_000);

  for (const blockMs of [30, 40, 60, 75, 100, 130])
    it(`looks little more than once for a block that comes every ${blockMs} ms, and soon after it`, async () => {
      const { looks, lateMs } = await follow(blockMs);
      // Where a block takes longer than the longest wait, there is a look in between.
      const most = blockMs > POLL_MS ? 2.7 : 1.6;
      expect(looks / (2_000 / blockMs)).to.be.within(1, most);
      expect(lateMs).to.be.at.most(Math.max(10, blockMs / 6));
    });

  it("looks no more often than every ten milliseconds, however fast blocks come", async () => {
    const { looks } = await follow(5);
    expect(looks).to.be.within(150, 200);
  });

  it("looks as often as it is told where blocks are slow", async () => {
    const { looks } = await follow(2_000);
    expect(looks).to.be.within(18, 24);
  });

  it("looks as often as it is told where that is more often still", async () => {
    const { looks } = await follow(100, { pollMs: 4 });
    expect(looks).to.be.within(400, 500);
  });

  it("leaves a chain alone that tells of its blocks", async () => {
    const { looks, lateMs } = await follow(50, { isTold: true });
    expect(lateMs).to.be.below(2);
    expect(looks).to.be.within(35, 60);
  });
});
