import { join } from "node:path";

import { SequencerError } from "../../src/plugin/errors.ts";
import { reasonOf } from "../../src/host/parts.ts";
import { diskProblemOf } from "../../src/store/disk-problem.ts";
import { KeyError } from "../../src/keys/key-error.ts";
import { StoreError } from "../../src/store/store-error.ts";

/** What is wrong with a data directory, for its user. Other errors stay as they are. */
export function dataDirErrorOf(failed: unknown, directory: string): unknown {
  const error = reasonOf(failed);
  if (error instanceof StoreError && error.code === "LOCKED")
    return new SequencerError("DATA_DIR_LOCKED", { directory }, error);
  if (error instanceof StoreError || error instanceof KeyError)
    return new SequencerError(
      "DATA_DIR_DAMAGED",
      { reason: error.message },
      error,
    );
  const reason = diskProblemOf(
    fileOf(error) ?? join(directory, "run.json"),
    error,
  );
  return reason !== undefined && error instanceof Error
    ? new SequencerError("DATA_DIR_DAMAGED", { reason }, error)
    : error;
}

/** The file that an error of the operating system is about. */
function fileOf(error: unknown): string | undefined {
  const path: unknown = Reflect.get(Object(error), "path");
  return typeof path === "string" ? path : undefined;
}
