import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { KeyError } from "./key-error.ts";
import { loadPrivately } from "./private-file.ts";
import { SECRET_BYTES, type Wallet, walletOf } from "./wallet.ts";

/** Where a node keeps the secret of its wallet, in its data directory. */
export const walletFileName = "wallet.secret";

/** The wallet whose secret is kept in a directory; a new one if there is none yet. Nobody but the owner can read the file. */
export function loadWallet(options: { readonly directory: string }): Wallet {
  const file = join(options.directory, walletFileName);
  const text = loadPrivately(file, {
    create: () => `${randomBytes(SECRET_BYTES).toString("hex")}\n`,
    whenSeen:
      "move what the keys of its users own elsewhere, and remove it: they all get new keys",
  });
  if (!/^[0-9a-f]{64}\n?$/.test(text))
    throw new KeyError(
      "INVALID",
      `${file} does not have ${2 * SECRET_BYTES} hexadecimal digits. Restore it from a backup, or remove it: then the users of the node get new keys.`,
    );
  return walletOf(Buffer.from(text.trim(), "hex"));
}
