import { numberOf, optionalNumberOf, optionalTextOf, textOf } from "./row.ts";
import type { Database, Row, Value } from "./database.ts";
import { type Query, toCondition } from "./query.ts";
import {
  booleanField,
  hexField,
  numberField,
  textField,
  timeField,
} from "./query-fields.ts";
import { search, type Turn } from "./search.ts";

/** AUTOINCREMENT: the number of a receipt that was removed is not given again. */
export const userReceiptsTable = `
CREATE TABLE user_receipts (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  transaction_id TEXT NOT NULL UNIQUE REFERENCES user_transactions (id),
  indexed TEXT NOT NULL,
  success INTEGER NOT NULL,
  type TEXT NOT NULL,
  domain TEXT,
  contract_address TEXT,
  source TEXT,
  transaction_hash TEXT,
  block_number INTEGER,
  transaction_index INTEGER,
  log_index INTEGER,
  failure_message TEXT,
  revert_data TEXT
) STRICT;
`;

/** How a transaction ended. */
export interface UserReceipt {
  readonly transactionId: string;
  readonly indexed: string;
  readonly isSuccess: boolean;
  readonly type: "private" | "public";
  readonly domain: string | undefined;
  /** What was deployed. */
  readonly contractAddress: string | undefined;
  /** The contract whose event says so. */
  readonly source: string | undefined;
  readonly transactionHash: string | undefined;
  readonly blockNumber: number | undefined;
  readonly transactionIndex: number | undefined;
  readonly logIndex: number | undefined;
  readonly failureMessage: string | undefined;
  /** What the contract said. */
  readonly revertData: string | undefined;
}

/** A receipt with its place in the order of all receipts of this node. */
export type NumberedReceipt = UserReceipt & { readonly sequence: number };

/** Which receipts a listener gets. */
export interface ReceiptFilter {
  readonly type?: "private" | "public" | undefined;
  readonly domain?: string | undefined;
}

/** Numbers that are looked at in one piece for a listener: a few milliseconds. */
const windowMax = 4_096;

const fields = {
  id: hexField("transaction_id"),
  sequence: numberField("sequence"),
  indexed: timeField("indexed"),
  success: booleanField("success"),
  domain: textField("domain"),
  contractAddress: hexField("contract_address"),
  source: hexField("source"),
  transactionHash: hexField("transaction_hash"),
  blockNumber: numberField("block_number"),
};

/** The receipts of the users' transactions. */
export class UserReceipts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Only inside a commit. */
  insert(receipt: UserReceipt): void {
    this.#database.run(
      `INSERT INTO user_receipts (transaction_id, indexed, success, type, domain, contract_address, source,
        transaction_hash, block_number, transaction_index, log_index, failure_message, revert_data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      receipt.transactionId,
      receipt.indexed,
      receipt.isSuccess ? 1 : 0,
      receipt.type,
      receipt.domain ?? null,
      receipt.contractAddress ?? null,
      receipt.source ?? null,
      receipt.transactionHash ?? null,
      receipt.blockNumber ?? null,
      receipt.transactionIndex ?? null,
      receipt.logIndex ?? null,
      receipt.failureMessage ?? null,
      receipt.revertData ?? null,
    );
  }

  /** Only inside a commit. */
  remove(transactionId: string): void {
    this.#database.run(
      "DELETE FROM user_receipts WHERE transaction_id = ?",
      transactionId,
    );
  }

  byTransaction(id: string): NumberedReceipt | undefined {
    const row = this.#database.get(
      "SELECT * FROM user_receipts WHERE transaction_id = ?",
      id,
    );
    return row && parse(row);
  }

  /** Of public transactions in later blocks. */
  publicAbove(block: number): readonly NumberedReceipt[] {
    return this.#database
      .all(
        "SELECT * FROM user_receipts WHERE type = 'public' AND block_number > ? ORDER BY sequence",
        block,
      )
      .map(parse);
  }

  /** Latest first unless the query says otherwise. */
  async find(query: Query, turn: Turn): Promise<readonly NumberedReceipt[]> {
    const condition = toCondition(query, { fields });
    const source = { table: "user_receipts", key: "sequence", parse };
    return await search(this.#database, source, condition, turn);
  }

  /**
   * The next ones, in order. Looks only at the next numbers, of which there may be many that nobody wants: `end` is the last
   * that was looked at, if there are later ones.
   */
  after(
    sequence: number,
    { type, domain }: ReceiptFilter,
    count: number,
  ): {
    readonly receipts: readonly NumberedReceipt[];
    readonly end: number | undefined;
  } {
    const end = sequence + windowMax;
    const values: readonly Value[] = [
      sequence,
      end,
      type ?? null,
      type ?? null,
      domain ?? null,
      domain ?? null,
      count,
    ];
    const receipts = this.#database
      .all(
        `SELECT * FROM user_receipts WHERE sequence > ? AND sequence <= ?
         AND (? IS NULL OR type = ?) AND (? IS NULL OR domain = ?) ORDER BY sequence LIMIT ?`,
        ...values,
      )
      .map(parse);
    return { receipts, end: this.#hasLater(end) ? end : undefined };
  }

  #hasLater(sequence: number): boolean {
    const row = this.#database.get(
      "SELECT 1 FROM user_receipts WHERE sequence > ? LIMIT 1",
      sequence,
    );
    return row !== undefined;
  }
}

function parse(row: Row): NumberedReceipt {
  return {
    sequence: numberOf(row, "sequence"),
    transactionId: textOf(row, "transaction_id"),
    indexed: textOf(row, "indexed"),
    isSuccess: numberOf(row, "success") === 1,
    type: textOf(row, "type") as UserReceipt["type"],
    domain: optionalTextOf(row, "domain"),
    contractAddress: optionalTextOf(row, "contract_address"),
    source: optionalTextOf(row, "source"),
    transactionHash: optionalTextOf(row, "transaction_hash"),
    blockNumber: optionalNumberOf(row, "block_number"),
    transactionIndex: optionalNumberOf(row, "transaction_index"),
    logIndex: optionalNumberOf(row, "log_index"),
    failureMessage: optionalTextOf(row, "failure_message"),
    revertData: optionalTextOf(row, "revert_data"),
  };
}
