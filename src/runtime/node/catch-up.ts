import type { StateId as LedgerId } from "../../ledger/index.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { Body, ToldState } from "./body.ts";
import { ASKED_MAX } from "./body.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { Turns } from "./turns.ts";
import type { Store } from "../store/store.ts";

/** How much content one answer carries at most, so that it stays far below what a message may be. */
const ANSWER_BYTES_MAX = 1_000_000;

/** A group whose states it looks after. */
export type Group = Pick<GroupRunner, "group" | "book" | "mayKnow">;

/** Something that waits for the content of these states. */
interface Waiting {
  readonly missing: ReadonlySet<LedgerId>;
  readonly run: () => void;
}

/**
 * Gets the content of states that are on the ledger and that this node was not told about: it asks one endorser after the
 * other until it has them, or until as many as the ledger wants for a transition say that it may not see them: not all of
 * those lie. And answers those who ask, if they may see what they ask for.
 */
export class CatchUp {
  readonly #self: NodeName;
  readonly #store: Store;
  readonly #turns: Turns;
  readonly #send: (to: NodeName, body: Body) => void;
  /** Whom to ask next, for each group. */
  readonly #next = new Map<string, number>();
  readonly #waiting = new Map<Group, Waiting[]>();
  /** Who said that this node may not see a state. */
  readonly #denials = new Map<LedgerId, Set<NodeName>>();

  constructor(
    options: { readonly self: NodeName },
    ports: {
      readonly store: Store;
      readonly turns: Turns;
      readonly send: (to: NodeName, body: Body) => void;
    },
  ) {
    this.#self = options.self;
    this.#store = ports.store;
    this.#turns = ports.turns;
    this.#send = ports.send;
  }

  /** Runs something as soon as nothing is missing that is missing now: at once, or later. */
  whenComplete(runner: Group, run: () => void): void {
    const { missing } = runner.book;
    if (missing.size === 0) {
      run();
      return;
    }
    const waiting = this.#waiting.get(runner) ?? [];
    waiting.push({ missing: new Set(missing.keys()), run });
    this.#waiting.set(runner, waiting);
  }

  /** To be called whenever something may have become complete. */
  release(runner: Group): void {
    const waiting = this.#waiting.get(runner);
    if (waiting === undefined) return;
    const { missing } = runner.book;
    const isReady = ({ missing: wanted }: Waiting): boolean =>
      missing.size === 0 || ![...wanted].some((id) => missing.has(id));
    const rest = waiting.filter((one) => !isReady(one));
    if (rest.length === 0) this.#waiting.delete(runner);
    else this.#waiting.set(runner, rest);
    for (const one of waiting) if (!rest.includes(one)) one.run();
  }

  /** The same for all groups. */
  releaseAll(): void {
    for (const runner of [...this.#waiting.keys()]) this.release(runner);
  }

  /** After a block: those who endorse have what they need; others are told nothing unless they ask. */
  askAtOnce(runner: Group): void {
    if (!runner.group.endorsers.includes(this.#self)) this.ask(runner);
  }

  /** Asks the next members, if something is missing. */
  ask(runner: Group): void {
    const { group, book } = runner;
    if (book.missing.size === 0) return;
    const isOther = (name: NodeName): boolean => name !== this.#self;
    const endorsers = group.endorsers.filter(isOther);
    const others =
      endorsers.length > 0 ? endorsers : group.members.filter(isOther);
    // One of them is enough to tell, but not to deny.
    const count = group.endorsers.includes(this.#self) ? 1 : group.threshold;
    const next = this.#next.get(group.address) ?? 0;
    this.#next.set(group.address, next + count);
    const states = [...book.missing.keys()].slice(0, ASKED_MAX);
    for (let i = 0; i < Math.min(count, others.length); i++) {
      const to = others[(next + i) % others.length];
      if (to === undefined) continue;
      this.#send(to, { type: "ask", group: group.address, states });
    }
  }

  answer(
    runner: Group,
    from: NodeName,
    { states }: Extract<Body, { readonly type: "ask" }>,
  ): void {
    const { group } = runner;
    if (!group.members.includes(from)) return;
    const told: ToldState[] = [];
    const denied: LedgerId[] = [];
    let bytes = 0;
    for (const ledgerId of states) {
      const known = this.#store.states.byLedgerId(group.address, ledgerId);
      if (known === undefined || bytes > ANSWER_BYTES_MAX) continue;
      const { id, schema, label, content } = known;
      const data = readData(content);
      const state = { id, schema, label, data };
      if (!runner.mayKnow(from, state)) {
        denied.push(ledgerId);
        continue;
      }
      told.push({ ledgerId, id, content });
      bytes += content.length;
    }
    if (told.length + denied.length > 0)
      this.#send(from, {
        type: "tell",
        group: group.address,
        states: told,
        denied,
      });
  }

  /** Keeps what was missing; everything else that is told is dropped. */
  learn(
    runner: Group,
    from: NodeName,
    { states, denied }: Extract<Body, { readonly type: "tell" }>,
  ): void {
    const { missing } = runner.book;
    const wanted = states.filter(({ ledgerId }) => missing.has(ledgerId));
    const foreign = denied.filter(
      (id) => missing.has(id) && this.#isForeign(runner, from, id),
    );
    if (wanted.length + foreign.length === 0) return;
    this.#turns.add({
      run: ({ writes, deeds }) => {
        writes.push(() => {
          for (const { ledgerId, id, content } of wanted)
            runner.book.learn(ledgerId, { id, content });
          for (const ledgerId of foreign) runner.book.renounce(ledgerId);
        });
        deeds.push(() => {
          for (const { ledgerId } of wanted) this.#denials.delete(ledgerId);
          for (const ledgerId of foreign) this.#denials.delete(ledgerId);
          this.release(runner);
          if (runner.book.missing.size > 0) this.ask(runner);
        });
      },
    });
  }

  /** Somebody says that this node may not see a state. True if enough have said so. */
  #isForeign({ group, book }: Group, from: NodeName, id: LedgerId): boolean {
    const { endorsers, threshold } = group;
    if (endorsers.includes(this.#self) || !endorsers.includes(from))
      return false;
    const denials = this.#denials.get(id) ?? new Set();
    this.#denials.set(id, denials.add(from));
    // What was spent meanwhile is not asked for any more.
    if (this.#denials.size > 2 * book.missing.size + ASKED_MAX)
      for (const known of this.#denials.keys())
        if (!book.missing.has(known)) this.#denials.delete(known);
    return denials.size >= threshold;
  }
}

/** Content in the store was checked before it was kept. */
function readData(content: string): never {
  return (JSON.parse(content) as { readonly data: never }).data;
}
