import { dirname } from "node:path";

import { type StoreKind, storeKindOf } from "../store/log/kind.ts";
import { StoreError } from "../store/store-error.ts";
import { ReplicaError } from "./errors.ts";

/**
 * Refuses a store that a node wrote without a database: nothing of it is in the log, so a replica that followed the log with it would lose
 * all of it. Nothing of the file is changed.
 */
export function requireLogged(file: string, node: { name: string }): void {
  if (kindIfReadable(file) !== "alone") return;
  throw new ReplicaError(
    "NOT_IMPORTED",
    `The store ${file} was written without a database. Import it with: npx hardhat sequencer:database import --name ${node.name} --data-dir ${dirname(dirname(file))}`,
  );
}

/** Opening the store says what is wrong with it. */
function kindIfReadable(file: string): StoreKind | undefined {
  try {
    return storeKindOf(file);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
