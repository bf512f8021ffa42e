import { expect } from "chai";
import fc from "fast-check";

import type { IndexedTransition } from "../../src/chain/ports.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { LedgerModel, type ModelBlock } from "../helpers/ledger-model.ts";
import {
  groupAt,
  intentId,
  ledgerId,
  stateId,
  withWritingTables,
  word,
} from "../helpers/stores.ts";

const group = groupAt(1);

/** What can happen. Numbers are taken modulo what there is to choose from. */
type Command =
  | {
      readonly type: "add";
      readonly gap: number;
      readonly transitions: readonly {
        readonly spends: readonly number[];
        readonly creates: readonly { readonly isVacancy: boolean }[];
        readonly isReplay: boolean;
      }[];
    }
  | { readonly type: "revert"; readonly depth: number }
  | { readonly type: "learn"; readonly pick: number }
  | { readonly type: "prune"; readonly depth: number };

const small = fc.nat({ max: 6 });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("add" as const),
      gap: fc.nat({ max: 2 }),
      transitions: fc.array(
        fc.record({
          spends: fc.array(fc.nat(), { maxLength: 2 }),
          creates: fc.array(fc.record({ isVacancy: fc.boolean() }), {
            maxLength: 3,
          }),
          isReplay: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("revert" as const),
      depth: small,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("learn" as const),
      pick: fc.nat(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("prune" as const), depth: small }),
  },
);

/** The store and the model, side by side. */
class Pair {
  readonly #store: Store;
  readonly #model = new LedgerModel();
  /** Intents and states that a reorganisation undid, which may come again. */
  #undone: number[] = [];
  #next = 1;

  constructor(store: Store) {
    this.#store = withWritingTables(store);
  }

  run(step: Command): void {
    switch (step.type) {
      case "add":
        this.#add(step);
        break;
      case "revert":
        this.#revert(Math.max(0, (this.#model.head ?? 0) - step.depth));
        break;
      case "learn":
        this.#learn(step.pick);
        break;
      case "prune":
        this.#store.blocks.prune((this.#model.head ?? 0) - step.depth);
        break;
    }
    this.#compare();
  }

  #add(step: Extract<Command, { type: "add" }>): void {
    const number = (this.#model.head ?? 0) + 1 + step.gap;
    const free = this.#model.unspent().map(({ state }) => state);
    const transitions: ModelBlock["transitions"] = step.transitions.map(
      ({ spends, creates, isReplay }) => {
        const again = isReplay ? this.#undone.pop() : undefined;
        const intent = again ?? this.#next++;
        const spent = spends.flatMap((pick) =>
          free.length === 0 ? [] : free.splice(pick % free.length, 1),
        );
        // Room for the states of an intent next to its number.
        const created = creates.map(({ isVacancy }, i) => ({
          state: 10 * intent + i,
          isVacancy,
        }));
        // A state may be spent in the block that creates it.
        free.push(...created.map(({ state }) => state));
        return { intent, spends: spent, creates: created };
      },
    );
    this.#model.add({ number, transitions });
    this.#store.write(() => {
      this.#store.blocks.add({
        number,
        hash: word(number),
        transitions: transitions.map(indexed),
      });
      for (const { intent, spends, creates } of transitions) {
        for (const state of spends)
          this.#store.states.spent(group, {
            ledgerId: ledgerId(state),
            block: number,
          });
        for (const [index, { state, isVacancy }] of creates.entries())
          this.#store.states.created(group, {
            ledgerId: ledgerId(state),
            block: number,
            intentsHash: word(intent),
            index,
            isVacancy,
          });
      }
    });
  }

  #revert(to: number): void {
    const undone = this.#model.revertTo(to);
    const removed = this.#store.write(() => {
      this.#store.states.revertTo(to);
      return this.#store.blocks.revertTo(to);
    });
    expect(removed.flatMap(({ intents }) => intents)).to.deep.equal(
      undone.map(intentId),
    );
    this.#undone = [...undone];
  }

  #learn(pick: number): void {
    const unknown = this.#model
      .unspent()
      .filter(
        ({ state, isVacancy }) => !isVacancy && !this.#model.known.has(state),
      );
    const chosen = unknown[pick % Math.max(1, unknown.length)];
    if (chosen === undefined) return;
    this.#model.known.add(chosen.state);
    this.#store.states.saveContent(group, {
      id: stateId(chosen.state),
      ledgerId: ledgerId(chosen.state),
      schema: "coin",
      label: "",
      content: "",
    });
  }

  #compare(): void {
    const { blocks, states } = this.#store;
    const unspent = this.#model.unspent();
    const { known } = this.#model;
    const idsWhere = (
      test: (state: number, isVacancy: boolean) => boolean,
    ): readonly string[] =>
      unspent
        .filter(({ state, isVacancy }) => test(state, isVacancy))
        .map(({ state }) => ledgerId(state));
    const idsOf = (
      rows: readonly { readonly ledgerId: string }[],
    ): readonly string[] => rows.map((row) => row.ledgerId);
    expect(idsOf(states.unspent(group))).to.deep.equal(
      idsWhere((state, isVacancy) => !isVacancy && known.has(state)),
    );
    expect(idsOf(states.missing(group))).to.deep.equal(
      idsWhere((state, isVacancy) => !isVacancy && !known.has(state)),
    );
    expect(idsOf(states.vacancies(group))).to.deep.equal(
      idsWhere((_, isVacancy) => isVacancy),
    );
    // A reorganisation can reach below what was pruned; then there is no head.
    expect(blocks.head()?.number ?? this.#model.head).to.equal(
      this.#model.head,
    );
    const fulfilled = this.#model.fulfilled();
    for (let intent = 1; intent < this.#next; intent++)
      expect(blocks.fulfilment(group, intentId(intent))?.block).to.equal(
        fulfilled.get(intent),
      );
  }
}

function indexed(
  transition: ModelBlock["transitions"][number],
  logIndex: number,
): IndexedTransition {
  return {
    group,
    transitionHash: word(transition.intent),
    intents: [intentId(transition.intent)],
    inputs: transition.spends.map(ledgerId),
    outputs: transition.creates.map(({ state }) => ledgerId(state)),
    transactionHash: word(1),
    transactionIndex: 0,
    logIndex,
  };
}

describe("blocks and states", () => {
  it("answer as if they read the whole chain each time", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const store = openStore({ file: ":memory:" });
        try {
          const pair = new Pair(store);
          for (const step of commands) pair.run(step);
        } finally {
          store.close();
        }
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});
