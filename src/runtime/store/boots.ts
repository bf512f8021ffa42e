import { Columns } from "./columns.ts";
import type { Database } from "./database.ts";

export const bootsSchema = `
CREATE TABLE boots (boot INTEGER NOT NULL);
INSERT INTO boots (boot) VALUES (0);
`;

/** Counts this opening of the store. The number is on the disk before anybody hears it. */
export function nextBoot(database: Database): number {
  const row = database.commit(() =>
    database.get("UPDATE boots SET boot = boot + 1 RETURNING boot"),
  );
  return new Columns(row ?? {}, { table: "boots", key: "1" }).count("boot");
}
