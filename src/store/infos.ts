import {
  type Digest,
  type GroupAddress,
  type IntentId,
  parseStateId,
} from "../protocol/ids.ts";
import type { State } from "../protocol/transition.ts";
import { Columns } from "./columns.ts";
import type { Database } from "./database.ts";

/** By the bundle too: only the one that the ledger carried out tells what happened. */
export const infosSchema = `
CREATE TABLE infos (
  group_address TEXT NOT NULL,
  intent_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (group_address, intent_id, digest, number)
);
`;

/** What is to be known of steps besides their states. */
export class Infos {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps what one step of a bundle tells; the first, if it is said again. */
  save(
    group: GroupAddress,
    step: {
      readonly intentId: IntentId;
      readonly digest: Digest;
      readonly infos: readonly State[];
    },
  ): void {
    for (const [number, { id, content }] of step.infos.entries())
      this.#database.run(
        "INSERT OR IGNORE INTO infos (group_address, intent_id, digest, number, id, content) VALUES (?, ?, ?, ?, ?, ?)",
        group,
        step.intentId,
        step.digest,
        number,
        id,
        content,
      );
  }

  find(
    group: GroupAddress,
    step: { readonly intentId: IntentId; readonly digest: Digest },
  ): readonly State[] {
    return this.#database
      .all(
        "SELECT * FROM infos WHERE group_address = ? AND intent_id = ? AND digest = ? ORDER BY number",
        group,
        step.intentId,
        step.digest,
      )
      .map((row) => {
        const columns = new Columns(row, {
          table: "infos",
          key: String(row["intent_id"]),
        });
        return {
          id: columns.read("id", parseStateId),
          content: columns.text("content"),
        };
      });
  }
}
