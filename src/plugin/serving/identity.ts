import { mkdirSync } from "node:fs";

import { encodePublicKey, type Identity } from "../../runtime/keys/identity.ts";
import { loadIdentity } from "../../runtime/keys/identity-file.ts";
import { KeyError } from "../../runtime/keys/key-error.ts";
import { SequencerError } from "../errors.ts";
import { parseHome } from "./options.ts";

/** Who a node is, for the others. */
export interface IdentityFact {
  readonly node: string;
  /** Its public key. */
  readonly key: string;
}

/** The public key of a node. Makes its keys if it has none yet. */
export function identityOf(options: {
  readonly name?: string | undefined;
  readonly dataDir?: string | undefined;
}): IdentityFact {
  const { name, directory } = parseHome(options);
  const { publicKey } = openIdentity(directory);
  return { node: name, key: encodePublicKey(publicKey) };
}

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
