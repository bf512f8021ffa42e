import { loadWallet } from "../../src/keys/wallet-file.ts";
import { encodePublicKey } from "../../src/keys/identity.ts";
import { parseNodeHome } from "../shared/node-home.ts";
import { openIdentity } from "../shared/node-identity.ts";

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
  const { name, directory } = parseNodeHome(options);
  const { publicKey } = openIdentity(directory);
  // All secrets of a node are there from then on: replicas get copies of them before any of them runs.
  loadWallet({ directory });
  return { node: name, key: encodePublicKey(publicKey) };
}
