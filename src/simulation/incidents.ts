import type { NodeName } from "../protocol/ids.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import type { Node } from "./node.ts";
import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";
import type { Settings } from "./settings.ts";

/** What can be done to the world, besides to its nodes. */
export interface IncidentPorts {
  readonly queue: Queue;
  readonly random: Random;
  readonly faults: FaultCounter;
  readonly plan: () => FaultPlan;
  readonly nodes: readonly Node[];
  /** The indexer of a node reads nothing for a while. */
  readonly stall: (index: number, ms: number) => void;
  readonly reorganise: () => void;
  readonly lie: () => void;
  /** Members that lie for as long as there is anything to do. */
  readonly liars: ReadonlySet<NodeName>;
  readonly say: (line: () => string) => void;
}

/** What happens to nodes and to the chain at random times, until everything heals. */
export class Incidents {
  readonly #settings: Settings;
  readonly #ports: IncidentPorts;
  #isOver = false;
  #isLiedTo = true;

  constructor(settings: Settings, ports: IncidentPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  start(): void {
    const { random, faults, plan, nodes } = this.#ports;
    this.#killSome();
    this.#sometimes("crashEveryMs", () => {
      faults.count("crash");
      random.pick(nodes).crash();
    });
    this.#sometimes("freezeEveryMs", () => {
      faults.count("freeze");
      const ms = random.tail(plan().freezeMs) + 1;
      random.pick(nodes).freeze(ms);
    });
    this.#sometimes("stallEveryMs", () => {
      faults.count("indexer-stall");
      const ms = random.tail(plan().stallMs);
      this.#ports.stall(random.below(nodes.length), ms);
    });
    this.#sometimes("reorgEveryMs", this.#ports.reorganise);
    this.#sometimes("lieEveryMs", this.#ports.lie);
  }

  /** Nothing happens any more, but perhaps lies. */
  heal({ isLiedTo }: { readonly isLiedTo: boolean }): void {
    this.#isOver = true;
    this.#isLiedTo = isLiedTo;
  }

  /** Some members die for good: never so many that the rest cannot endorse, or that nobody may coordinate. */
  #killSome(): void {
    const { queue, random, faults, plan, nodes, say } = this.#ports;
    const { config, healMs } = this.#settings;
    const { liars } = this.#ports;
    const honest = config.committee.filter((name) => !liars.has(name));
    const spare = honest.length - config.threshold;
    const count = Math.round(plan().dead * spare);
    const mortal = random
      .shuffle(nodes)
      .filter(({ name }) => !config.pool.includes(name) && !liars.has(name));
    for (const node of mortal.slice(0, count))
      queue.after(random.below(healMs), () => {
        faults.count("death");
        say(() => `${node.name} dies`);
        node.die();
      });
  }

  #sometimes(every: keyof FaultPlan, happen: () => void): void {
    const { queue, random, plan } = this.#ports;
    const meanMs = plan()[every];
    if (meanMs === 0) return;
    queue.after(random.tail(meanMs) + 1, () => {
      const isLie = every === "lieEveryMs" && this.#isLiedTo;
      if (this.#isOver && !isLie) return;
      happen();
      this.#sometimes(every, happen);
    });
  }
}
