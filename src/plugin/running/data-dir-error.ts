import { KeyError } from "../../runtime/keys/key-error.ts";
import { StoreError } from "../../runtime/store/store-error.ts";
import { SequencerError } from "../errors.ts";

/** What is wrong with a data directory, for its user. Other errors stay as they are. */
export function dataDirErrorOf(error: unknown, directory: string): unknown {
  if (error instanceof StoreError && error.code === "LOCKED")
    return new SequencerError("DATA_DIR_LOCKED", { directory }, error);
  if (error instanceof StoreError || error instanceof KeyError)
    return new SequencerError(
      "DATA_DIR_DAMAGED",
      { reason: error.message },
      error,
    );
  return error;
}
