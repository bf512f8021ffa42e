import { closeSync, existsSync, openSync } from "node:fs";

import { fromSystem, StoreError } from "./store-error.ts";

/**
 * Private states are for nobody else's eyes. What SQLite puts next to the file gets the same permissions. A file that exists
 * is not touched: closing it here would give up the lock that this process may have on it.
 */
export function createPrivately(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    const known = error instanceof Error ? fromSystem(file, error) : error;
    if (known instanceof StoreError) throw known;
    throw new StoreError(
      "FAILED",
      `${file} cannot be created: ${error instanceof Error ? error.message : "no reason given"}.`,
      { cause: error },
    );
  }
}
