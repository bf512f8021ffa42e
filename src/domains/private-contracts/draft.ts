import type { Hex } from "../../ledger/index.ts";
import type { StateId } from "../../protocol/ids.ts";
import type { DomainState, NewState } from "../domain.ts";
import { codeState } from "./code.ts";
import { type Part, partState, withNames } from "./directory.ts";
import { groupBy } from "./group-by.ts";
import type { Reader } from "./reader.ts";

/** What a transaction does to states. */
export interface Effect {
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly NewState[];
}

/** Collects what becomes of states. */
export class Draft {
  readonly #reader: Reader;
  readonly #spent = new Set<StateId>();
  readonly #outputs: NewState[] = [];
  readonly #codes = new Set<Hex>();
  /** Names that are new, by directory. */
  readonly #names = new Map<string, string[]>();
  /** Directories that are new. */
  readonly #opened = new Set<string>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** The old state, if there is one, makes way for the new one. */
  replace(old: DomainState | undefined, state: NewState): void {
    if (old !== undefined) this.#spent.add(old.id);
    this.#outputs.push(state);
  }

  /** Somebody has this code now. */
  keepCode(hash: Hex, code: Uint8Array): void {
    if (this.#codes.has(hash)) return;
    this.#codes.add(hash);
    if (this.#reader.findCode(hash) === undefined)
      this.#outputs.push(codeState(code));
  }

  openDirectory(directory: string): void {
    this.#opened.add(directory);
  }

  addName(directory: string, name: string): void {
    const names = this.#names.get(directory) ?? [];
    this.#names.set(directory, [...names, name]);
  }

  /** The whole effect. */
  finish(): Effect {
    for (const [directory, names] of this.#names)
      if (this.#opened.has(directory))
        this.#writePart({ directory, prefix: "", names: new Set() }, names);
      else this.#extend(directory, names);
    return {
      inputs: [...this.#spent],
      reads: this.#reader.used
        .map(({ id }) => id)
        .filter((id) => !this.#spent.has(id)),
      outputs: this.#outputs,
    };
  }

  #extend(directory: string, names: readonly string[]): void {
    const added = groupBy(
      names,
      (name) => this.#reader.part(directory, name).state.label,
    );
    for (const own of added.values()) {
      const [name = ""] = own;
      const { state, value } = this.#reader.part(directory, name);
      this.#spent.add(state.id);
      this.#writePart(value, own);
    }
  }

  #writePart(part: Part, added: readonly string[]): void {
    this.#outputs.push(...withNames(part, added).map(partState));
  }
}
