import type { StateId as LedgerId } from "../ledger/index.ts";
import {
  type GroupAddress,
  parseStateId,
  type StateId,
} from "../protocol/ids.ts";
import { Columns } from "./columns.ts";
import type { Database, Row } from "./database.ts";
import { ledgerId } from "./shapes.ts";

/**
 * One private state can have several ids on the ledger, one after the other: when a reorganisation undoes its transition,
 * its intent may come back in another one.
 */
export const contentsSchema = `
CREATE TABLE contents (
  group_address TEXT NOT NULL,
  ledger_id TEXT NOT NULL,
  id TEXT NOT NULL,
  schema TEXT NOT NULL,
  label TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (group_address, ledger_id)
);
CREATE INDEX contents_by_id ON contents (group_address, id);
`;

/** What a state means. */
export interface StateContent {
  /** Its private id. */
  readonly id: StateId;
  readonly ledgerId: LedgerId;
  readonly schema: string;
  readonly label: string;
  readonly content: string;
}

/** Contents of states, whether they are on the ledger or not. */
export class Contents {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  save(group: GroupAddress, content: StateContent): void {
    this.#database.run(
      `INSERT INTO contents (group_address, ledger_id, id, schema, label, content) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (group_address, ledger_id) DO UPDATE SET
         id = excluded.id, schema = excluded.schema, label = excluded.label, content = excluded.content`,
      group,
      content.ledgerId,
      content.id,
      content.schema,
      content.label,
      content.content,
    );
  }

  /** With the id that it has on the ledger now; if it has none, with the last one that was known. */
  get(group: GroupAddress, id: StateId): StateContent | undefined {
    const row = this.#database.get(
      `SELECT contents.* FROM contents LEFT JOIN states USING (group_address, ledger_id)
       WHERE group_address = ? AND id = ? ORDER BY states.number IS NULL, contents.rowid DESC LIMIT 1`,
      group,
      id,
    );
    return row === undefined ? undefined : readContent(row);
  }

  byLedgerId(group: GroupAddress, id: LedgerId): StateContent | undefined {
    const row = this.#database.get(
      "SELECT * FROM contents WHERE group_address = ? AND ledger_id = ?",
      group,
      id,
    );
    return row === undefined ? undefined : readContent(row);
  }
}

/** Reads the columns of this table from a row, which may have others too. */
export function readContent(row: Row): StateContent {
  const columns = new Columns(row, {
    table: "contents",
    key: String(row["ledger_id"]),
  });
  return {
    id: columns.read("id", parseStateId),
    ledgerId: columns.read("ledger_id", ledgerId),
    schema: columns.text("schema"),
    label: columns.text("label"),
    content: columns.text("content"),
  };
}
