import { readFileSync } from "node:fs";

import { expect } from "chai";

import { runTask } from "../../tasks/run/definition.ts";
import { simulateTask } from "../../tasks/simulate/definition.ts";
import { statusTask } from "../../tasks/status/definition.ts";
import { submitTask } from "../../tasks/submit/definition.ts";

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

describe("tasks", () => {
  it("load nothing of the runtime before they run", () => {
    const loaded = [...loadedWith(new URL("src/index.ts", root))];
    const tasks = loaded.filter((file) =>
      file.startsWith(new URL("tasks/", root).href),
    );
    expect(tasks).not.to.deep.equal([]);
    expect(
      tasks.filter(
        (file) => !/\/(definitions?|shared\/text-option)\.ts$/.test(file),
      ),
    ).to.deep.equal([]);
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
