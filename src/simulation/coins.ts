import {
  parseStateId,
  type IntentId,
  type Place,
  type StateId,
} from "../protocol/ids.ts";
import type { State } from "../protocol/transition.ts";
import { stateIdOf } from "./hashing.ts";

/** A state of the simulated domain: an amount in an account. A coin of nothing is a note. */
export interface Coin {
  readonly state: State;
  readonly account: string;
  readonly amount: number;
}

const parsed = new WeakMap<State, Coin>();

/** The coin that output `index` of an intent creates. Its content names its origin, so anybody can check its id. */
export function mintCoin(coin: {
  readonly account: string;
  readonly amount: number;
  readonly index: number;
  readonly intentId: IntentId;
}): Coin {
  const { account, amount, index, intentId } = coin;
  const content = `${account}:${amount}:${index}:${intentId}`;
  const state = {
    id: stateIdOf({ intentId, index, content }),
    content,
  };
  const minted = { state, account, amount };
  parsed.set(state, minted);
  return minted;
}

/** The account whose coins only those see who endorse. */
const secretAccount = "e";

/** Whether a state is not for everybody. */
export function isSecret(state: State): boolean {
  return readCoin(state)?.account === secretAccount;
}

/** The coin behind a state, or undefined if the content is nonsense or does not belong to the id. */
export function readCoin(state: State): Coin | undefined {
  const known = parsed.get(state);
  if (known !== undefined) return known;
  const [account, amountText, indexText, intentId, rest] =
    state.content.split(":");
  if (
    account === undefined ||
    amountText === undefined ||
    indexText === undefined ||
    intentId === undefined ||
    rest !== undefined
  )
    return undefined;
  const amount = Number(amountText);
  const index = Number(indexText);
  if (!Number.isSafeInteger(amount) || amount < 0) return undefined;
  const id = stateIdOf({ intentId, index, content: state.content });
  if (id !== parseStateId(state.id)) return undefined;
  const coin = { state, account, amount };
  parsed.set(state, coin);
  return coin;
}

/** The coins that exist in one node's view of the ledger, and what happened before. */
export class Holdings {
  readonly #coins = new Map<StateId, Coin>();
  readonly #places = new Map<StateId, Place>();
  readonly #accounts = new Map<string, Map<StateId, Coin>>();
  readonly #spent = new Set<StateId>();
  readonly #fulfilled = new Set<IntentId>();

  coin(id: StateId): Coin | undefined {
    return this.#coins.get(id);
  }

  has(id: StateId): boolean {
    return this.#coins.has(id);
  }

  /** Where the ledger keeps a coin. */
  placeOf(id: StateId): Place | undefined {
    return this.#places.get(id);
  }

  coinsOf(account: string): Iterable<Coin> {
    return this.#accounts.get(account)?.values() ?? [];
  }

  isSpent(id: StateId): boolean {
    return this.#spent.has(id);
  }

  isFulfilled(id: IntentId): boolean {
    return this.#fulfilled.has(id);
  }

  fulfil(id: IntentId): void {
    this.#fulfilled.add(id);
  }

  unfulfil(id: IntentId): void {
    this.#fulfilled.delete(id);
  }

  create(coin: Coin, place: Place): void {
    const { id } = coin.state;
    this.#places.set(id, place);
    this.#coins.set(id, coin);
    this.#spent.delete(id);
    const account = this.#accounts.get(coin.account);
    if (account === undefined)
      this.#accounts.set(coin.account, new Map([[id, coin]]));
    else account.set(id, coin);
  }

  spend(id: StateId): void {
    this.#remove(id);
    this.#spent.add(id);
  }

  /** Takes back a creation: the state never was. */
  uncreate(id: StateId): void {
    this.#remove(id);
    this.#spent.delete(id);
  }

  #remove(id: StateId): void {
    const coin = this.#coins.get(id);
    if (coin === undefined) return;
    this.#coins.delete(id);
    this.#places.delete(id);
    this.#accounts.get(coin.account)?.delete(id);
  }
}
