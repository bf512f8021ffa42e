import type { StateId } from "../../protocol/ids.ts";
import type { SpeculativeView, State } from "../../protocol/transition.ts";
import type { DomainState, StateView } from "../domain.ts";
import { type OriginatedState, readState } from "./content.ts";

/** What is on the ledger, with what is in flight on top. */
export class Overlay implements StateView {
  readonly #ledger: StateView;
  readonly #created = new Map<StateId, OriginatedState>();
  readonly #spent: Set<StateId>;

  /** States of the view that make no sense are not there. */
  constructor(ledger: StateView, view: SpeculativeView) {
    this.#ledger = ledger;
    this.#spent = new Set(view.spent);
    for (const state of view.created) this.#create(state);
  }

  get(id: StateId): DomainState | undefined {
    if (this.#spent.has(id)) return undefined;
    return this.#ledger.get(id) ?? this.#created.get(id);
  }

  *find(schema: string, label: string): Iterable<DomainState> {
    for (const state of this.#ledger.find(schema, label))
      if (!this.#spent.has(state.id)) yield state;
    for (const state of this.#created.values()) {
      if (state.schema !== schema || state.label !== label) continue;
      if (this.#spent.has(state.id)) continue;
      // What is in flight for the coordinator may be on the ledger here already.
      if (this.#ledger.get(state.id) === undefined) yield state;
    }
  }

  /** A step was taken. */
  apply(inputs: readonly StateId[], outputs: readonly State[]): void {
    for (const id of inputs) {
      this.#spent.add(id);
      // Otherwise every search would walk over all that was spent here.
      this.#created.delete(id);
    }
    for (const state of outputs) this.#create(state);
  }

  #create(state: State): void {
    const read = readState(state);
    if (read !== undefined) this.#created.set(state.id, read);
  }
}
