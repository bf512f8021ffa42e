import { readFileSync } from "node:fs";

import { expect } from "chai";

import { mutants } from "./mutants/catalogue.ts";
import { sabotaged } from "./mutants/copy.ts";

// `npm run torture:mutants` plays them, which takes minutes. That they still fit the code is seen here.
describe("Sabotages of nodes under torture", () => {
  for (const { name, edits } of mutants)
    it(`fit the code: a node that ${name}`, () => {
      for (const edit of edits) {
        const file = new URL(`../../${edit.file}`, import.meta.url);
        const text = readFileSync(file, "utf8");
        expect(sabotaged(text, edit)).not.to.equal(text);
      }
    });
});
