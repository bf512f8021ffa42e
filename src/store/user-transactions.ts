import type { GroupAddress, IntentId } from "../protocol/ids.ts";
import type { Json } from "../domains/domain.ts";
import { jsonOf, optionalTextOf, textOf } from "./row.ts";
import type { Database, Row } from "./database.ts";
import { type Query, toCondition } from "./query.ts";
import { hexField, textField, timeField } from "./query-fields.ts";
import { search, type Turn } from "./search.ts";

export const userTransactionsTable = `
CREATE TABLE user_transactions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  idempotency_key TEXT UNIQUE,
  group_address TEXT,
  intent_id TEXT,
  created TEXT NOT NULL,
  submit_mode TEXT NOT NULL,
  type TEXT NOT NULL,
  domain TEXT,
  sender TEXT NOT NULL,
  receiver TEXT,
  function TEXT NOT NULL,
  abi_reference TEXT NOT NULL,
  data TEXT NOT NULL,
  depends_on TEXT NOT NULL,
  UNIQUE (group_address, intent_id)
) STRICT;
CREATE INDEX user_transactions_created ON user_transactions (created);
`;

/** What a user asked for. */
export interface UserTransaction {
  /** A UUID. */
  readonly id: string;
  readonly idempotencyKey: string | undefined;
  /** The group's address and the id of the intent there; undefined for what creates a group. */
  readonly group: string | undefined;
  readonly intentId: string | undefined;
  readonly created: string;
  readonly submitMode: "auto" | "external";
  readonly type: "private" | "public";
  readonly domain: string | undefined;
  readonly from: string;
  readonly to: string | undefined;
  /** Its signature. */
  readonly function: string;
  readonly abiReference: string;
  /** Arguments by name. */
  readonly data: Json;
  readonly dependsOn: readonly string[];
}

const fields = {
  id: hexField("t.id"),
  idempotencyKey: textField("t.idempotency_key"),
  submitMode: textField("t.submit_mode"),
  created: timeField("t.created"),
  domain: textField("t.domain"),
  from: textField("t.sender"),
  to: hexField("t.receiver"),
  type: textField("t.type"),
};

/** The users' transactions, also those that are over. */
export class UserTransactions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Only inside a commit. */
  insert(transaction: UserTransaction): void {
    this.#database.run(
      `INSERT INTO user_transactions (id, idempotency_key, group_address, intent_id, created, submit_mode, type,
        domain, sender, receiver, function, abi_reference, data, depends_on)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      transaction.id,
      transaction.idempotencyKey ?? null,
      transaction.group ?? null,
      transaction.intentId ?? null,
      transaction.created,
      transaction.submitMode,
      transaction.type,
      transaction.domain ?? null,
      transaction.from,
      transaction.to ?? null,
      transaction.function,
      transaction.abiReference,
      JSON.stringify(transaction.data),
      JSON.stringify(transaction.dependsOn),
    );
  }

  byId(id: string): UserTransaction | undefined {
    return this.#one("WHERE id = ?", id);
  }

  byIdempotencyKey(key: string): UserTransaction | undefined {
    return this.#one("WHERE idempotency_key = ?", key);
  }

  byIntent(
    group: GroupAddress,
    intentId: IntentId,
  ): UserTransaction | undefined {
    return this.#one(
      "WHERE group_address = ? AND intent_id = ?",
      group,
      intentId,
    );
  }

  /** Newest first unless the query says otherwise. `isPending` leaves out those with a receipt. */
  async find(
    query: Query,
    { isPending }: { readonly isPending: boolean },
    turn: Turn,
  ): Promise<readonly UserTransaction[]> {
    const condition = toCondition(query, {
      fields,
      where: isPending
        ? {
            sql: "NOT EXISTS (SELECT 1 FROM user_receipts r WHERE r.transaction_id = t.id)",
            values: [],
          }
        : undefined,
    });
    const source = { table: "user_transactions t", key: "t.number", parse };
    return await search(this.#database, source, condition, turn);
  }

  #one(
    where: string,
    ...values: readonly string[]
  ): UserTransaction | undefined {
    const row = this.#database.get(
      `SELECT * FROM user_transactions ${where}`,
      ...values,
    );
    return row && parse(row);
  }
}

function parse(row: Row): UserTransaction {
  return {
    id: textOf(row, "id"),
    idempotencyKey: optionalTextOf(row, "idempotency_key"),
    group: optionalTextOf(row, "group_address"),
    intentId: optionalTextOf(row, "intent_id"),
    created: textOf(row, "created"),
    submitMode: textOf(row, "submit_mode") as UserTransaction["submitMode"],
    type: textOf(row, "type") as UserTransaction["type"],
    domain: optionalTextOf(row, "domain"),
    from: textOf(row, "sender"),
    to: optionalTextOf(row, "receiver"),
    function: textOf(row, "function"),
    abiReference: textOf(row, "abi_reference"),
    data: jsonOf(row, "data") as Json,
    dependsOn: jsonOf(row, "depends_on") as readonly string[],
  };
}
