import type { NodeName } from "../protocol/ids.ts";
import type { Sequencer } from "../protocol/sequencer.ts";
import { candidates } from "../protocol/turn.ts";
import type { FaultCounter } from "./faults.ts";
import type { Node } from "./node.ts";
import type { Queue } from "./queue.ts";
import { Random } from "./random.ts";
import type { Settings } from "./settings.ts";

/** Runs in which operators drain nodes, of those with all faults. */
const CHANCE = 0.25;
/** Of these, in which one node is drained for good. */
const FOR_GOOD = 0.5;

interface DrainPorts {
  readonly queue: Queue;
  readonly nodes: readonly Node[];
  readonly faults: FaultCounter;
  readonly say: (line: () => string) => void;
  /** Those who go on lying after everything has healed. */
  readonly liars: ReadonlySet<NodeName>;
}

/** Operators, who let nodes leave the role of the coordinator to others. A node that starts again takes part again. */
export class Drains {
  readonly #settings: Pick<Settings, "faults" | "spanMs">;
  readonly #ports: DrainPorts;
  readonly #random: Random;
  /** The one that is drained for good. */
  readonly #leaver: Node | undefined;
  readonly #isOn: boolean;
  readonly #told = new WeakMap<Sequencer, boolean>();
  #isHealed = false;

  constructor(
    settings: Pick<Settings, "seed" | "faults" | "spanMs">,
    ports: DrainPorts,
  ) {
    this.#settings = settings;
    this.#ports = ports;
    // Whatever is drawn here changes no other draw.
    const random = new Random(settings.seed, "drains");
    this.#random = random;
    this.#isOn =
      settings.faults === "all" &&
      ports.nodes.length > 1 &&
      random.chance(CHANCE);
    this.#leaver =
      this.#isOn && random.chance(FOR_GOOD)
        ? random.pick(ports.nodes)
        : undefined;
  }

  start(): void {
    if (!this.#isOn) return;
    const { nodes, queue } = this.#ports;
    const { spanMs } = this.#settings;
    for (let count = this.#random.between(1, 4); count > 0; count--) {
      const node = this.#random.pick(nodes);
      const fromMs = this.#random.below(spanMs);
      const forMs = this.#random.below(spanMs);
      for (const [ms, isToLeave] of [
        [fromMs, true],
        [fromMs + forMs, false],
      ] as const)
        queue.after(ms, () => {
          if (!this.#isHealed) this.#tell(node, isToLeave);
        });
    }
  }

  /** Everything has healed, and all nodes are up: one is drained for good, and all others take part. */
  heal(): void {
    if (!this.#isOn) return;
    this.#isHealed = true;
    for (const node of this.#ports.nodes)
      this.#tell(node, node === this.#leaver && this.#canBeSpared(node));
  }

  /** Whether somebody else who lives, and does not lie, can coordinate: without anybody, intents wait for as long as the operator wants. */
  #canBeSpared({ name, sequencer }: Node): boolean {
    if (sequencer === undefined) return false;
    const order = candidates(sequencer);
    return this.#ports.nodes.some(
      (other) =>
        other.name !== name &&
        !other.isDead &&
        !this.#ports.liars.has(other.name) &&
        order.includes(other.name),
    );
  }

  #tell(node: Node, isToLeave: boolean): void {
    const { faults, say } = this.#ports;
    const { sequencer } = node;
    if (sequencer === undefined) return;
    // A node that is frozen hears of it later; one that starts again has forgotten it.
    if ((this.#told.get(sequencer) ?? false) === isToLeave) return;
    this.#told.set(sequencer, isToLeave);
    faults.count(isToLeave ? "drained" : "undrained");
    say(() => `${node.name} is ${isToLeave ? "drained" : "no longer drained"}`);
    node.tell({ type: "DrainChanged", isDraining: isToLeave });
  }
}
