import type { Hex } from "../../ledger/index.ts";

/** What the EVM knows of an account. */
export interface AccountFacts {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly codeHash: Hex | undefined;
}

/** What a transaction changed, or at least wrote. */
export interface Changes {
  /** By address; undefined for an account that is gone. */
  readonly accounts: ReadonlyMap<string, AccountFacts | undefined>;
  /** By address and slot. */
  readonly storages: ReadonlyMap<string, ReadonlyMap<bigint, bigint>>;
  /** Addresses that lost what they had stored before. */
  readonly cleared: ReadonlySet<string>;
  /** By hash. */
  readonly codes: ReadonlyMap<Hex, Uint8Array>;
}

/** An account that is empty is as good as none (EIP-161). */
export function isNobody({ nonce, balance, codeHash }: AccountFacts): boolean {
  return nonce === 0n && balance === 0n && codeHash === undefined;
}
