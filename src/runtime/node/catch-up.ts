import type { NodeName } from "../../protocol/ids.ts";
import type { Body, ToldState } from "./body.ts";
import { ASKED_MAX } from "./body.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { Turns } from "./turns.ts";
import type { Store } from "../store/store.ts";

/** How much content one answer carries at most, so that it stays far below what a message may be. */
const ANSWER_BYTES_MAX = 1_000_000;

/**
 * Gets the content of states that are on the ledger and that this node was not told about: it asks one member after the
 * other until it has them. And answers those who ask, if they may see what they ask for.
 */
export class CatchUp {
  readonly #self: NodeName;
  readonly #store: Store;
  readonly #turns: Turns;
  readonly #send: (to: NodeName, body: Body) => void;
  /** Whom to ask next, for each group. */
  readonly #next = new Map<string, number>();
  readonly #waiting = new Map<GroupRunner, (() => void)[]>();

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

  /** Runs something as soon as nothing is missing: at once, or later. */
  whenComplete(runner: GroupRunner, run: () => void): void {
    if (runner.book.missing.size === 0) {
      run();
      return;
    }
    const waiting = this.#waiting.get(runner) ?? [];
    waiting.push(run);
    this.#waiting.set(runner, waiting);
  }

  /** To be called whenever something may have become complete. */
  release(runner: GroupRunner): void {
    const waiting = this.#waiting.get(runner);
    if (waiting === undefined || runner.book.missing.size > 0) return;
    this.#waiting.delete(runner);
    for (const run of waiting) run();
  }

  /** Asks the next member, if something is missing. */
  ask(runner: GroupRunner): void {
    const { group, book } = runner;
    if (book.missing.size === 0) return;
    const others = group.members.filter((name) => name !== this.#self);
    const next = this.#next.get(group.address) ?? 0;
    this.#next.set(group.address, next + 1);
    const to = others[next % Math.max(1, others.length)];
    if (to === undefined) return;
    const states = [...book.missing.keys()].slice(0, ASKED_MAX);
    this.#send(to, { type: "ask", group: group.address, states });
  }

  answer(
    runner: GroupRunner,
    from: NodeName,
    { states }: Extract<Body, { readonly type: "ask" }>,
  ): void {
    const { group } = runner;
    if (!group.members.includes(from)) return;
    const told: ToldState[] = [];
    let bytes = 0;
    for (const ledgerId of states) {
      const known = this.#store.states.byLedgerId(group.address, ledgerId);
      if (known === undefined || bytes > ANSWER_BYTES_MAX) continue;
      const { id, schema, label, content } = known;
      const data = readData(content);
      const state = { id, schema, label, data };
      if (!group.domain.isEntitled(group, state, from)) continue;
      told.push({ ledgerId, id, content });
      bytes += content.length;
    }
    if (told.length > 0)
      this.#send(from, { type: "tell", group: group.address, states: told });
  }

  /** Keeps what was missing; everything else that is told is dropped. */
  learn(
    runner: GroupRunner,
    { states }: Extract<Body, { readonly type: "tell" }>,
  ): void {
    const wanted = states.filter(({ ledgerId }) =>
      runner.book.missing.has(ledgerId),
    );
    if (wanted.length === 0) return;
    this.#turns.add({
      run: ({ writes, deeds }) => {
        writes.push(() => {
          for (const { ledgerId, id, content } of wanted)
            runner.book.learn(ledgerId, { id, content });
        });
        deeds.push(() => {
          this.release(runner);
          if (runner.book.missing.size > 0) this.ask(runner);
        });
      },
    });
  }
}

/** Content in the store was checked before it was kept. */
function readData(content: string): never {
  return (JSON.parse(content) as { readonly data: never }).data;
}
