import { spawnSync } from "node:child_process";

import { root } from "./blocks.ts";

/** The files that `npm pack` puts into the package, from the root. */
export function packedFiles(): ReadonlySet<string> {
  const { stdout, stderr } = spawnSync(
    "npm",
    ["pack", "--dry-run", "--json", "--ignore-scripts"],
    { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  if (stdout === "") throw new Error(`npm pack said nothing: ${stderr}`);
  // npm 11 gives a list, later ones an object by name.
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, Packed>);
  return new Set(packed?.files.map((file) => file.path));
}

interface Packed {
  readonly files: readonly { readonly path: string }[];
}
