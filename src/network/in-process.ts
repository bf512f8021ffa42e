import type { NodeName } from "../protocol/ids.ts";
import type { Receive } from "./ports.ts";
import { machineTimers, type Timers } from "../async/timers.ts";
import type { Carrier } from "./carrier.ts";
import { Link } from "./link.ts";
import {
  type Draw,
  type LinkFaults,
  type LossReason,
  noFaults,
} from "./link-faults.ts";
import {
  createSealedTransport,
  type Member,
  type SealedTransport,
} from "./sealed-transport.ts";

/** From one node to another. */
export interface Direction {
  readonly from: NodeName;
  readonly to: NodeName;
}

/** The faults of one link. */
export interface DirectedFaults {
  readonly direction: Direction;
  readonly faults: LinkFaults;
}

/** Connects the nodes of one process. Everything arrives, in order and soon, unless a test makes faults. */
export class Hub {
  readonly #queueMax: number;
  readonly #timers: Timers;
  readonly #draw: Draw;
  readonly #arrivals = new Map<NodeName, (wire: Uint8Array) => void>();
  readonly #links = new Map<
    string,
    { readonly direction: Direction; readonly link: Link }
  >();
  readonly #lost: Record<LossReason, number> = {
    cut: 0,
    dropped: 0,
    full: 0,
    absent: 0,
  };

  constructor(
    options: {
      /** Envelopes that one link holds; beyond that, the oldest is lost. */
      readonly queueMax?: number;
    } = {},
    ports: {
      readonly timers?: Timers;
      /** Decides who is hit by faults. With the same numbers, the same happens. */
      readonly draw?: Draw;
    } = {},
  ) {
    this.#queueMax = options.queueMax ?? 10_000;
    this.#timers = ports.timers ?? machineTimers;
    this.#draw = ports.draw ?? { fraction: () => Math.random() };
  }

  /** Takes a node in. It can come back under the same name after it has stopped. */
  join(member: Member, receive: Receive): SealedTransport {
    return createSealedTransport(member, {
      connect: (name, arrive) => this.connect(name, arrive),
      receive,
    });
  }

  /** Carries bytes of a node, whatever they are. */
  connect(name: NodeName, arrive: (wire: Uint8Array) => void): Carrier {
    if (this.#arrivals.has(name))
      throw new Error(`A node with the name ${name} is connected already.`);
    this.#arrivals.set(name, arrive);
    return {
      carry: (to, wire) => {
        if (this.#arrivals.get(name) === arrive)
          this.#linkOf({ from: name, to }).carry(wire);
      },
      stop: async () => {
        if (this.#arrivals.get(name) === arrive) this.#leave(name);
        await Promise.resolve();
      },
    };
  }

  /** Changes what happens on one link from now on; the rest stays as it is. */
  disturb(direction: Direction, faults: Partial<LinkFaults>): void {
    const link = this.#linkOf(direction);
    link.faults = { ...link.faults, ...faults };
  }

  cut(direction: Direction): void {
    this.disturb(direction, { isCut: true });
  }

  restore(direction: Direction): void {
    this.disturb(direction, { isCut: false });
  }

  /** The faults of all links, as they are now. */
  faults(): readonly DirectedFaults[] {
    return [...this.#links.values()].map(({ direction, link }) => ({
      direction,
      faults: link.faults,
    }));
  }

  /** No faults any more, anywhere. */
  heal(): void {
    for (const { link } of this.#links.values()) link.faults = noFaults;
  }

  /** What did not arrive, by reason. */
  lost(): Readonly<Record<LossReason, number>> {
    return { ...this.#lost };
  }

  /** How many are on their way. */
  get size(): number {
    let size = 0;
    for (const { link } of this.#links.values()) size += link.size;
    return size;
  }

  /** Everybody leaves; no timer stays. */
  stop(): void {
    for (const name of [...this.#arrivals.keys()]) this.#leave(name);
  }

  /** What a node sent or was sent is gone with it. The faults of its links stay. */
  #leave(name: NodeName): void {
    this.#arrivals.delete(name);
    for (const { direction, link } of this.#links.values())
      if (direction.from === name || direction.to === name) link.stop();
  }

  #linkOf(direction: Direction): Link {
    const key = `${direction.from} ${direction.to}`;
    const known = this.#links.get(key);
    if (known !== undefined) return known.link;
    const lose = (reason: LossReason): void => {
      this.#lost[reason] += 1;
    };
    const link = new Link(
      { queueMax: this.#queueMax },
      {
        timers: this.#timers,
        draw: this.#draw,
        lose,
        deliver: (wire) => {
          const arrive = this.#arrivals.get(direction.to);
          if (arrive === undefined) lose("absent");
          else arrive(wire);
        },
      },
    );
    this.#links.set(key, { direction, link });
    return link;
  }
}
