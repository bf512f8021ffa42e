import type { NodeName } from "../protocol/ids.ts";
import { type Body, encodeBody } from "./body.ts";

/** Characters of the bodies in one envelope, if there is more than one: far below what an envelope takes. */
const LENGTH_MAX = 524_288;
/** Bodies in one envelope. */
export const BODIES_MAX = 1_024;
/** No body has it: JSON writes it in another way. */
const SEPARATOR = "\n";

/** What waits for one node. */
interface Parcel {
  readonly bodies: string[];
  length: number;
}

/** What a node tells another one in one go travels in one envelope: to sign and check it costs more than most bodies. */
export class Outbox {
  readonly #send: (to: NodeName, bodies: string) => void;
  readonly #parcels = new Map<NodeName, Parcel>();
  /** The same body often goes to several nodes, one after the other. */
  #last: { readonly key: object; readonly text: string } | undefined;
  #isScheduled = false;

  constructor(ports: {
    readonly send: (to: NodeName, bodies: string) => void;
  }) {
    this.#send = ports.send;
  }

  /** Leaves with everything else that is put here before the current job of the event loop is over. */
  put(to: NodeName, body: Body): void {
    const text = this.#textOf(body);
    const parcel = this.#parcels.get(to) ?? { bodies: [], length: 0 };
    const isFull =
      parcel.bodies.length === BODIES_MAX ||
      parcel.length + text.length > LENGTH_MAX;
    if (isFull) this.#post(to, parcel);
    parcel.bodies.push(text);
    parcel.length += text.length;
    this.#parcels.set(to, parcel);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#flush();
    });
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#last = undefined;
    const parcels = [...this.#parcels];
    this.#parcels.clear();
    for (const [to, parcel] of parcels) this.#post(to, parcel);
  }

  #post(to: NodeName, parcel: Parcel): void {
    if (parcel.bodies.length === 0) return;
    this.#send(to, parcel.bodies.join(SEPARATOR));
    parcel.bodies.length = 0;
    parcel.length = 0;
  }

  #textOf(body: Body): string {
    const key = body.type === "message" ? body.message : body;
    if (this.#last?.key !== key) this.#last = { key, text: encodeBody(body) };
    return this.#last.text;
  }
}

/** The bodies of an envelope, one after the other; undefined stands for those that are too many. */
export function* bodiesIn(wire: string): Iterable<string | undefined> {
  let start = 0;
  for (let count = 1; ; count++) {
    if (count > BODIES_MAX) {
      yield undefined;
      return;
    }
    const end = wire.indexOf(SEPARATOR, start);
    yield end === -1 ? wire.slice(start) : wire.slice(start, end);
    if (end === -1) return;
    start = end + 1;
  }
}
