import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { expect } from "chai";

import { Declarations } from "../../helpers/sabotage/declarations.ts";
import { sabotaged, type Sabotage } from "../../helpers/sabotage/edit.ts";
import { withoutTypes } from "../../simulation/mutants/sabotage.ts";
import { twoAtATime } from "../../simulation/mutants/two-at-a-time.ts";
import { type ReplicaMutant, replicaMutants as all } from "./catalogue.ts";

// Replicas are sabotaged; for each sabotage there is a test that must notice.

/** Generous: a sabotage may hang, but a busy machine must not fail the test. */
const TIMEOUT_MS = 120_000;

/** Those whose names contain a text, or all. */
const only = process.env["ONLY"] ?? "";
const isLongRun = process.env["ALL_SEEDS"] !== undefined || only !== "";
const mutants = all.filter(
  ({ name, isSlow = false }) => name.includes(only) && (isLongRun || !isSlow),
);

const root = path.resolve(import.meta.dirname, "../../..");
const instead = new URL("../../simulation/mutants/instead.ts", import.meta.url);
const sources = new Declarations([
  "src/replica/*.ts",
  "src/supervisor/fence.ts",
]);

/** Runs the test of a sabotage, with it or without it; resolves with what it prints. */
async function runTest(
  { file, name }: ReplicaMutant["test"],
  { sabotage, cache }: { readonly sabotage?: Sabotage; readonly cache: string },
): Promise<string> {
  const changed = sabotage === undefined ? [] : sabotaged(sources, sabotage);
  const programs = changed.map(({ file: source, text }) => [
    pathToFileURL(path.join(root, source)).href,
    withoutTypes(text, false),
  ]);
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        ...["--import", instead.href],
        path.join(root, "node_modules/mocha/bin/mocha.js"),
        ...["--exit", path.join(root, "test/replica", file)],
        ...["--fgrep", name],
      ],
      {
        cwd: root,
        timeout: TIMEOUT_MS,
        env: {
          ...process.env,
          NODE_COMPILE_CACHE: cache,
          SABOTAGED: JSON.stringify(Object.fromEntries(programs)),
        },
      },
      (_error, stdout) => {
        resolve(stdout);
      },
    );
  });
}

describe("Sabotage of replicas", function () {
  this.timeout(2 * all.length * TIMEOUT_MS);
  const cache = mkdtempSync(path.join(tmpdir(), "sequencer-replica-"));
  let runs: Promise<string>[] = [];
  /** Without any sabotage, the same tests pass. */
  let controls: Promise<string>[] = [];

  before(() => {
    const tasks = mutants.flatMap((mutant) => [
      async () => await runTest(mutant.test, { sabotage: mutant, cache }),
      async () => await runTest(mutant.test, { cache }),
    ]);
    const results = twoAtATime(tasks);
    runs = results.filter((_, index) => index % 2 === 0);
    controls = results.filter((_, index) => index % 2 === 1);
  });
  after(() => {
    rmSync(cache, { recursive: true, force: true });
  });

  for (const mutant of all)
    it(`fits the code: a replica that ${mutant.name}`, () => {
      for (const { file, text } of sabotaged(sources, mutant))
        expect(text).not.to.equal(sources.textOf(file));
    });

  mutants.forEach(({ name }, index) => {
    it(`is noticed by a test when a replica ${name}`, async () => {
      expect(await controls[index]).to.include("1 passing");
      expect(await runs[index])
        .to.include("0 passing")
        .and.to.include("1 failing");
    });
  });
});
