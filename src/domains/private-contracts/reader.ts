import type { Hex } from "../../ledger/index.ts";
import type { StateId } from "../../protocol/ids.ts";
import type { DomainState } from "../domain.ts";
import { ACCOUNT, type PrivateAccount, readAccount } from "./account.ts";
import { bounds } from "./bounds.ts";
import { CODE, readCode } from "./code.ts";
import {
  accounts,
  DIRECTORY,
  labelsOf,
  type Part,
  readPart,
} from "./directory.ts";
import { PAGE, pageOf, readPage, type Slots, storageName } from "./page.ts";

/** The state with a schema and a label. There is at most one, except that there may be several with the same code. */
export type Lookup = (schema: string, label: string) => DomainState | undefined;

/** What a state says, and the state, to be spent if that changes. */
export interface Found<Value> {
  readonly state: DomainState;
  readonly value: Value;
}

/** A state that has to be there is not, or makes no sense. */
export class StateMissing extends Error {
  override readonly name = "StateMissing";
}

/** A transaction looks for more states than any step may have. */
export class TooManyStates extends Error {
  override readonly name = "TooManyStates";

  constructor() {
    super(
      `It looks for more than ${bounds.lookups} states (accounts, code, pages of storage). Do less at a time.`,
    );
  }
}

/** Reads accounts, code and storage out of states, and remembers the states that it used. */
export class Reader {
  readonly #lookup: Lookup;
  #lookups = 0;
  readonly #used = new Map<StateId, DomainState>();
  readonly #account = once((address) => {
    const found = this.#read(ACCOUNT, address, readAccount);
    if (found === undefined) this.#requireAbsent(accounts, address);
    return found;
  });
  readonly #page = once((label) => {
    const found = this.#read(PAGE, label, readPage);
    const end = label.lastIndexOf("/");
    if (found === undefined)
      this.#requireAbsent(label.slice(0, end), label.slice(end + 1));
    return found;
  });
  readonly #part = once((label) => this.#read(DIRECTORY, label, readPart));

  constructor(lookup: Lookup) {
    this.#lookup = lookup;
  }

  /** In the order in which they were first used, which is the same for everybody who does the same. */
  get used(): readonly DomainState[] {
    return [...this.#used.values()];
  }

  /** Undefined if there is none. */
  account(address: string): Found<PrivateAccount> | undefined {
    return isReserved(address) ? undefined : this.#account(address);
  }

  /** The code that somebody has; it has to be there. */
  code(hash: Hex): Uint8Array {
    const found = this.findCode(hash);
    if (found === undefined) throw new StateMissing(`The code ${hash}`);
    return found.value;
  }

  findCode(hash: Hex): Found<Uint8Array> | undefined {
    return this.#read(CODE, hash, readCode);
  }

  /** The page with a slot; undefined if nothing was ever written there. */
  page(
    address: string,
    { storage, hasStorage }: PrivateAccount,
    slot: bigint,
  ): Found<Slots> | undefined {
    if (!hasStorage) return undefined;
    return this.#page(`${storageName(address, storage)}/${pageOf(slot)}`);
  }

  /** The part of a directory that has a name, or would have it. */
  part(directory: string, name: string): Found<Part> {
    for (const label of labelsOf(directory, name)) {
      const found = this.#part(label);
      if (found !== undefined) return found;
    }
    throw new StateMissing(`The directory ${directory}`);
  }

  #requireAbsent(directory: string, name: string): void {
    if (this.part(directory, name).value.names.has(name))
      throw new StateMissing(`${name} of ${directory}`);
  }

  #read<Value>(
    schema: string,
    label: string,
    parse: (state: DomainState) => Value | undefined,
  ): Found<Value> | undefined {
    this.#lookups += 1;
    if (this.#lookups > bounds.lookups) throw new TooManyStates();
    const state = this.#lookup(schema, label);
    if (state === undefined) return undefined;
    const value = parse(state);
    if (value === undefined)
      throw new StateMissing(`${schema} ${label} makes no sense`);
    this.#used.set(state.id, state);
    return { state, value };
  }
}

/** The first 65,536 addresses belong to the EVM. No contract is ever created there. */
export function isReserved(address: string): boolean {
  return /^0x0{36}/.test(address);
}

/** Asks every question once. */
function once<Value>(ask: (key: string) => Value): (key: string) => Value {
  const answers = new Map<string, { readonly value: Value }>();
  return (key) => {
    const known = answers.get(key) ?? { value: ask(key) };
    answers.set(key, known);
    return known.value;
  };
}
