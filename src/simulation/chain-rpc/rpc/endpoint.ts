import { RateLimited } from "../../../chain/client/rate-limit.ts";
import type { Attempt } from "../../../chain/client/careful.ts";
import { ChainError } from "../../../chain/ports.ts";
import type { Timers } from "../../../async/timers.ts";
import type { Random } from "../../random.ts";
import type { SimulatedLedger } from "../ledger.ts";
import {
  ABSURD_NUMBER,
  type ChainFault,
  type ChainFaults,
  drawFault,
  garbage,
  noChainFaults,
} from "./faults.ts";
import { answerAt } from "./view.ts";

/** A farm of backends behind one address. */
export interface EndpointOptions {
  readonly backends: number;
  /** How many heads a backend may be behind. */
  readonly lagMax: number;
  /** The least and the most that an answer takes, if nothing hangs. */
  readonly latencyMs: readonly [number, number];
  readonly faults: Partial<ChainFaults>;
  readonly clientVersion: string;
}

export const endpointDefaults: EndpointOptions = {
  backends: 1,
  lagMax: 0,
  latencyMs: [1, 20],
  faults: {},
  clientVersion: "Simulated/v1.0.0",
};

/** What a request draws when it is sent. */
interface Draw {
  readonly latencyMs: number;
  readonly backend: number;
  readonly steps: number;
  readonly fault: ChainFault | undefined;
}

/**
 * Answers requests after a while. Each backend has a whole but older view of the chain, which never goes back; another one
 * answers each request. A backend that is behind a reorganisation is still on the old branch.
 */
export class SimulatedEndpoint {
  readonly #options: EndpointOptions;
  readonly #ledger: SimulatedLedger;
  readonly #timers: Timers;
  readonly #random: Random;
  /** For each backend, how many heads of the chain it has seen. */
  readonly #heads: number[];
  /** How likely faults are. They may be changed at any time. */
  faults: ChainFaults;
  /** Faults happen only while this is true. */
  hasFaults = true;
  /** Backends are late only while this is true. */
  isLate = true;
  /** Nothing is answered at all while this is true. */
  isHanging = false;
  /** While set, another chain is behind the same address. */
  elsewhere: SimulatedLedger | undefined;

  constructor(
    options: Partial<EndpointOptions>,
    ports: {
      readonly ledger: SimulatedLedger;
      readonly timers: Timers;
      readonly random: Random;
    },
  ) {
    this.#options = { ...endpointDefaults, ...options };
    this.#ledger = ports.ledger;
    this.#timers = ports.timers;
    this.#random = ports.random;
    this.faults = { ...noChainFaults, ...this.#options.faults };
    const seen = this.#ledger.tree.heads.length;
    this.#heads = Array.from({ length: this.#options.backends }, () => seen);
  }

  /** How far each backend is behind, in heads. */
  get lags(): readonly number[] {
    const last = this.#ledger.tree.heads.length;
    return this.#heads.map((heads) => last - heads);
  }

  /** One attempt at a request. It rejects with a `ChainError`; one that hangs never ends. */
  readonly attempt: Attempt = async (method, params) => {
    const draw = this.#draw(method);
    return await new Promise((resolve, reject) => {
      if (this.isHanging || draw.fault === "hang") return;
      this.#timers.after(draw.latencyMs, () => {
        try {
          resolve(this.#answer(method, params, draw));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  };

  /** Tells of heads some time after they came. */
  onHead(listener: () => void): () => void {
    let isOver = false;
    const end = this.#ledger.onHead(() => {
      this.#timers.after(this.#latencyMs(), () => {
        if (!isOver && !this.isHanging) listener();
      });
    });
    return () => {
      isOver = true;
      end();
    };
  }

  /** All is drawn at once, so that it depends on the order of requests alone. */
  #draw(method: string): Draw {
    const random = this.#random;
    const latencyMs = this.#latencyMs();
    const backend = random.below(this.#options.backends);
    const steps = random.below(3);
    const fault = this.hasFaults
      ? drawFault(this.faults, method, random)
      : undefined;
    return { latencyMs, backend, steps, fault };
  }

  #latencyMs(): number {
    const [least, most] = this.#options.latencyMs;
    return this.#random.between(least, most);
  }

  #answer(
    method: string,
    params: readonly unknown[],
    { backend, steps, fault }: Draw,
  ): unknown {
    switch (fault) {
      case "rateLimit":
        throw steps === 0
          ? new RateLimited("the simulated chain")
          : new ChainError("refused", "limit exceeded", { code: -32005 });
      case "fail":
        throw new ChainError("refused", "internal error", { code: -32603 });
      case "loseRequests":
        throw unreachable("The request was lost.");
      case "hideLogs":
        return [];
      case "loseReceipts":
      case "loseBlocks":
        return null;
      case "absurd":
        return ABSURD_NUMBER;
      case "hang":
      case "dropTransactions":
      case "loseAnswers":
      case "garble":
      case undefined:
        break;
    }
    const answer = this.#ask(method, params, {
      heads: this.#move(backend, steps),
      dropsTransactions: fault === "dropTransactions",
    });
    if (fault === "loseAnswers") throw unreachable("The answer was lost.");
    return fault === "garble" ? this.#random.pick(garbage) : answer;
  }

  #ask(
    method: string,
    params: readonly unknown[],
    view: { readonly heads: number; readonly dropsTransactions: boolean },
  ): unknown {
    const { clientVersion } = this.#options;
    const { elsewhere } = this;
    return elsewhere === undefined
      ? answerAt(
          { ...view, ledger: this.#ledger, clientVersion },
          method,
          params,
        )
      : answerAt(
          {
            ...view,
            ledger: elsewhere,
            heads: elsewhere.tree.heads.length,
            clientVersion,
          },
          method,
          params,
        );
  }

  /** The heads that a backend has seen, after it has caught up a little. */
  #move(backend: number, steps: number): number {
    const last = this.#ledger.tree.heads.length;
    const lagMax = this.isLate ? this.#options.lagMax : 0;
    const before = this.#heads[backend] ?? 0;
    const heads = Math.min(last, Math.max(before + steps, last - lagMax, 1));
    this.#heads[backend] = heads;
    return heads;
  }
}

function unreachable(message: string): ChainError {
  return new ChainError("unreachable", message);
}
