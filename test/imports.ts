import path from "node:path";

import { expect } from "chai";

import { cyclesIn, importedBy, importsIn } from "./helpers/imports.ts";

const root = path.resolve(import.meta.dirname, "..");

describe("imports", () => {
  it("have no cycle between files or folders", () => {
    const imports = importsIn(path.join(root, "src"));
    expect(imports.size).to.be.greaterThan(500);
    expect(cyclesIn(imports)).to.deep.equal([]);
  });

  it("are found by value, not by type", () => {
    const source = [
      'import { a } from "./a.ts";',
      'import { type B, c } from "./b.ts";',
      'import { type D } from "./d.ts";',
      'import type { E } from "./e.ts";',
      'export {\n  f,\n} from "./f.ts";',
      'import "./g.ts";',
      'const later = () => import("./h.ts");',
    ].join("\n");
    expect(importedBy(source)).to.deep.equal([
      "./a.ts",
      "./b.ts",
      "./f.ts",
      "./g.ts",
    ]);
  });

  it("of two folders that use each other are a cycle", () => {
    const imports = new Map([
      ["a/one.ts", ["b/two.ts"]],
      ["b/three.ts", ["a/four.ts"]],
      ["b/two.ts", []],
    ]);
    expect(cyclesIn(imports)).to.deep.equal([".: a → b → a"]);
  });

  it("of files that use each other are a cycle", () => {
    const imports = new Map([
      ["a/one.ts", ["a/two.ts"]],
      ["a/two.ts", ["a/three.ts"]],
      ["a/three.ts", ["a/one.ts"]],
    ]);
    expect(cyclesIn(imports)).to.deep.equal([
      "a: one.ts → two.ts → three.ts → one.ts",
    ]);
  });
});
