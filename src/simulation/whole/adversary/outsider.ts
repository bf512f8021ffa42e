import type { NodeName } from "../../../protocol/ids.ts";
import type { FaultCounter } from "../../faults.ts";
import type { Queue } from "../../queue.ts";
import { Random } from "../../random.ts";
import type { SimulatedHost } from "../host.ts";
import type { WholeSettings } from "../settings.ts";

/** Envelopes that are kept to be sent again. */
const KEPT = 64;
/** Per envelope on the network. */
const RATE = 0.01;
const LATER_MS = 20_000;

/** Somebody on the network without a key: sends again what it saw, to anybody, and spoils it. */
export class Outsider {
  readonly #names: readonly NodeName[];
  readonly #random: Random;
  readonly #ports: {
    readonly queue: Queue;
    readonly faults: FaultCounter;
    readonly hosts: ReadonlyMap<NodeName, SimulatedHost>;
    readonly isActive: () => boolean;
  };
  readonly #kept: Uint8Array[] = [];

  constructor(
    { seed, names }: Pick<WholeSettings, "seed" | "names">,
    ports: {
      readonly queue: Queue;
      readonly faults: FaultCounter;
      readonly hosts: ReadonlyMap<NodeName, SimulatedHost>;
      readonly isActive: () => boolean;
    },
  ) {
    this.#names = names;
    this.#random = new Random(seed, "outsider");
    this.#ports = ports;
  }

  /** An envelope passes by. */
  see(_from: NodeName, to: NodeName, wire: Uint8Array): void {
    const { queue, faults, isActive } = this.#ports;
    if (!isActive() || !this.#random.chance(RATE)) return;
    this.#kept[this.#random.below(KEPT)] = wire;
    const old = this.#random.pick(Object.values(this.#kept));
    const isSpoilt = this.#random.chance(0.5);
    const bytes = isSpoilt ? this.#spoil(old) : old;
    const receiver = this.#random.chance(0.5)
      ? to
      : this.#random.pick(this.#names);
    faults.count(isSpoilt ? "envelope-spoilt" : "envelope-replayed");
    queue.after(this.#random.below(LATER_MS), () => {
      this.#ports.hosts.get(receiver)?.arrive(bytes);
    });
  }

  #spoil(wire: Uint8Array): Uint8Array {
    const bytes = Uint8Array.from(wire);
    const at = this.#random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << this.#random.below(8));
    return bytes;
  }
}
