import { statSync } from "node:fs";
import { dirname, join } from "node:path";

import { SequencerError } from "../../src/plugin/errors.ts";
import {
  identityFileName,
  loadIdentity,
} from "../../src/keys/identity-file.ts";
import type { Identity } from "../../src/keys/identity.ts";
import { dataDirErrorOf } from "./data-dir-error.ts";
import { makeDirectory } from "./make-directory.ts";
import type { NodeHome } from "./node-home.ts";

/** The identity in a node's folder. Makes one if there is none yet. */
export function openIdentity(directory: string): Identity {
  return withUserErrors(directory, () => {
    makeDirectory(directory);
    return loadIdentity({ directory });
  });
}

/** The identity in a node's folder, which must be there: a wrong `--data-dir` must not become another node. */
export function requireIdentity({ name: node, directory }: NodeHome): Identity {
  return withUserErrors(directory, () => {
    const file = join(directory, identityFileName);
    if (statSync(file, { throwIfNoEntry: false }) === undefined)
      throw new SequencerError("IDENTITY_MISSING", {
        node,
        directory,
        dataDir: dirname(directory),
      });
    return loadIdentity({ directory });
  });
}

function withUserErrors(directory: string, open: () => Identity): Identity {
  try {
    return open();
  } catch (error) {
    const known = dataDirErrorOf(error, directory);
    if (known instanceof SequencerError) throw known;
    if (!(error instanceof Error)) throw error;
    throw new SequencerError("DATA_DIR_INVALID", {
      directory,
      reason: error.message,
    });
  }
}
