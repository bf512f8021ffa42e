import type { Database } from "./database.ts";
import { numberOf, optionalTextOf, textOf } from "./row.ts";

export const publicTransactionsTable = `
CREATE TABLE public_transactions (
  transaction_id TEXT PRIMARY KEY REFERENCES user_transactions (id),
  sender TEXT NOT NULL,
  receiver TEXT,
  data TEXT NOT NULL,
  value TEXT NOT NULL,
  gas TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  transaction_hash TEXT NOT NULL
) STRICT;
`;

/** A transaction of the base ledger that ended. */
export interface PublicTransaction {
  readonly from: string;
  readonly to: string | undefined;
  readonly data: string;
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly nonce: number;
  readonly transactionHash: string;
}

/** What users' transactions were on the base ledger. As long as they have not ended, the submitter knows. */
export class PublicTransactions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Only inside a commit. */
  save(transactionId: string, transaction: PublicTransaction): void {
    this.#database.run(
      `INSERT OR REPLACE INTO public_transactions (transaction_id, sender, receiver, data, value, gas, nonce, transaction_hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      transactionId,
      transaction.from,
      transaction.to ?? null,
      transaction.data,
      transaction.value.toString(),
      transaction.gasLimit.toString(),
      transaction.nonce,
      transaction.transactionHash,
    );
  }

  byTransaction(transactionId: string): PublicTransaction | undefined {
    const row = this.#database.get(
      "SELECT * FROM public_transactions WHERE transaction_id = ?",
      transactionId,
    );
    return (
      row && {
        from: textOf(row, "sender"),
        to: optionalTextOf(row, "receiver"),
        data: textOf(row, "data"),
        value: BigInt(textOf(row, "value")),
        gasLimit: BigInt(textOf(row, "gas")),
        nonce: numberOf(row, "nonce"),
        transactionHash: textOf(row, "transaction_hash"),
      }
    );
  }
}
