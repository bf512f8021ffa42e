import { outputStateIds, parseHex } from "../../ledger/index.ts";
import type { Hashing } from "../../protocol/config.ts";
import type { GroupAddress, IntentId, StateId } from "../../protocol/ids.ts";
import { outlineOf } from "../../protocol/outline.ts";
import type { Bundle, State } from "../../protocol/transition.ts";
import type { IndexedTransition } from "../../chain/ports.ts";
import { transitionOf } from "../../domains/states/arrange.ts";
import { StateBook } from "../../domains/states/book.ts";
import { Database } from "../../store/database.ts";
import { States, statesSchema } from "../../store/states.ts";
import type { Block } from "../chain.ts";
import type { Book } from "./domain.ts";

/**
 * A node's states as the runtime keeps them, in memory and without what else a store has, with the simulated chain in the
 * place of the indexer.
 */
export class LedgerBook implements Book {
  readonly states: StateBook;
  readonly #group: GroupAddress;
  readonly #epoch: bigint;
  readonly #hashing: Pick<Hashing, "stepHash">;
  readonly #mayKnow: (state: State) => boolean;
  readonly #database = new Database(
    { file: ":memory:" },
    { migrations: [statesSchema] },
  );
  readonly #stored = new States(this.#database);
  readonly #spent = new Set<StateId>();
  readonly #fulfilled = new Set<IntentId>();

  constructor(options: {
    readonly group: GroupAddress;
    readonly epoch: bigint;
    readonly hashing: Pick<Hashing, "stepHash">;
    /** Whether its node may see what a state means. */
    readonly mayKnow: (state: State) => boolean;
  }) {
    const { group } = options;
    this.#group = group;
    this.#epoch = options.epoch;
    this.#hashing = options.hashing;
    this.#mayKnow = options.mayKnow;
    this.states = new StateBook({ group }, { states: this.#stored });
  }

  has(id: StateId): boolean {
    return this.states.get(id) !== undefined;
  }

  isSpent(id: StateId): boolean {
    return this.#spent.has(id);
  }

  isFulfilled(id: IntentId): boolean {
    return this.#fulfilled.has(id);
  }

  /** Others have told what it may know, and that the rest is not for it. */
  see(block: Block): void {
    this.#database.write(() => {
      this.#see(block);
    });
  }

  #see({ height, transitions, bundles }: Block): void {
    for (const { intents, inputs } of transitions) {
      for (const id of intents) this.#fulfilled.add(id);
      for (const id of inputs) this.#spent.add(id);
    }
    for (const bundle of bundles) {
      const outputs = bundle.steps.flatMap((step) => step.outputs);
      const contents = outputs.filter((state) => this.#mayKnow(state));
      this.states.apply(this.#indexed(bundle), height, contents);
    }
    for (const ledgerId of this.states.missing.keys())
      this.states.renounce(ledgerId);
  }

  forget({ height, transitions }: Block): void {
    for (const { intents, inputs } of transitions) {
      for (const id of intents) this.#fulfilled.delete(id);
      for (const id of inputs) this.#spent.delete(id);
    }
    this.#database.write(() => {
      this.#stored.revertTo(height - 1);
    });
    this.states.reload();
  }

  close(): void {
    this.#database.close();
  }

  #indexed(bundle: Bundle): IndexedTransition {
    const outline = outlineOf(this.#hashing, bundle);
    const transition = transitionOf(outline, this.#epoch);
    const hash = parseHex(bundle.digest);
    return {
      group: this.#group,
      transitionHash: hash,
      intents: bundle.steps.map(({ intentId }) => intentId),
      inputs: transition.inputs,
      outputs: outputStateIds(transition),
      transactionHash: hash,
      transactionIndex: 0,
      logIndex: 0,
    };
  }
}
