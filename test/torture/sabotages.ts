import { expect } from "chai";

import { sabotaged } from "../helpers/sabotage/edit.ts";
import { mutants } from "./mutants/catalogue.ts";
import { sources } from "./mutants/copy.ts";

// `npm run torture:mutants` plays them, which takes minutes. That they still fit the code is seen here.
describe("Sabotages of nodes under torture", () => {
  const originals = sources();
  for (const mutant of mutants)
    it(`fit the code: a node that ${mutant.name}`, () => {
      for (const { file, text } of sabotaged(originals, mutant))
        expect(text).not.to.equal(originals.textOf(file));
    });
});
