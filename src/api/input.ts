import type { AbiEntry } from "../domains/domain.ts";

/** What a user sends, as far as its form was checked. */
export interface TransactionInput {
  readonly type: "public" | "private";
  readonly from: string;
  readonly to?: string | null | undefined;
  readonly domain?: string | null | undefined;
  readonly function?: string | null | undefined;
  readonly abi?: readonly AbiEntry[] | null | undefined;
  readonly abiReference?: string | null | undefined;
  readonly bytecode?: string | null | undefined;
  readonly data?: unknown;
  /** Of public transactions; as in `readQuantity`. */
  readonly gas?: unknown;
  readonly value?: unknown;
  readonly maxFeePerGas?: unknown;
  readonly maxPriorityFeePerGas?: unknown;
  readonly idempotencyKey?: string | null | undefined;
  readonly dependsOn?: readonly string[] | null | undefined;
}

/** What a user asks. */
export interface CallInput extends Omit<TransactionInput, "from"> {
  readonly from?: string | null | undefined;
  readonly block?: unknown;
}
