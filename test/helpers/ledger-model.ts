/** A block of the model: which states it creates and spends. States and intents are numbers. */
export interface ModelBlock {
  readonly number: number;
  readonly transitions: readonly {
    readonly intent: number;
    readonly spends: readonly number[];
    readonly creates: readonly {
      readonly state: number;
      readonly isVacancy: boolean;
    }[];
  }[];
}

/** What blocks and states tables must answer, computed anew from the whole chain each time. */
export class LedgerModel {
  #chain: ModelBlock[] = [];
  readonly known = new Set<number>();

  get head(): number | undefined {
    return this.#chain.at(-1)?.number;
  }

  add(block: ModelBlock): void {
    this.#chain.push(block);
  }

  /** Gives the intents of what was undone, newest first. */
  revertTo(number: number): readonly number[] {
    const undone = this.#chain.filter((block) => block.number > number);
    this.#chain = this.#chain.filter((block) => block.number <= number);
    return undone
      .flatMap(({ transitions }) => transitions.map(({ intent }) => intent))
      .toReversed();
  }

  /** Unspent states in the order of the ledger. */
  unspent(): readonly {
    readonly state: number;
    readonly isVacancy: boolean;
  }[] {
    const transitions = this.#chain.flatMap((block) => block.transitions);
    const spent = new Set(transitions.flatMap(({ spends }) => spends));
    return transitions
      .flatMap(({ creates }) => creates)
      .filter(({ state }) => !spent.has(state));
  }

  /** The block of every intent that is fulfilled. */
  fulfilled(): ReadonlyMap<number, number> {
    return new Map(
      this.#chain.flatMap(({ number, transitions }) =>
        transitions.map(({ intent }): [number, number] => [intent, number]),
      ),
    );
  }
}
