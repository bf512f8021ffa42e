import type { Address, Digest, Hex } from "../ledger/index.ts";

/** A key cannot be used for now. Trying again may help. The message has no secret in it. */
export class SignerError extends Error {
  override readonly name = "SignerError";
}

/** Endorses: signs digests of the ledger with a member's key. The key stays inside. */
export interface Endorser {
  readonly address: Address;
  readonly sign: (digest: Digest) => Hex | Promise<Hex>;
}

/** A base-ledger transaction (EIP-1559), ready to be signed. */
export interface UnsignedTransaction {
  readonly chainId: bigint;
  readonly nonce: number;
  /** Undefined: it creates a contract. */
  readonly to: Address | undefined;
  readonly data: Hex;
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** On a chain without a base fee (EIP-1559): the price of gas, which counts instead of the two others. */
  readonly gasPrice?: bigint | undefined;
}

/** Pays: signs base-ledger transactions. The key stays inside. */
export interface Payer {
  readonly address: Address;
  readonly signTransaction: (
    transaction: UnsignedTransaction,
  ) => Hex | Promise<Hex>;
}
