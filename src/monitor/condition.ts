import type { NodeFact } from "../node/ports.ts";
import type { MonitorPorts } from "./ports.ts";
import { findOutOfReach } from "./reach.ts";

/** Why a node is not ready. Words of our own only: what an error says may be private, and is in the log. */
export interface Reason {
  readonly code:
    | "failed"
    | "starting"
    | "stopping"
    | "passive"
    | "store-closed"
    | "chain-trouble"
    | "chain-unseen"
    | "indexer-behind"
    | "no-quorum"
    | "unknown";
  readonly text: string;
}

/** What counts as ready. */
export interface ReadyOptions {
  /** Blocks that the indexer may be behind. */
  readonly behindBlocksMax: number;
  /** One that is further behind is still ready if it indexed a block so lately. */
  readonly blockAgeMsMax: number;
}

export const readyDefaults: ReadyOptions = {
  behindBlocksMax: 10,
  blockAgeMsMax: 5_000,
};

type ConditionPorts = Pick<
  MonitorPorts,
  "isPassive" | "load" | "isStoreOpen" | "status" | "peers"
>;

/** Whether a node works, and whether it can serve users now. */
export class Condition {
  readonly #options: ReadyOptions;
  readonly #ports: ConditionPorts;
  readonly #now: () => number;
  #failure: Reason | undefined;
  #isStarted = false;
  #isStopping = false;
  #hasChainTrouble = false;
  #blockMs: number | undefined;
  #startMs: number;

  constructor(
    options: ReadyOptions,
    ports: ConditionPorts & {
      readonly now: () => number;
    },
  ) {
    this.#options = options;
    this.#ports = ports;
    this.#now = ports.now;
    this.#startMs = ports.now();
  }

  see(fact: NodeFact): void {
    if (fact.type === "Started") {
      this.#isStarted = true;
      this.#startMs = this.#now();
      // What a node saw that ran here before is old: a replica may become active again.
      this.#blockMs = undefined;
      this.#hasChainTrouble = false;
    }
    if (fact.type === "BlockSeen") this.#blockMs = this.#now();
    if (fact.type === "ChainTrouble")
      this.#hasChainTrouble = fact.reason !== undefined;
  }

  fail(error: unknown): void {
    this.#failure = { code: "failed", text: `${kindOf(error)} stopped it.` };
  }

  stop(): void {
    this.#isStopping = true;
  }

  /** Milliseconds since a block was indexed, or since the start. */
  get blockAgeMs(): number {
    return Math.max(0, this.#now() - (this.#blockMs ?? this.#startMs));
  }

  /** Why it does not work; undefined if it does. */
  get failure(): Reason | undefined {
    return this.#failure;
  }

  /** All that is in the way of serving users. */
  unreadiness(): readonly Reason[] {
    const reasons: Reason[] = [];
    if (this.#failure !== undefined) reasons.push(this.#failure);
    if (this.#isStopping)
      reasons.push({ code: "stopping", text: "It is stopping." });
    return [...reasons, ...this.#troubles()];
  }

  /** Reasons of a node that neither failed nor stops. A passive replica has no node that could have others. */
  #troubles(): readonly Reason[] {
    const reasons: Reason[] = [];
    try {
      if (this.#ports.isPassive?.() === true)
        return [{ code: "passive", text: "Another replica of it is active." }];
      if (!this.#isStarted)
        reasons.push({ code: "starting", text: "It has not started yet." });
      if (this.#hasChainTrouble)
        reasons.push({
          code: "chain-trouble",
          text: "The chain does not answer as it should.",
        });
      if (this.#ports.isStoreOpen?.() === false)
        reasons.push({ code: "store-closed", text: "Its store is closed." });
      const lag = this.#lag();
      if (lag !== undefined) reasons.push(lag);
      // A node that has not started has no status.
      const stuck = this.#isStarted ? findOutOfReach(this.#ports) : undefined;
      if (stuck !== undefined) reasons.push(stuck);
    } catch {
      // Whoever cannot be asked is not ready; why that is does not belong here.
      reasons.push({ code: "unknown", text: "It cannot be asked." });
    }
    return reasons;
  }

  #lag(): Reason | undefined {
    const { behindBlocksMax, blockAgeMsMax } = this.#options;
    const isLate =
      this.#blockMs === undefined || this.blockAgeMs > blockAgeMsMax;
    const behind = this.#ports.load?.().behindBlocks;
    if (behind === undefined)
      return this.#blockMs === undefined
        ? {
            code: "chain-unseen",
            text: "It has not seen the chain since it started.",
          }
        : undefined;
    return behind > behindBlocksMax && isLate
      ? {
          code: "indexer-behind",
          text: `It is ${behind} blocks behind, and ${behindBlocksMax} are allowed.`,
        }
      : undefined;
  }
}

/** What kind of error it is, in words that cannot hold anything private. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "An error";
  const code: unknown = Reflect.get(error, "code");
  const isPlain = /^[A-Za-z]{1,40}$/.test(error.name);
  const name = isPlain ? error.name : "Error";
  return typeof code === "string" && /^[A-Z][A-Z_]{0,39}$/.test(code)
    ? `${name} ${code}`
    : name;
}
