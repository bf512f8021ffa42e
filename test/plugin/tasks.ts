import { readFileSync } from "node:fs";

import { expect } from "chai";

import { runTask } from "../../src/tasks/run-definition.ts";
import { simulateTask } from "../../src/tasks/simulate-definition.ts";
import { statusTask } from "../../src/tasks/status-definition.ts";
import { submitTask } from "../../src/tasks/submit-definition.ts";

const root = new URL("../../", import.meta.url);

/** The files that are loaded with a file: what it imports, other than types and lazily. */
function loadedWith(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return seen;
  seen.add(file.href);
  const text = readFileSync(file, "utf8");
  const imports = /^(?:import|export) (?!type\b)[^;]*?from "(\.[^"]+)";/gms;
  for (const [, path = ""] of text.matchAll(imports))
    loadedWith(new URL(path, file), seen);
  return seen;
}

describe("plugin: tasks", () => {
  it("load nothing of the runtime before they run", () => {
    const loaded = [...loadedWith(new URL("src/index.ts", root))];
    expect(loaded.some((file) => file.includes("/src/tasks/"))).to.equal(true);
    for (const folder of ["runtime", "view", "simulation", "ledger"])
      expect(
        loaded.filter((file) => file.includes(`/src/${folder}/`)),
      ).to.deep.equal([]);
  });

  for (const [name, task] of [
    ["run", runTask],
    ["simulate", simulateTask],
    ["status", statusTask],
    ["submit", submitTask],
  ] as const)
    it(`are described with every option: ${name}`, () => {
      const file = new URL(`docs/reference/${name}.md`, root);
      const text = readFileSync(file, "utf8");
      const options = "options" in task ? Object.keys(task.options) : [];
      expect(options).not.to.deep.equal([]);
      for (const option of options) {
        const flag = option.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
        expect(text).to.include(`| \`--${flag}\``);
      }
    });
});
