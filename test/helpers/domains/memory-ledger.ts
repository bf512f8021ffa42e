import type { StateId } from "../../../src/protocol/ids.ts";
import type { State } from "../../../src/protocol/transition.ts";
import type { DomainState, StateView } from "../../../src/domains/domain.ts";
import { readState } from "../../../src/domains/states/content.ts";

/** A ledger in memory: the unspent states, and the ledger's two rules about them. */
export class MemoryLedger implements StateView {
  readonly #unspent = new Map<StateId, DomainState>();
  readonly #byLabel = new Map<string, Set<StateId>>();

  get(id: StateId): DomainState | undefined {
    return this.#unspent.get(id);
  }

  *find(schema: string, label: string): Iterable<DomainState> {
    for (const id of this.#byLabel.get(keyOf({ schema, label })) ?? []) {
      const state = this.#unspent.get(id);
      if (state !== undefined) yield state;
    }
  }

  all(): readonly DomainState[] {
    return [...this.#unspent.values()];
  }

  /** Throws if a state is spent twice, or was never there. */
  apply({
    inputs,
    reads,
    outputs,
  }: {
    readonly inputs: readonly StateId[];
    readonly reads: readonly StateId[];
    readonly outputs: readonly State[];
  }): void {
    for (const id of [...inputs, ...reads])
      if (!this.#unspent.has(id)) throw new Error(`${id} is not available.`);
    for (const id of inputs) {
      const state = this.#unspent.get(id);
      if (state === undefined) throw new Error(`${id} is spent twice.`);
      this.#unspent.delete(id);
      this.#byLabel.get(keyOf(state))?.delete(id);
    }
    for (const output of outputs) {
      const state = readState(output);
      if (state === undefined) throw new Error(`${output.id} is no state.`);
      this.#unspent.set(state.id, state);
      const labelled = this.#byLabel.get(keyOf(state)) ?? new Set();
      this.#byLabel.set(keyOf(state), labelled.add(state.id));
    }
  }
}

function keyOf({
  schema,
  label,
}: Pick<DomainState, "schema" | "label">): string {
  return JSON.stringify([schema, label]);
}
