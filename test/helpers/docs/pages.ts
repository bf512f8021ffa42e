import { globSync } from "node:fs";

import { root } from "./blocks.ts";

/** All pages for users and contributors. Decisions are records: they show code as it was. */
export function userPages(): readonly string[] {
  const docs = globSync("docs/**/*.md", { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !file.startsWith("docs/decisions/"));
  return [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "test/README.md",
    ...docs.sort(),
  ];
}
