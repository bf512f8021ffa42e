import { openChainClient } from "../../../src/chain/client/open.ts";
import { ChainError, type ChainClient } from "../../../src/chain/ports.ts";
import { impatientTimers } from "../impatient-timers.ts";
import type { Random } from "../random.ts";
import { absurdAnswer, canBeAbsurd } from "./absurd.ts";
import type { ChainRecord, RecordedBlock } from "./record.ts";
import { answerAt } from "./view.ts";

/** How likely each fault is, for one request that it can hit. */
export interface FarmFaults {
  /** `eth_getLogs` finds nothing. */
  readonly hideLogs: number;
  /** There is no receipt. */
  readonly loseReceipts: number;
  /** There is no such block. */
  readonly loseBlocks: number;
  /** Too many requests: HTTP status 429, or code -32005. */
  readonly rateLimit: number;
  /** No answer, until the client gives up. */
  readonly hang: number;
  /** A number that cannot be true, as the head, a nonce, a fee or a balance; or no answer at all to what was asked. */
  readonly absurd: number;
  /** The backend is another chain, for this request and some that follow. */
  readonly stray: number;
}

export const noFaults: FarmFaults = {
  hideLogs: 0,
  loseReceipts: 0,
  loseBlocks: 0,
  rateLimit: 0,
  hang: 0,
  absurd: 0,
  stray: 0,
};

export interface FarmOptions {
  readonly backends: number;
  /** How many heads a backend may be behind. */
  readonly lagMax: number;
  readonly faults?: Partial<FarmFaults>;
  /** The chain that backends stray to. */
  readonly strayTo?: ChainClient | undefined;
  /** After so long a client gives up a request that hangs. */
  readonly deadlineMs?: number;
}

/** A backend that is another chain answers at most so many requests as such. */
const STRAY_REQUESTS_MAX = 30;
/** How long the client that ships waits for an answer here, as its timers count. */
const CLIENT_TIMEOUT_MS = 50_000;

/**
 * A farm of backends behind one address. Each backend has a whole but older view of the chain, which never goes back; another
 * one answers each request. The same seed gives the same answers to the same requests in the same order.
 */
export class ChainFarm implements ChainClient {
  readonly #options: Required<FarmOptions> & { readonly faults: FarmFaults };
  readonly #record: ChainRecord;
  readonly #random: Random;
  /** For each backend the number of its head among all heads that there were. */
  readonly #positions: number[];
  /** For each backend how many requests it still answers as another chain. */
  readonly #strays: number[];
  /** Faults happen only while this is true. */
  hasFaults = true;
  /** Backends are late only while this is true. */
  isLate = true;
  /** Nothing is answered at all while this is true. */
  isHanging = false;
  /** Another chain is behind the same address. */
  elsewhere: ChainClient | undefined;
  #open = 0;
  /** By method, how often it was asked. */
  readonly asked = new Map<string, number>();

  constructor(
    options: FarmOptions,
    ports: { readonly record: ChainRecord; readonly random: Random },
  ) {
    this.#options = {
      strayTo: undefined,
      deadlineMs: 20,
      ...options,
      faults: { ...noFaults, ...options.faults },
    };
    this.#record = ports.record;
    this.#random = ports.random;
    this.#positions = Array.from({ length: options.backends }, () => 0);
    this.#strays = Array.from({ length: options.backends }, () => 0);
  }

  /** The client that ships, in front of this farm. It hardly waits when the farm wants fewer requests. */
  openClient(): ChainClient {
    return openChainClient(
      {
        request: async ({ method, params }) =>
          await this.request(method, params),
      },
      { timeoutMs: CLIENT_TIMEOUT_MS, timers: impatientTimers },
    );
  }

  get requests(): number {
    return [...this.asked.values()].reduce((sum, count) => sum + count, 0);
  }

  /** How far each backend is behind, in heads. */
  get lags(): readonly number[] {
    const last = this.#record.heads.length - 1;
    return this.#positions.map((position) => last - position);
  }

  readonly request: ChainClient["request"] = async (method, params) => {
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    this.#open += 1;
    try {
      return await this.#answer(method, params);
    } finally {
      this.#open -= 1;
    }
  };

  /** Requests that are not answered yet. */
  get open(): number {
    return this.#open;
  }

  readonly #answer: ChainClient["request"] = async (method, params) => {
    // All is drawn at once, so that it depends on the order of requests alone.
    const backend = this.#random.below(this.#options.backends);
    const steps = this.#random.below(3);
    const fault = this.#faultFor(method);
    const strays = this.#random.below(STRAY_REQUESTS_MAX);
    if (this.isHanging || fault === "hang") await this.#giveUp();
    if (this.elsewhere !== undefined)
      return await this.elsewhere.request(method, params);
    const { strayTo } = this.#options;
    if (fault === "stray") this.#strays[backend] = 1 + strays;
    if (strayTo !== undefined && this.#isAstray(backend))
      return await strayTo.request(method, params);
    if (fault === "rateLimit") throw tooMany(steps);
    await this.#record.sync();
    const head = this.#move(backend, steps);
    const answer = await answerAt(head, this.#record.client, method, params);
    switch (fault) {
      case "hideLogs":
        return [];
      case "loseReceipts":
      case "loseBlocks":
        return null;
      case "absurd":
        return absurdAnswer(method, answer, this.#random);
      case "hang":
      case "stray":
      case undefined:
        return answer;
    }
  };

  readonly onHead: ChainClient["onHead"] = () => () => undefined;

  readonly close: ChainClient["close"] = async () => {
    await Promise.resolve();
  };

  /** Whether a backend is another chain, for one request more. */
  #isAstray(backend: number): boolean {
    const left = this.#strays[backend] ?? 0;
    this.#strays[backend] = this.hasFaults ? Math.max(0, left - 1) : 0;
    return this.hasFaults && left > 0;
  }

  /** The head of a backend, after it has caught up a little. */
  #move(backend: number, steps: number): RecordedBlock {
    const { heads } = this.#record;
    const last = heads.length - 1;
    const position = Math.min(
      last,
      Math.max(
        (this.#positions[backend] ?? 0) + steps,
        last - (this.isLate ? this.#options.lagMax : 0),
      ),
    );
    this.#positions[backend] = position;
    const head = heads[position];
    if (head === undefined) throw new Error("The chain has no head.");
    return head;
  }

  #faultFor(method: string): keyof FarmFaults | undefined {
    const { faults } = this.#options;
    const drawn = (Object.keys(faults) as (keyof FarmFaults)[]).filter(
      (fault) => this.#random.chance(faults[fault]),
    );
    return this.hasFaults
      ? drawn.find((fault) => this.#canHit(fault, method))
      : undefined;
  }

  #canHit(fault: keyof FarmFaults, method: string): boolean {
    switch (fault) {
      case "hideLogs":
        return method === "eth_getLogs";
      case "loseReceipts":
        return /Receipts?$/.test(method);
      case "loseBlocks":
        return method.startsWith("eth_getBlockBy");
      case "absurd":
        return canBeAbsurd(method);
      case "rateLimit":
      case "hang":
      case "stray":
        return true;
    }
  }

  async #giveUp(): Promise<never> {
    const { deadlineMs } = this.#options;
    await new Promise((resolve) => setTimeout(resolve, deadlineMs));
    throw new ChainError("unreachable", "It did not answer in time.");
  }
}

function tooMany(kind: number): ChainError {
  return kind === 0
    ? new ChainError("unreachable", "Too Many Requests", { code: 429 })
    : new ChainError("refused", "limit exceeded", { code: -32005 });
}
