import { Columns } from "./columns.ts";
import type { Database } from "./database.ts";

export const bootsSchema = `
CREATE TABLE boots (boot INTEGER NOT NULL, started_at INTEGER NOT NULL);
INSERT INTO boots (boot, started_at) VALUES (0, 0);
`;

/** One opening of a store. */
export interface Boot {
  /** How often this store was opened. A store that was lost begins anew. */
  readonly boot: number;
  /**
   * Milliseconds since 1970, or more: never less than one more than at the opening before. So it grows from one start of a node to
   * the next also if the disk was lost in between or replaced by an older copy, as long as the clock is right.
   */
  readonly startedAt: number;
}

/** Counts this opening of the store. The numbers are on the disk before anybody hears them. */
export function nextBoot(database: Database, nowMs: number): Boot {
  const row = database.write(() => {
    database.run(
      "UPDATE boots SET boot = boot + 1, started_at = max(started_at + 1, ?)",
      nowMs,
    );
    return database.get("SELECT boot, started_at FROM boots");
  });
  database.flushNow();
  const columns = new Columns(row ?? {}, { table: "boots", key: "1" });
  return {
    boot: columns.count("boot"),
    startedAt: columns.count("started_at"),
  };
}
