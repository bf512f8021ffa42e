import { jsonOf, numberOf, textOf } from "./row.ts";
import type { Database, Row } from "./database.ts";
import { type Query, toCondition } from "./query.ts";
import { booleanField, textField, timeField } from "./query-fields.ts";
import { search, type Turn } from "./search.ts";
import type { ReceiptFilter } from "./user-receipts.ts";

export const receiptListenersTable = `
CREATE TABLE receipt_listeners (
  name TEXT PRIMARY KEY,
  created TEXT NOT NULL,
  started INTEGER NOT NULL,
  filters TEXT NOT NULL,
  options TEXT NOT NULL,
  checkpoint INTEGER NOT NULL
) STRICT;
`;

/** A user's standing order for receipts. */
export interface ListenerSpec {
  readonly name: string;
  readonly created: string;
  readonly isStarted: boolean;
  readonly filters: ReceiptFilter & {
    readonly sequenceAbove?: number | undefined;
  };
  readonly options: {
    readonly domainReceipts?: boolean | undefined;
    readonly incompleteStateReceiptBehavior?: string | undefined;
  };
}

const fields = {
  name: textField("name"),
  created: timeField("created"),
  started: booleanField("started"),
};

/** Receipt listeners, and how far each has come. */
export class ReceiptListeners {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Only inside a commit. The first receipt is the one after `sequenceAbove`. */
  insert(spec: ListenerSpec): void {
    this.#database.run(
      "INSERT INTO receipt_listeners (name, created, started, filters, options, checkpoint) VALUES (?, ?, ?, ?, ?, ?)",
      spec.name,
      spec.created,
      spec.isStarted ? 1 : 0,
      JSON.stringify(spec.filters),
      JSON.stringify(spec.options),
      spec.filters.sequenceAbove ?? 0,
    );
  }

  /** Only inside a commit; its checkpoint goes with it. False if there is none. */
  remove(name: string): boolean {
    return (
      this.#database.run("DELETE FROM receipt_listeners WHERE name = ?", name) >
      0
    );
  }

  /** Only inside a commit. False if there is none. */
  setStarted(name: string, isStarted: boolean): boolean {
    return (
      this.#database.run(
        "UPDATE receipt_listeners SET started = ? WHERE name = ?",
        isStarted ? 1 : 0,
        name,
      ) > 0
    );
  }

  /** Only inside a commit. */
  setCheckpoint(name: string, sequence: number): void {
    this.#database.run(
      "UPDATE receipt_listeners SET checkpoint = ? WHERE name = ?",
      sequence,
      name,
    );
  }

  /** The last receipt that was acknowledged. */
  checkpointOf(name: string): number {
    const row = this.#database.get(
      "SELECT checkpoint FROM receipt_listeners WHERE name = ?",
      name,
    );
    return row === undefined ? 0 : numberOf(row, "checkpoint");
  }

  byName(name: string): ListenerSpec | undefined {
    const row = this.#database.get(
      "SELECT * FROM receipt_listeners WHERE name = ?",
      name,
    );
    return row && parse(row);
  }

  /** Newest first unless the query says otherwise. */
  async find(query: Query, turn: Turn): Promise<readonly ListenerSpec[]> {
    const condition = toCondition(query, { fields });
    const source = { table: "receipt_listeners", key: "rowid", parse };
    return await search(this.#database, source, condition, turn);
  }
}

function parse(row: Row): ListenerSpec {
  return {
    name: textOf(row, "name"),
    created: textOf(row, "created"),
    isStarted: numberOf(row, "started") === 1,
    filters: jsonOf(row, "filters") as ListenerSpec["filters"],
    options: jsonOf(row, "options") as ListenerSpec["options"],
  };
}
