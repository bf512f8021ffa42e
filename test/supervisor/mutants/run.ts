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
import { electionMutants } from "./catalogue.ts";

// The election is sabotaged, and its properties must notice.

/** Generous: a busy machine must not fail the test. */
const TIMEOUT_MS = 120_000;

const root = path.resolve(import.meta.dirname, "../../..");
const instead = new URL("../../simulation/mutants/instead.ts", import.meta.url);
const sources = new Declarations(["src/supervisor/election.ts"]);

/** Runs the properties on the election, sabotaged or not; resolves with what they print. */
async function runProperties(
  cache: string,
  sabotage?: Sabotage,
): Promise<string> {
  const changed = sabotage === undefined ? [] : sabotaged(sources, sabotage);
  const programs = changed.map(({ file, text }) => [
    pathToFileURL(path.join(root, file)).href,
    withoutTypes(text, false),
  ]);
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        ...["--import", instead.href],
        path.join(root, "node_modules/mocha/bin/mocha.js"),
        ...["--exit", path.join(root, "test/supervisor/election.ts")],
      ],
      {
        cwd: root,
        timeout: TIMEOUT_MS,
        env: {
          ...process.env,
          NODE_COMPILE_CACHE: cache,
          SEQUENCER_ELECTION_RUNS: "2000",
          SABOTAGED: JSON.stringify(Object.fromEntries(programs)),
        },
      },
      (_error, stdout) => {
        resolve(stdout);
      },
    );
  });
}

describe("Sabotage of the election", function () {
  this.timeout(2 * electionMutants.length * TIMEOUT_MS);
  const cache = mkdtempSync(path.join(tmpdir(), "sequencer-election-"));
  let control: Promise<string> | undefined;
  let runs: readonly Promise<string>[] = [];

  before(() => {
    [control, ...runs] = twoAtATime([
      async () => await runProperties(cache),
      ...electionMutants.map(
        (mutant) => async () => await runProperties(cache, mutant),
      ),
    ]);
  });
  after(() => {
    rmSync(cache, { recursive: true, force: true });
  });

  it("is not noticed where there is none", async () => {
    expect(await control)
      .to.include("10 passing")
      .and.not.include("failing");
  });

  electionMutants.forEach(({ name }, index) => {
    it(`is noticed by the properties when it ${name}`, async () => {
      expect(await runs[index]).to.match(/[1-9]\d* failing/);
    });
  });
});
