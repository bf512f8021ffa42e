import { readFileSync } from "node:fs";

import { expect } from "chai";

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
});
