import type { Event } from "../../protocol/events.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/messages.ts";

/** A message on its way. */
export interface Letter {
  readonly from: NodeName;
  readonly to: NodeName;
  readonly message: Message;
}

/** Something that a node's own domain or submitter says to it. A crash forgets it. */
export interface Answer {
  readonly node: NodeName;
  readonly boot: number;
  readonly event: Event;
}

/** Some messages from one node to another; without a type, all of them. `*` is any node. */
export interface Selection {
  readonly from: string;
  readonly to: string;
  readonly type: string | undefined;
}

interface Rule extends Selection {
  readonly kind: "hold" | "drop";
  /** How many more it drops. */
  times: number;
}

/** What is on its way, in the order in which it was sent, and what the script does to it. */
export class Links {
  readonly #queue: (Letter | Answer)[] = [];
  readonly #held: Letter[] = [];
  #rules: Rule[] = [];
  #sideOf: ReadonlyMap<string, number> | undefined;

  push(item: Letter | Answer): void {
    this.#queue.push(item);
  }

  get next(): Letter | Answer | undefined {
    return this.#queue[0];
  }

  take(): Letter | Answer | undefined {
    return this.#queue.shift();
  }

  /** What happens to a letter that arrives now. One that is held is kept. */
  judge(letter: Letter): "delivered" | "held" | "lost" {
    const { from, to } = letter;
    const sides = this.#sideOf;
    if (sides !== undefined && sides.get(from) !== sides.get(to)) return "lost";
    const rule = this.#rules.find((one) => matches(one, letter));
    if (rule === undefined) return "delivered";
    if (rule.kind === "hold") {
      this.#held.push(letter);
      return "held";
    }
    rule.times -= 1;
    if (rule.times === 0)
      this.#rules = this.#rules.filter((one) => one !== rule);
    return "lost";
  }

  hold(selection: Selection): void {
    this.#rules.push({ ...selection, kind: "hold", times: Infinity });
  }

  drop(selection: Selection, times: number): void {
    this.#rules.push({ ...selection, kind: "drop", times });
  }

  /** Lets go what was held; it comes before all that is on its way. Returns how many letters that are. */
  release(selection: Selection): number {
    this.#rules = this.#rules.filter(
      ({ kind, from, to, type }) =>
        kind !== "hold" ||
        from !== selection.from ||
        to !== selection.to ||
        type !== selection.type,
    );
    const freed = this.#held.filter((letter) => matches(selection, letter));
    for (const letter of freed)
      this.#held.splice(this.#held.indexOf(letter), 1);
    this.#queue.unshift(...freed);
    return freed.length;
  }

  /** Nodes on different sides do not hear each other. */
  partition(sides: readonly (readonly string[])[]): void {
    this.#sideOf = new Map(
      sides.flatMap((names, side) => names.map((name) => [name, side])),
    );
  }

  /** Nothing is lost or held from now on. */
  heal(): void {
    this.#sideOf = undefined;
    this.#rules = [];
    this.#queue.unshift(...this.#held.splice(0));
  }
}

function matches(
  { from, to, type }: Selection,
  { from: sender, to: receiver, message }: Letter,
): boolean {
  return (
    (from === "*" || from === sender) &&
    (to === "*" || to === receiver) &&
    (type === undefined || type === message.type)
  );
}
