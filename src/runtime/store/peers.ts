import { type NodeName, parseNodeName } from "../../protocol/ids.ts";
import type { Mark } from "../transport/replay-window.ts";
import { Columns } from "./columns.ts";
import type { Database } from "./database.ts";

export const peersSchema = `
CREATE TABLE peers (
  name TEXT NOT NULL PRIMARY KEY,
  boot INTEGER NOT NULL,
  sequence INTEGER NOT NULL
) WITHOUT ROWID;
`;

/** How far this node has heard its peers, so that it takes nothing twice after a restart. */
export class Peers {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Marks never go back. */
  save(name: NodeName, mark: Mark): void {
    this.#database.run(
      `INSERT INTO peers (name, boot, sequence) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET boot = excluded.boot, sequence = excluded.sequence
       WHERE (excluded.boot, excluded.sequence) > (boot, sequence)`,
      name,
      mark.boot,
      mark.sequence,
    );
  }

  list(): ReadonlyMap<NodeName, Mark> {
    return new Map(
      this.#database
        .all("SELECT name, boot, sequence FROM peers ORDER BY name")
        .map((row): [NodeName, Mark] => {
          const columns = new Columns(row, {
            table: "peers",
            key: String(row["name"]),
          });
          return [
            columns.read("name", parseNodeName),
            {
              boot: columns.count("boot"),
              sequence: columns.count("sequence"),
            },
          ];
        }),
    );
  }
}
