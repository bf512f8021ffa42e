import type { Chain } from "./chain.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import type { Invariants } from "./invariants.ts";
import type { Node } from "./node.ts";
import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";

/** What mining and indexing need of the world. */
export interface BlockFeedPorts {
  readonly queue: Queue;
  readonly random: Random;
  readonly faults: FaultCounter;
  readonly plan: () => FaultPlan;
  readonly chain: Chain;
  readonly nodes: readonly Node[];
  readonly invariants: Invariants;
  readonly say: (line: () => string) => void;
}

/** Mines blocks and brings them to the nodes: late to some, and sometimes others than before. */
export class BlockFeed {
  readonly #blockMs: number;
  readonly #confirmations: number;
  readonly #ports: BlockFeedPorts;
  /** Until when the indexer of a node reads nothing. */
  readonly #stalledUntil: number[];

  constructor(
    options: { readonly blockMs: number; readonly confirmations: number },
    ports: BlockFeedPorts,
  ) {
    this.#blockMs = options.blockMs;
    this.#confirmations = options.confirmations;
    this.#ports = ports;
    this.#stalledUntil = ports.nodes.map(() => 0);
  }

  /** Mines for ever. */
  start(): void {
    const { queue, random, chain, say } = this.#ports;
    const delayMs = random.between(this.#blockMs * 0.5, this.#blockMs * 1.5);
    queue.after(delayMs, () => {
      const { height, transactions } = chain.mine();
      if (transactions.length > 0)
        say(
          () =>
            `block ${height}: ${transactions.map(({ dispatch, refusal }) => `${dispatch.bundle.digest.slice(2, 8)} ${refusal ?? "ok"}`).join(", ")}`,
        );
      this.#announce();
      this.start();
    });
  }

  heal(): void {
    this.#stalledUntil.fill(0);
  }

  /** A node's indexer reads nothing for a while. */
  stall(index: number, ms: number): void {
    this.#stalledUntil[index] = this.#ports.queue.now + ms;
  }

  /** A node's indexer reads as far as it can. */
  index(node: Node): void {
    const { queue, chain } = this.#ports;
    if (queue.now < (this.#stalledUntil[node.index] ?? 0)) return;
    const heightMax = chain.height - this.#confirmations + 1;
    while (node.isUp && !node.isWaiting) {
      const event = node.nextIndexed(heightMax);
      if (event === undefined) return;
      node.tell(event);
    }
  }

  /** The last blocks are replaced: rarely so many that some were taken as final. */
  reorganise(): void {
    const { random, faults, plan, chain, invariants, say } = this.#ports;
    const isDeep = random.chance(plan().deepReorg);
    const depth = isDeep
      ? this.#confirmations + random.below(4)
      : random.below(this.#confirmations);
    if (depth === 0) return;
    faults.count(isDeep ? "reorg-deep" : "reorg");
    say(() => `the last ${depth} blocks are replaced`);
    if (isDeep) invariants.shaken();
    chain.reorganise(depth);
    this.#announce();
  }

  #announce(): void {
    const { queue, random, plan, nodes } = this.#ports;
    for (const node of nodes) {
      const meanMs = plan().indexerLagMs;
      const lagMs = meanMs > 0 ? random.tail(meanMs) : 0;
      queue.after(lagMs + random.between(1, 30), () => {
        this.index(node);
      });
    }
  }
}
