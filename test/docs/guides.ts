import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string =>
  readFileSync(path.join(root, file), "utf8");

/** Guides, and the example whose code they show. */
const guides = {
  "docs/guides/write-a-domain.md": "examples/own-domain",
  "docs/guides/owned-coins.md": "examples/owned-coins",
  "docs/guides/notarised-token.md": "examples/notarised-token",
} as const;

/** Lines without their indentation: a piece of a file stands further to the left than the file has it. */
function flat(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return `\n${lines.join("\n")}\n`;
}

function blocksOf(guide: string): readonly string[] {
  return [...read(guide).matchAll(/^```\w+\n(.*?)^```$/gms)].map(
    ([, block = ""]) => block.trimEnd(),
  );
}

function filesOf(example: string): readonly string[] {
  const patterns = ["*.{ts,md}", "{domains,test}/**/*.ts"];
  return globSync(patterns, { cwd: path.join(root, example) })
    .filter((file) => !file.includes("node_modules"))
    .map((file) => flat(read(path.join(example, file))));
}

describe("guides", function () {
  for (const [guide, example] of Object.entries(guides)) {
    it(`shows in ${guide} only what is in ${example}`, function () {
      const files = filesOf(example);
      const blocks = blocksOf(guide);
      expect(blocks.length).to.be.greaterThan(2);
      for (const block of blocks)
        expect(
          files.some((file) => file.includes(flat(block))),
          block,
        ).to.equal(true);
    });

    it(`links in ${guide} only to files that are there`, function () {
      const folder = path.dirname(guide);
      const links = [...read(guide).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)];
      for (const [, link = ""] of links)
        expect(
          globSync(path.join(folder, link), { cwd: root }),
          link,
        ).to.have.lengthOf(1);
    });
  }
});
