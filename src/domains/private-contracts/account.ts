import { z } from "zod";

import type { Hex } from "../../ledger/index.ts";
import type { DomainState, NewState } from "../domain.ts";
import { hash, number } from "./values.ts";

export const ACCOUNT = "account";

/** An account, without its code and storage, which are states of their own. */
export interface PrivateAccount {
  readonly nonce: bigint;
  readonly balance: bigint;
  /** Undefined if it has no code. */
  readonly codeHash: Hex | undefined;
  /** The number of its storage: how many it had before, and lost. */
  readonly storage: number;
  /** Whether anything was ever written to that storage. */
  readonly hasStorage: boolean;
}

/** An account that nobody knows of. It needs no state. */
export const noAccount: PrivateAccount = {
  nonce: 0n,
  balance: 0n,
  codeHash: undefined,
  storage: 0,
  hasStorage: false,
};

const accountType = z
  .object({
    address: z.string(),
    nonce: number,
    balance: number,
    codeHash: hash.nullable(),
    storage: z.number().int().nonnegative(),
    hasStorage: z.boolean(),
  })
  .strict();

/** The state of an account. */
export function accountState(
  address: string,
  account: PrivateAccount,
): NewState {
  return {
    schema: ACCOUNT,
    label: address,
    data: {
      address,
      nonce: account.nonce.toString(),
      balance: account.balance.toString(),
      codeHash: account.codeHash ?? null,
      storage: account.storage,
      hasStorage: account.hasStorage,
    },
  };
}

/** What an account's state says; undefined if it is none. */
export function readAccount({
  label,
  data,
}: DomainState): PrivateAccount | undefined {
  const read = accountType.safeParse(data).data;
  if (read?.address !== label) return undefined;
  const { nonce, balance, codeHash, storage, hasStorage } = read;
  return {
    nonce,
    balance,
    codeHash: codeHash ?? undefined,
    storage,
    hasStorage,
  };
}

export function isSameAccount(a: PrivateAccount, b: PrivateAccount): boolean {
  return (
    a.nonce === b.nonce &&
    a.balance === b.balance &&
    a.codeHash === b.codeHash &&
    a.storage === b.storage &&
    a.hasStorage === b.hasStorage
  );
}
