import type { IntentId } from "../protocol/ids.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Chain } from "./chain.ts";
import type { Invariants } from "./invariants.ts";
import type { Node } from "./node.ts";
import type { Queue } from "./queue.ts";
import type { Wish } from "./workload.ts";

/** Milliseconds after which a user asks his node again. */
const patienceMs = 2_000;

/** Those who want something, and do not give up. */
export class Users {
  /** Intents that a node said yes to, and those that it refused. */
  readonly accepted = new Set<IntentId>();
  readonly refused = new Set<IntentId>();
  /** Intents that the domain parks, because their users have not said that they are ready. */
  readonly parked = new Set<IntentId>();
  /** Intents that were prepared, and whose users executed them. */
  readonly executed = new Set<IntentId>();
  readonly #wishes: readonly Wish[];
  readonly #ports: {
    readonly queue: Queue;
    readonly nodes: readonly Node[];
    readonly invariants: Invariants;
    readonly chain: Chain;
  };

  constructor(
    options: { readonly wishes: readonly Wish[] },
    ports: {
      readonly queue: Queue;
      readonly nodes: readonly Node[];
      readonly invariants: Invariants;
      readonly chain: Chain;
    },
  ) {
    this.#wishes = options.wishes;
    this.#ports = ports;
    for (const { isParked, intent } of options.wishes)
      if (isParked) this.parked.add(intent.id);
  }

  start(): void {
    const { queue } = this.#ports;
    for (const wish of this.#wishes) {
      queue.after(wish.atMs, () => {
        this.#ask(wish);
      });
      const { resumeAfterMs } = wish;
      const isResumed = wish.isParked || wish.mayPark;
      if (isResumed && resumeAfterMs !== undefined)
        queue.after(wish.atMs + resumeAfterMs, () => {
          this.#resume(wish, resumeAfterMs);
        });
    }
  }

  /** Asks again and again until the node says yes or no. */
  #ask(wish: Wish): void {
    const { intent } = wish;
    if (this.accepted.has(intent.id) || this.refused.has(intent.id)) return;
    const node = this.#ports.nodes[wish.node];
    node?.tell({
      type: "IntentSubmitted",
      intent,
      fulfilled: [],
      reverted: [],
    });
    this.#ports.queue.after(patienceMs, () => {
      this.#ask(wish);
    });
  }

  /** What was prepared arrives, perhaps once more. Some users execute it themselves. */
  prepared({
    id,
    bundle,
    endorsements,
  }: Extract<Effect, { readonly type: "PreparedForUser" }>): void {
    const wish = this.#wishes.find(({ intent }) => intent.id === id);
    if (wish?.executeAfterMs === undefined || this.executed.has(id)) return;
    this.executed.add(id);
    this.#ports.queue.after(wish.executeAfterMs, () => {
      this.#ports.chain.execute({ bundle, endorsements });
    });
  }

  /** Says that it is ready, and looks again until it has ended: the node may be down, or crash. */
  #resume(wish: Wish, everyMs: number): void {
    const { id } = wish.intent;
    const { nodes, invariants, queue } = this.#ports;
    this.parked.delete(id);
    if (invariants.receiptOf(id) !== undefined) return;
    const node = nodes[wish.node];
    const record = node?.disk.records.get(`intent:${id}`);
    if (record?.kind === "intent" && record.parked !== undefined)
      node?.tell({ type: "IntentResumed", id });
    queue.after(everyMs, () => {
      this.#resume(wish, everyMs);
    });
  }
}
