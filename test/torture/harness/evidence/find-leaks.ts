import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { identityFileName } from "../../../../src/keys/identity-file.ts";
import { walletFileName } from "../../../../src/keys/wallet-file.ts";
import { accountsOf } from "../settings.ts";
import type { World } from "../world.ts";
import type { Evidence } from "./evidence.ts";

/** Looks for the keys of nodes in all that nodes printed. */
export function findLeaks({
  nodes,
  outDir,
  folderOf,
}: Pick<World, "outDir" | "folderOf"> & {
  readonly nodes: ReadonlyMap<string, unknown>;
}): Evidence["leaks"] {
  const accounts = accountsOf(nodes.size);
  const secrets = [...nodes.keys()].flatMap((node) => {
    const read = (file: string): string =>
      readFileSync(path.join(folderOf(node), file), "utf8");
    const [, identity = ""] = read(identityFileName).split("\n");
    return [
      { secret: `the identity of ${node}`, text: identity },
      { secret: `the wallet of ${node}`, text: read(walletFileName).trim() },
      {
        secret: `the account of ${node}`,
        text: accounts.get(node)?.privateKey.slice(2) ?? "",
      },
    ];
  });
  if (secrets.some(({ text }) => text.length < 32))
    throw new Error("A secret is too short to be one.");
  // The chain prints the keys of its accounts itself.
  const files = readdirSync(outDir).filter(
    (file) => /\.(out|err)$/.test(file) && !file.startsWith("chain."),
  );
  return files.flatMap((file) => {
    const said = readFileSync(path.join(outDir, file), "utf8");
    return secrets
      .filter(({ text }) => said.includes(text))
      .map(({ secret }) => ({ secret, file }));
  });
}
