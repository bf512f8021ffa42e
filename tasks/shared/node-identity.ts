import { mkdirSync } from "node:fs";

import { SequencerError } from "../../src/plugin/errors.ts";
import { loadIdentity } from "../../src/runtime/keys/identity-file.ts";
import type { Identity } from "../../src/runtime/keys/identity.ts";
import { KeyError } from "../../src/runtime/keys/key-error.ts";

/** The identity in a node's folder. */
export function openIdentity(directory: string): Identity {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return loadIdentity({ directory });
  } catch (error) {
    if (error instanceof KeyError)
      throw new SequencerError(
        "DATA_DIR_DAMAGED",
        { reason: error.message },
        error,
      );
    if (!(error instanceof Error)) throw error;
    throw new SequencerError("DATA_DIR_INVALID", {
      directory,
      reason: error.message,
    });
  }
}
