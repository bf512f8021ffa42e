import { type GroupAddress, parseGroupAddress } from "../protocol/ids.ts";
import { Columns } from "./columns.ts";
import type { Database } from "./database.ts";

export const missingGroupsSchema = `
CREATE TABLE group_search (through INTEGER NOT NULL);
INSERT INTO group_search (through) VALUES (-1);
CREATE TABLE missing_groups (
  address TEXT NOT NULL PRIMARY KEY,
  block INTEGER NOT NULL
) WITHOUT ROWID;
`;

/** A group in which the ledger has this node as an endorser, and which this node does not know. */
export interface MissingGroup {
  readonly address: GroupAddress;
  /** Where the ledger says so. */
  readonly block: number;
}

/** How far the ledger was searched for groups of this node, and which of them it does not know. */
export class MissingGroups {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The last block that was searched; -1 before the first. */
  through(): number {
    const row = this.#database.get("SELECT through FROM group_search");
    const through = row?.["through"];
    if (typeof through !== "number")
      throw new Error("The search for groups has no row.");
    return through;
  }

  /** Those found up to a block, together with that block. Others are found again by the next search. */
  save(through: number, missing: readonly MissingGroup[]): void {
    this.#database.run("UPDATE group_search SET through = ?", through);
    this.#database.run("DELETE FROM missing_groups");
    for (const { address, block } of missing)
      this.#database.run(
        "INSERT INTO missing_groups (address, block) VALUES (?, ?)",
        address,
        block,
      );
  }

  list(): readonly MissingGroup[] {
    return this.#database
      .all("SELECT address, block FROM missing_groups ORDER BY block, address")
      .map((row) => {
        const columns = new Columns(row, {
          table: "missing_groups",
          key: String(row["address"]),
        });
        return {
          address: columns.read("address", parseGroupAddress),
          block: columns.count("block"),
        };
      });
  }
}
