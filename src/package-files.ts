import { readFileSync } from "node:fs";

/** The folder of this package: by its own name, it is found from the sources and from what they are compiled to. */
export const packageRoot = new URL(
  ".",
  import.meta.resolve("hardhat-sequencer/package.json"),
);

/** Reads a file of `dist/artifacts`, by its name without the ending. */
export function readPublished(name: string): unknown {
  const file = new URL(`dist/artifacts/${name}.json`, packageRoot);
  return JSON.parse(readFileSync(file, "utf8"));
}
