import { readdirSync, readFileSync, writeFileSync } from "node:fs";

import { expect } from "chai";

import { play } from "../../src/simulation/scenario/commands.ts";
import { readFile, writeFile } from "../../src/simulation/scenario/script.ts";

const isUpdate = process.env["UPDATE_SCENARIOS"] === "1";
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".txt"))
  .sort();

/** The first lines that differ, with what comes before them. */
function differenceOf(expected: string, actual: string): string {
  const wanted = expected.split("\n");
  const lines = actual.split("\n");
  const at = lines.findIndex((line, index) => line !== wanted[index]);
  const first = at === -1 ? lines.length : at;
  const mark = (sign: string, part: readonly string[]): string[] =>
    part.slice(first, first + 8).map((line) => `${sign} ${line}`);
  return [
    ...lines.slice(Math.max(0, first - 8), first).map((line) => `  ${line}`),
    ...mark("-", wanted),
    ...mark("+", lines),
  ].join("\n");
}

describe("Scenarios", () => {
  for (const name of files) {
    it(`plays ${name} as it is written down`, () => {
      const url = new URL(name, import.meta.url);
      const file = readFile(readFileSync(url, "utf8"));
      const transcript = play(file.script);
      if (isUpdate) writeFileSync(url, writeFile({ ...file, transcript }));
      else if (transcript !== file.transcript)
        expect.fail(
          `The story of ${name} has changed (- as written, + as played):\n` +
            `${differenceOf(file.transcript, transcript)}\n` +
            "Read it; if it is right, write it down with UPDATE_SCENARIOS=1.",
        );
    });
  }
});
