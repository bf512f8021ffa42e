import type { Timers } from "../async/timers.ts";
import type { ChainClient } from "../chain/ports.ts";
import type { NodeFact } from "../node/ports.ts";
import { ChainTime } from "./chain-time.ts";
import type { SyncStatus } from "./judge.ts";

/** How the work of a replica goes, besides following or writing the log. */
export type Progress = Pick<
  SyncStatus,
  "height" | "hasChainTrouble" | "hasPayerTrouble" | "oldestDispatchMs"
>;

/** Own intents on their way that are remembered; if there are more, the oldest of those is old enough. */
const DISPATCHES_MAX = 10_000;
/** An account does not become empty unnoticed within this time. */
const BALANCE_MS = 10_000;

interface ReplicaProgressPorts {
  readonly timers: Timers;
  /** The replica's own way to the chain. */
  readonly client: Pick<ChainClient, "request">;
  /** What the node has indexed, if it runs here. */
  readonly indexedHeight: () => number | undefined;
}

/** Looks at what a supervisor wants to know: at an active replica from the node's own facts, at a passive one by asking the chain. */
export class ReplicaProgress {
  readonly #options: { readonly payer: string; readonly waitMs: number };
  readonly #ports: ReplicaProgressPorts;
  readonly #chainTime: ChainTime;
  /** When they were dispatched, in the time of the chain. */
  readonly #dispatched = new Map<string, number>();
  readonly #payers = new Set<string>();
  #hasChainTrouble = false;
  #balance: { readonly isEmpty: boolean; readonly atMs: number } | undefined;

  constructor(
    options: {
      readonly payer: string;
      /** How long the chain may take to answer. */
      readonly waitMs: number;
    },
    ports: ReplicaProgressPorts,
  ) {
    this.#options = options;
    this.#ports = ports;
    this.#chainTime = new ChainTime(ports);
  }

  see(fact: NodeFact): void {
    const { type } = fact;
    if (type === "Started") {
      this.#hasChainTrouble = false;
      this.#payers.clear();
      this.#dispatched.clear();
    } else if (type === "ChainTrouble")
      this.#hasChainTrouble = fact.reason !== undefined;
    else if (type === "PayerTrouble") {
      if (fact.reason === undefined) this.#payers.delete(fact.payer);
      else this.#payers.add(fact.payer);
    } else if (type === "IntentDispatched") this.#remember(fact.id);
    else if (type === "Settled")
      this.#dispatched.delete(fact.settlement.intentId);
  }

  /** It may be told again. */
  #remember(id: string): void {
    const isFull = this.#dispatched.size >= DISPATCHES_MAX;
    if (!isFull && !this.#dispatched.has(id))
      this.#dispatched.set(id, this.#chainTime.now());
  }

  async read(): Promise<Progress> {
    const indexed = this.#ports.indexedHeight();
    return indexed === undefined
      ? await this.#readPassive()
      : await this.#readActive(indexed);
  }

  async #readActive(height: number): Promise<Progress> {
    const head = await this.#head();
    const [oldest] = this.#dispatched.values();
    const { movedMs } = this.#chainTime;
    return {
      height,
      hasChainTrouble: this.#hasChainTrouble || head === undefined,
      hasPayerTrouble: this.#payers.size > 0,
      oldestDispatchMs:
        oldest === undefined ? null : Math.max(0, movedMs - oldest),
    };
  }

  async #readPassive(): Promise<Progress> {
    const height = await this.#head();
    return {
      height: height ?? null,
      hasChainTrouble: height === undefined,
      hasPayerTrouble: await this.#isEmpty(),
      oldestDispatchMs: null,
    };
  }

  async #head(): Promise<number | undefined> {
    const answer = await this.#ask("eth_blockNumber", []);
    const isNumber = typeof answer === "string" && /^0x[\da-f]+$/i.test(answer);
    if (!isNumber) return undefined;
    const head = Number(answer);
    this.#chainTime.see(head);
    return head;
  }

  async #isEmpty(): Promise<boolean> {
    const { timers } = this.#ports;
    const known = this.#balance;
    if (known !== undefined && timers.now() - known.atMs < BALANCE_MS)
      return known.isEmpty;
    const { payer } = this.#options;
    const answer = await this.#ask("eth_getBalance", [payer, "latest"]);
    if (typeof answer !== "string") return known?.isEmpty ?? false;
    const isEmpty = /^0x0*$/.test(answer);
    this.#balance = { isEmpty, atMs: timers.now() };
    return isEmpty;
  }

  /** Undefined if there is no answer in time. */
  async #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { client, timers } = this.#ports;
    let cancel: () => void = () => undefined;
    const late = new Promise<undefined>((resolve) => {
      cancel = timers.after(this.#options.waitMs, () => {
        resolve(undefined);
      });
    });
    try {
      return await Promise.race([client.request(method, params), late]);
    } catch {
      return undefined;
    } finally {
      cancel();
    }
  }
}
