import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect } from "chai";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/operating.md`, "utf8");

/** The words of the first columns of the tables of troubles, where … stands for anything. */
const documented = page
  .split("| The reason says")
  .slice(1)
  .flatMap((table) => (table.split("\n\n")[0] ?? "").split("\n"))
  .map((line) => line.split("|")[1] ?? "")
  .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)])
  .map(([, words = ""]) => words);

/** What is no trouble that lasts: nodes say it to who called them, or when they stop. */
const notTold = [
  "The client was closed.",
  "The address of the chain must begin with",
];

/** The texts of errors of the chain, in the source. Values in them are left out. */
function textsIn(file: string): readonly string[] {
  const source = readFileSync(`${root}${file}`, "utf8");
  const errors = source.matchAll(
    /(?:new (?:ChainError|ChainMoved|SignerError)|super|unreachable|giveUp|drop)\([^"`;{]*(?:"(?:unreachable|refused)",\s*)?(?:"([^"]{12,})"|`([^`]{12,})`)/g,
  );
  return [...errors].map(([, plain, template]) =>
    (plain ?? template ?? "").replaceAll(/\$\{[^}]*\}/g, "…"),
  );
}

describe("docs/operating.md", () => {
  const texts = globSync("src/chain/**/*.ts", { cwd: root })
    .flatMap(textsIn)
    .filter((text) => !notTold.some((words) => text.startsWith(words)));

  it("has all texts of troubles to compare with", () => {
    expect(texts.length).to.be.greaterThan(25);
    expect(documented.length).to.be.greaterThan(20);
  });

  for (const text of new Set(texts))
    it(`explains the trouble "${text.slice(0, 60)}"`, () => {
      const isExplained = documented.some((words) =>
        new RegExp(words.split("…").map(escape).join(".*")).test(text),
      );
      expect(isExplained, text).to.equal(true);
    });
});

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
