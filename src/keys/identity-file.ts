import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { join } from "node:path";

import { type Identity, identityOf } from "./identity.ts";
import { KeyError } from "./key-error.ts";
import { loadPrivately } from "./private-file.ts";

/** Where a node keeps its identity, in its data directory. */
export const identityFileName = "identity.pem";

/** The identity that is kept in a directory; a new one if there is none yet. Nobody but the owner can read the file. */
export function loadIdentity(options: {
  readonly directory: string;
}): Identity {
  const file = join(options.directory, identityFileName);
  const pem = loadPrivately(file, {
    create: () =>
      generateKeyPairSync("ed25519").privateKey.export({
        type: "pkcs8",
        format: "pem",
      }),
    whenSeen: "remove it, and give the other nodes the new public key",
  });
  try {
    return identityOf(createPrivateKey(pem));
  } catch {
    // The cause may quote the file.
    throw new KeyError(
      "INVALID",
      `${file} is not a private key for Ed25519. Restore it from a backup, or remove it, and give the other nodes the new public key.`,
    );
  }
}
