import { existsSync, readFileSync } from "node:fs";

import { expect } from "chai";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("SECURITY.md", root), "utf8");

/** The rows of the tables of who can do what. */
const rows = page
  .split("\n")
  .filter((line) => /^\|.*\| (can|cannot) +\|/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** The names of the tests in a file, joined: names that are put together may be cut into parts. */
function textOf(file: string): string {
  return readFileSync(new URL(file, root), "utf8").replace(/\s+/g, " ");
}

describe("SECURITY.md", () => {
  it("has lines for the ledger and for nodes", () => {
    expect(rows.length).to.be.greaterThan(60);
  });

  for (const cells of rows) {
    const [, , kind = "", what = "", evidence = ""] = cells;
    it(`names a test that is there: ${kind} ${what}`, () => {
      const [, file = "", name = ""] = /^`([^`]+)`: (.+)$/.exec(evidence) ?? [];
      expect(name, evidence).to.not.equal("");
      expect(existsSync(new URL(file, root)), file).to.equal(true);
      const text = textOf(file);
      const isThere = file.endsWith(".sol")
        ? new RegExp(`function ${name}\\b`).test(text)
        : new RegExp(`(it|describe)\\(\\s*["\`'][^"\`']*${escape(name)}`).test(
            text,
          );
      expect(isThere, `${file} has no test "${name}"`).to.equal(true);
    });
  }
});

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
