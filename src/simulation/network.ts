import type { FaultCounter, FaultPlan } from "./faults.ts";
import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";

/** Milliseconds that a message takes when nothing is wrong. */
const latencyMs = 2;

/** Shapes of a partition. */
export const partitionShapes = [
  "split",
  "one-way",
  "isolate",
  "deafen",
  "bridge",
  "flap",
] as const;
export type PartitionShape = (typeof partitionShapes)[number];

/**
 * The paths between nodes: each message is lost, doubled, late or blocked as the plan says. Without faults a path keeps
 * the order of its messages.
 */
export class Network<Parcel> {
  readonly #ports: {
    readonly queue: Queue;
    readonly random: Random;
    readonly faults: FaultCounter;
    readonly deliver: (to: number, from: number, parcel: Parcel) => void;
  };
  readonly #size: number;
  #plan: FaultPlan;
  /** Per path, from × size + to. */
  readonly #isBlocked: boolean[];
  readonly #cloggedUntil: number[];
  readonly #lastArrival: number[];
  #allArrivedMs = 0;

  constructor(
    options: { readonly size: number; readonly plan: FaultPlan },
    ports: {
      readonly queue: Queue;
      readonly random: Random;
      readonly faults: FaultCounter;
      readonly deliver: (to: number, from: number, parcel: Parcel) => void;
    },
  ) {
    this.#size = options.size;
    this.#plan = options.plan;
    this.#ports = ports;
    const paths = options.size * options.size;
    this.#isBlocked = Array<boolean>(paths).fill(false);
    this.#cloggedUntil = Array<number>(paths).fill(0);
    this.#lastArrival = Array<number>(paths).fill(0);
  }

  /** When all that was sent up to now has arrived. */
  get allArrivedMs(): number {
    return this.#allArrivedMs;
  }

  /** Begins the incidents that come at random times. */
  start(): void {
    this.#clogSometimes();
    this.#partitionSometimes();
  }

  /** From now on nothing goes wrong. */
  heal(plan: FaultPlan): void {
    this.#plan = plan;
    this.#isBlocked.fill(false);
    this.#cloggedUntil.fill(0);
  }

  send(from: number, to: number, parcel: Parcel): void {
    const { random, faults } = this.#ports;
    const path = from * this.#size + to;
    if (this.#isBlocked[path] === true) {
      faults.count("message-blocked");
      return;
    }
    if (random.chance(this.#plan.drop)) {
      faults.count("message-lost");
      return;
    }
    this.#carry(path, parcel, 0);
    if (random.chance(this.#plan.duplicate)) {
      faults.count("message-doubled");
      const isNow = random.chance(0.5);
      this.#carry(path, parcel, isNow ? 0 : random.below(this.#plan.lateMs));
    }
  }

  #carry(path: number, parcel: Parcel, extraMs: number): void {
    const { queue, random, faults } = this.#ports;
    const from = Math.floor(path / this.#size);
    const to = path % this.#size;
    let delayMs = latencyMs + extraMs;
    if (this.#plan.jitterMs > 0) delayMs += random.tail(this.#plan.jitterMs);
    if (random.chance(this.#plan.late)) {
      faults.count("message-late");
      delayMs += random.below(this.#plan.lateMs);
    }
    let arrival = Math.max(queue.now + delayMs, this.#cloggedUntil[path] ?? 0);
    const isInOrder = extraMs === 0 && this.#plan.jitterMs === 0;
    if (isInOrder && this.#plan.late === 0) {
      arrival = Math.max(arrival, this.#lastArrival[path] ?? 0);
      this.#lastArrival[path] = arrival;
    }
    this.#allArrivedMs = Math.max(this.#allArrivedMs, arrival);
    queue.after(arrival - queue.now, () => {
      this.#ports.deliver(to, from, parcel);
    });
  }

  /** Everything sent on one path waits, then comes in a burst. */
  #clogSometimes(): void {
    const { queue, random, faults } = this.#ports;
    if (this.#plan.clogEveryMs === 0 || this.#size < 2) return;
    queue.after(random.tail(this.#plan.clogEveryMs) + 1, () => {
      if (this.#plan.clogEveryMs === 0) return;
      faults.count("path-clogged");
      const path = random.below(this.#cloggedUntil.length);
      this.#cloggedUntil[path] = queue.now + random.between(100, 8_000);
      this.#clogSometimes();
    });
  }

  #partitionSometimes(): void {
    const { queue, random, faults } = this.#ports;
    if (this.#plan.partitionEveryMs === 0 || this.#size < 2) return;
    queue.after(random.tail(this.#plan.partitionEveryMs) + 1, () => {
      if (this.#plan.partitionEveryMs === 0) return;
      const shape = random.pick(partitionShapes);
      faults.count(`partition-${shape}`);
      this.partition(shape);
      const endsMs = random.tail(this.#plan.partitionMs) + 10;
      const flaps = shape === "flap" ? random.between(2, 8) : 0;
      this.#endPartition(endsMs, flaps);
    });
  }

  #endPartition(afterMs: number, flaps: number): void {
    const { queue } = this.#ports;
    queue.after(afterMs, () => {
      this.#isBlocked.fill(false);
      if (this.#plan.partitionEveryMs === 0) return;
      if (flaps === 0) this.#partitionSometimes();
      else
        queue.after(afterMs / 4, () => {
          if (this.#plan.partitionEveryMs === 0) return;
          this.partition("split");
          this.#endPartition(afterMs / 2, flaps - 1);
        });
    });
  }

  /** Cuts paths. Which side a node is on is drawn. */
  partition(shape: PartitionShape): void {
    const { random } = this.#ports;
    const sides = Array.from({ length: this.#size }, () => random.below(2));
    const one = random.below(this.#size);
    for (let from = 0; from < this.#size; from++) {
      for (let to = 0; to < this.#size; to++) {
        const isAcross = sides[from] !== sides[to];
        this.#isBlocked[from * this.#size + to] =
          from !== to && isCut(shape, { from, to, one, isAcross, sides });
      }
    }
  }

  isBlocked(from: number, to: number): boolean {
    return this.#isBlocked[from * this.#size + to] === true;
  }
}

function isCut(
  shape: PartitionShape,
  path: {
    readonly from: number;
    readonly to: number;
    readonly one: number;
    readonly isAcross: boolean;
    readonly sides: readonly number[];
  },
): boolean {
  const { from, to, one, isAcross, sides } = path;
  switch (shape) {
    case "split":
    case "flap":
      return isAcross;
    case "one-way":
      return isAcross && sides[from] === 0;
    case "isolate":
      return from === one || to === one;
    case "deafen":
      return to === one;
    case "bridge":
      return isAcross && from !== one && to !== one;
  }
}
