import { readFileSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { tasks } from "../../tasks/definitions.ts";
import { readPage, root } from "../helpers/docs/blocks.ts";

const page = readPage("README.md");

/** The row of the gas table, and the case of the snapshot with the number of intents in it. */
const cases = {
  "1 in, 1 out, 1 endorser": ["1 in / 1 out, 1 endorser", 1],
  "1 in, 1 out, 3 endorsers": ["1 in / 1 out, 3 endorsers", 1],
  "2 in, 2 out, 10 endorsers": ["2 in / 2 out, 10 endorsers", 1],
  "per intent, 100 intents in one": [
    "per intent, 100 in one transition, 3 endorsers",
    100,
  ],
  "a new group of 3": ["new group, 3 members", 1],
} as const;

const measured = JSON.parse(
  readFileSync(path.join(root, "test/contracts/gas-snapshot.json"), "utf8"),
) as Readonly<Record<string, number>>;

/** A number with commas between thousands. */
function numberOf(text: string | undefined): number {
  return Number((text ?? "").replaceAll(",", ""));
}

describe("README.md", () => {
  for (const [row, [name, intents]] of Object.entries(cases))
    it(`says what is measured: ${row}`, () => {
      const cells = page
        .split("\n")
        .find((line) => line.startsWith(`| ${row}`));
      const [, , gas] = (cells ?? "").split("|").map((cell) => cell.trim());
      const exact = (measured[name] ?? Number.NaN) / intents;
      expect(numberOf(gas)).to.equal(Math.round(exact));
    });

  it("lists every task, and no others", () => {
    const [, text = ""] = page.split("\n## Tasks\n");
    const listed = [...text.matchAll(/^\| `(sequencer:\w+)`/gm)];
    const known = tasks.flatMap(({ id }) =>
      id.length === 1 && id[0]?.startsWith("sequencer:") === true ? id : [],
    );
    expect(listed.map(([, name]) => name)).to.deep.equal(known);
  });
});
