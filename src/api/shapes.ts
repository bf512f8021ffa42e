import type { Json } from "../domains/domain.ts";

/** A transaction, as users see it. */
export interface TransactionView {
  readonly id: string;
  readonly created: string;
  readonly submitMode: "auto" | "external";
  readonly idempotencyKey?: string | undefined;
  readonly type: "private" | "public";
  readonly domain?: string | undefined;
  readonly function: string;
  readonly abiReference: string;
  readonly from: string;
  readonly to?: string | undefined;
  readonly data: Json;
}

/** A transaction with what became of it. */
export interface FullTransactionView extends TransactionView {
  readonly receipt: ReceiptView | null;
  /** Null for a private one. */
  readonly public: readonly PublicView[] | null;
  readonly dependsOn?: readonly string[] | undefined;
}

/** A receipt, as users see it. What does not apply is not there at all: clients test for that. */
export interface ReceiptView {
  readonly id: string;
  readonly sequence: number;
  readonly domain?: string | undefined;
  readonly success?: true | undefined;
  readonly transactionHash?: string | undefined;
  readonly blockNumber?: number | undefined;
  readonly transactionIndex: number;
  readonly logIndex?: number | undefined;
  readonly source?: string | undefined;
  readonly failureMessage?: string | undefined;
  readonly revertData?: string | undefined;
  readonly contractAddress?: string | undefined;
}

/** A transaction of the base ledger. Amounts are 0x and digits. */
export interface PublicView {
  readonly from: string;
  readonly to?: string | undefined;
  readonly data: string;
  readonly nonce: string;
  readonly created: string;
  /** The node that got it mined. */
  readonly dispatcher: string;
  readonly transactionHash: string;
  readonly success?: boolean | undefined;
  readonly completedAt?: string | undefined;
  readonly revertData?: string | undefined;
  readonly gas: string;
  readonly value: string;
}

/** A receipt with what the transaction did. */
export interface FullReceiptView extends ReceiptView {
  /** Null for a private one. */
  readonly public: readonly PublicView[] | null;
  /** Not for a public one. */
  readonly states?: StatesView | undefined;
  readonly domainReceipt?: Json | undefined;
  readonly domainReceiptError?: string | undefined;
}

/** What was prepared: the public transaction that carries it out. */
export interface PreparedView {
  readonly id: string;
  readonly domain: string;
  readonly to: string;
  readonly transaction: Json;
  readonly states: StatesView;
  readonly metadata: Json;
}

/** The states of a transaction. */
export interface StatesView {
  readonly none?: true | undefined;
  readonly spent?: readonly StateView[] | undefined;
  readonly read?: readonly StateView[] | undefined;
  readonly confirmed?: readonly StateView[] | undefined;
}

export interface StateView {
  readonly id: string;
  readonly created: string;
  readonly domain: string;
  readonly schema: string;
  readonly contractAddress: string;
  readonly data: Json;
}
