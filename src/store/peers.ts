import { type NodeName, parseNodeName } from "../protocol/ids.ts";
import { Columns } from "./columns.ts";
import type { Database } from "./database.ts";

export const peersSchema = `
CREATE TABLE peers (
  name TEXT NOT NULL PRIMARY KEY,
  boot INTEGER NOT NULL
) WITHOUT ROWID;
`;

/** The boots in which peers were heard, so that an older copy of a peer is not heard after a restart either. */
export class Peers {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Boots never go back. */
  save(name: NodeName, boot: number): void {
    this.#database.run(
      `INSERT INTO peers (name, boot) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET boot = max(boot, excluded.boot)`,
      name,
      boot,
    );
  }

  list(): ReadonlyMap<NodeName, number> {
    return new Map(
      this.#database
        .all("SELECT name, boot FROM peers ORDER BY name")
        .map((row): [NodeName, number] => {
          const columns = new Columns(row, {
            table: "peers",
            key: String(row["name"]),
          });
          return [columns.read("name", parseNodeName), columns.count("boot")];
        }),
    );
  }
}
