import { expect } from "chai";

import { CarefulRequests } from "../../src/chain/client/careful.ts";
import { deadlineOf } from "../../src/chain/client/limits.ts";
import { RateLimit } from "../../src/chain/client/rate-limit.ts";
import { ChainError, type ChainClient } from "../../src/chain/ports.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { MemoryIndex } from "../helpers/memory-index.ts";

const STEP_MS = 50;
const MINUTE_MS = 60_000;
const FACTORY = `0x${"fa".repeat(20)}`;

interface ChainOptions {
  readonly version: string;
  /** Whether a slot has a block. */
  readonly hasBlock: (slot: number) => boolean;
  readonly blockMs: number;
  readonly isTold: boolean;
}

const usual: ChainOptions = {
  version: "Geth/v1.16.7",
  hasBlock: () => true,
  blockMs: 12_000,
  isTold: false,
};

/** A chain in virtual time with a block every so often, and an indexer that follows it as it sees fit. */
class FollowedChain {
  readonly #timers = new FakeTimers();
  readonly #index = new MemoryIndex();
  readonly #client: ChainClient;
  readonly #listeners = new Set<() => void>();
  readonly #options: ChainOptions;
  readonly #slots: number[] = [0];
  #nowMs = 0;
  #requests = 0;
  isHanging = false;
  /** How often somebody asked for the head. */
  looks = 0;
  /** The longest time for which a block was not known. */
  lateMs = 0;

  constructor(options: Partial<ChainOptions> = {}) {
    this.#options = { ...usual, ...options };
    const requests = new CarefulRequests(
      { name: "the chain", deadlineOf: (method) => deadlineOf(method, 1e9) },
      {
        timers: this.#timers,
        rateLimit: new RateLimit({ timers: this.#timers }),
        onRequest: () => this.#requests++,
        attempt: async (method, [block]) => {
          if (this.isHanging) await new Promise(() => undefined);
          await Promise.resolve();
          return this.#answer(method, block);
        },
      },
    );
    this.#client = {
      request: requests.request,
      onHead: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      close: async () => {
        await Promise.resolve();
      },
    };
  }

  get hasTrouble(): boolean {
    return this.#index.troubles.at(-1) !== undefined;
  }

  /** Starts to follow, and lets what must be learned be learned. */
  async start({ pollMs }: { readonly pollMs?: number } = {}): Promise<void> {
    this.#index
      .open(
        this.#client,
        { fromBlock: 0, pollMs, factory: FACTORY },
        { timers: this.#timers },
      )
      .start();
    await this.pass(2 * MINUTE_MS);
    this.lateMs = 0;
  }

  /** Lets time pass; how many requests were made meanwhile. */
  async pass(ms: number): Promise<number> {
    const before = this.#requests;
    const { blockMs, hasBlock, isTold } = this.#options;
    for (const endMs = this.#nowMs + ms; this.#nowMs < endMs;) {
      this.#nowMs += STEP_MS;
      if (this.#nowMs % blockMs === 0 && hasBlock(this.#nowMs / blockMs))
        this.mine({ isTold });
      this.#timers.advance(STEP_MS);
      for (let i = 0; i < 3; i++)
        await new Promise((resolve) => setImmediate(resolve));
      const behind = this.#slots[this.#index.height + 1];
      if (behind !== undefined)
        this.lateMs = Math.max(this.lateMs, this.#nowMs - behind);
    }
    return this.#requests - before;
  }

  mine({ isTold }: { readonly isTold: boolean }): void {
    this.#slots.push(this.#nowMs);
    if (isTold) for (const listener of this.#listeners) listener();
  }

  #answer(method: string, block: unknown): unknown {
    if (block === "latest") this.looks += 1;
    if (method === "eth_chainId") return "0x7a69";
    if (method === "web3_clientVersion") return this.#options.version;
    if (method === "eth_getLogs" || method === "eth_getBlockReceipts")
      return [];
    if (!method.startsWith("eth_getBlockBy"))
      throw new ChainError("refused", `There is no ${method}.`);
    const head = this.#slots.length - 1;
    const isHash = method === "eth_getBlockByHash";
    const number = block === "latest" ? head : Number(block) - (isHash ? 1 : 0);
    const hash = (n: number): string =>
      `0x${(n + 1).toString(16).padStart(64, "0")}`;
    const seconds = Math.floor((this.#slots[number] ?? 0) / 1_000);
    return {
      number: `0x${number.toString(16)}`,
      hash: hash(number),
      parentHash: hash(number - 1),
      timestamp: `0x${(1_700_000_000 + seconds).toString(16)}`,
      logsBloom: `0x${"0".repeat(512)}`,
      baseFeePerGas: "0x1",
    };
  }
}

describe("runtime: how often an indexer asks a chain", function () {
  this.timeout(60_000);

  for (const [name, settings] of [
    ["with a block every 12 seconds", {}],
    [
      "with some slots without a block",
      { hasBlock: (slot: number): boolean => slot % 5 !== 0 },
    ],
    ["that tells of its blocks", { isTold: true }],
    ["of Anvil with such blocks", { version: "anvil/v1.7.1" }],
  ] as const)
    it(`asks a chain ${name} at most 15 times in a minute`, async () => {
      const chain = new FollowedChain(settings);
      await chain.start();
      for (let minute = 0; minute < 10; minute++)
        expect(await chain.pass(MINUTE_MS)).to.be.at.most(15);
      expect(chain.lateMs).to.be.below(12_000);
    });

  it("finds a block within the time to the next, where blocks come faster", async () => {
    const chain = new FollowedChain({ blockMs: 2_000 });
    await chain.start();
    await chain.pass(MINUTE_MS);
    expect(chain.lateMs).to.be.below(2_000);
  });

  for (const pollMs of [1_000, 10_000, 60_000])
    it(`looks no more often than every ${pollMs} ms where that is wanted`, async () => {
      const chain = new FollowedChain();
      await chain.start({ pollMs });
      const minutes = 10;
      const before = chain.looks;
      await chain.pass(minutes * MINUTE_MS);
      expect(chain.looks - before).to.be.at.most(
        (minutes * MINUTE_MS) / pollMs + 1,
      );
    });

  it("asks a chain that stands still every few seconds", async () => {
    const chain = new FollowedChain({ hasBlock: (slot) => slot < 5 });
    await chain.start();
    expect(await chain.pass(MINUTE_MS)).to.be.at.most(15);
  });

  it("finds a block at once on a simulated chain that makes them on demand", async () => {
    const chain = new FollowedChain({
      version: "HardhatNetwork/3.17.0/@nomicfoundation/edr",
      hasBlock: () => false,
    });
    await chain.start();
    chain.mine({ isTold: false });
    await chain.pass(1_000);
    expect(chain.lateMs).to.be.below(200);
  });

  it("notices within 15 seconds that a chain hangs, whenever it begins", async () => {
    for (let beginMs = 0; beginMs < 12_000; beginMs += 1_500) {
      const chain = new FollowedChain();
      await chain.start();
      await chain.pass(beginMs);
      chain.isHanging = true;
      await chain.pass(15_000);
      expect(chain.hasTrouble, `after ${beginMs} ms`).to.equal(true);
    }
  });
});
