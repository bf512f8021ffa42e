import { z } from "zod";

import type { DomainState, NewState, StateView } from "../domain.ts";

const SCHEMA = "coin";

/** No sum of coins overflows the 256 bits of a balance. */
export const AMOUNT_MAX = 2n ** 128n - 1n;

/** An amount as text: decimal digits, from 1 to {@link AMOUNT_MAX}. */
export const amountType = z
  .string()
  .refine(
    (text) => /^[1-9][0-9]{0,38}$/.test(text) && BigInt(text) <= AMOUNT_MAX,
    "an amount is a whole number from 1 to 2^128 - 1",
  );

const coinType = z
  .object({ owner: z.string(), amount: amountType })
  .strict()
  .readonly();

/** What is on a coin. */
export interface Coin {
  readonly owner: string;
  readonly amount: bigint;
}

/** A coin that is there. */
export interface OwnedCoin extends Coin {
  readonly id: DomainState["id"];
}

/** A coin as a state. */
export function stateOf({ owner, amount }: Coin): NewState {
  return {
    schema: SCHEMA,
    label: owner,
    data: { owner, amount: amount.toString() },
  };
}

/** What is on a coin; undefined if the state is no coin. */
export function readCoin({ schema, label, data }: NewState): Coin | undefined {
  const read = coinType.safeParse(data);
  if (schema !== SCHEMA || !read.success || read.data.owner !== label)
    return undefined;
  return { owner: label, amount: BigInt(read.data.amount) };
}

/** The coins of an owner, oldest first. */
export function* coinsOf(view: StateView, owner: string): Iterable<OwnedCoin> {
  for (const state of view.find(SCHEMA, owner)) {
    const coin = readCoin(state);
    if (coin !== undefined) yield { ...coin, id: state.id };
  }
}

/** What coins are worth together. */
export function sumOf(coins: Iterable<Coin>): bigint {
  let sum = 0n;
  for (const { amount } of coins) sum += amount;
  return sum;
}
