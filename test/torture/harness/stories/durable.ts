import { DatabaseSync } from "node:sqlite";

import type { SavedRecord } from "../../../../src/protocol/records.ts";
import { durableIn } from "../processes/fail-points.ts";

/** How far what is open has got on a node's disk. The node must be down. */
export function durableOn(options: {
  readonly file: string;
  readonly group: string;
}): readonly string[] {
  const database = new DatabaseSync(options.file);
  try {
    return database
      .prepare(
        "SELECT record, progress FROM records WHERE group_address = ? AND outcome = 'open' AND key <> 'horizon' ORDER BY number",
      )
      .all(options.group)
      .map(({ record, progress }) =>
        durableIn({
          ...(JSON.parse(String(record)) as SavedRecord),
          ...(JSON.parse(String(progress)) as object),
        }),
      );
  } finally {
    database.close();
  }
}
