import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { expect } from "chai";

import { properties as meanings } from "../../../../src/simulation/properties.ts";
import { Declarations } from "../../../helpers/sabotage/declarations.ts";
import { sabotaged, type Sabotage } from "../../../helpers/sabotage/edit.ts";
import type { Catch } from "../hunt.ts";
import { Noticed } from "../noticed.ts";
import { withoutTypes } from "../sabotage.ts";
import { twoAtATime } from "../two-at-a-time.ts";
import { shellMutants as all } from "./catalogue.ts";
import type { ShellTrail } from "./hunt.ts";

// Nodes as they ship are sabotaged around the protocol. Seeds of the whole lane must notice.

/** Generous: a sabotage may hang, but a busy machine must not fail the test. */
const TIMEOUT_MS = 300_000;

/** Those whose names contain a text, or all. */
const only = process.env["ONLY"] ?? "";
const isLongRun = process.env["ALL_SEEDS"] !== undefined;
const mutants = all.filter(
  ({ name, isSlow = false }) => name.includes(only) && (isLongRun || !isSlow),
);

const root = path.resolve(import.meta.dirname, "../../../..");
const hunter = path.join(import.meta.dirname, "hunt.ts");
const instead = new URL("../instead.ts", import.meta.url).href;
const noticed = new Noticed(new URL("noticed.json", import.meta.url));
const sources = new Declarations(["src/!(simulation)/**/*.ts"]);
const nothing: Catch = { seed: undefined, violation: undefined };

/** Runs seeds in a process of its own, which a sabotage may hang or kill. */
async function hunt(
  trails: readonly ShellTrail[],
  { sabotage, cache }: { readonly sabotage?: Sabotage; readonly cache: string },
): Promise<Catch> {
  const changed = sabotage === undefined ? [] : sabotaged(sources, sabotage);
  const programs = changed.map(({ file, text }) => [
    pathToFileURL(path.join(root, file)).href,
    withoutTypes(text, false),
  ]);
  return await new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        ...["--import", instead, hunter],
      ],
      {
        cwd: root,
        timeout: TIMEOUT_MS,
        killSignal: "SIGKILL",
        env: {
          ...process.env,
          NODE_COMPILE_CACHE: cache,
          SABOTAGED: JSON.stringify(Object.fromEntries(programs)),
        },
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Catch);
        else
          reject(new Error(`The runs broke off: ${stderr}`, { cause: error }));
      },
    );
    // If it ends before it has read everything, what it said tells why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(trails));
  });
}

describe("Sabotage of a node around the protocol", function () {
  this.timeout(mutants.length * TIMEOUT_MS);
  const cache = mkdtempSync(path.join(tmpdir(), "sequencer-shell-"));
  let hunts: Promise<Catch>[] = [];

  before(() => {
    hunts = twoAtATime(
      mutants.map((mutant) => async (): Promise<Catch> => {
        const { name, runs, seedsMax } = mutant;
        const seeds = noticed.seedsFor(name, seedsMax);
        return await hunt([{ runs, seeds }], { sabotage: mutant, cache });
      }),
    );
  });

  it("is tried in at least ten ways, against properties with a name", () => {
    expect(all.length).to.be.at.least(10);
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    for (const { properties, seedsMax } of all) {
      expect(properties).not.to.deep.equal([]);
      expect(seedsMax).to.be.within(1, 60);
      for (const property of properties)
        expect(meanings).to.have.property(property);
    }
  });

  mutants.forEach(({ name, properties, seedsMax }, index) => {
    it(`is noticed when a node ${name}`, async function () {
      const { violation, seed } = (await hunts[index]) ?? nothing;
      expect(violation, `no violation in ${seedsMax} seeds`).to.not.equal(
        undefined,
      );
      const { property, message } = violation ?? {};
      if (this.test !== undefined)
        this.test.title += ` (${property ?? ""}, seed ${seed ?? 0})`;
      expect(properties, message).to.include(property);
    });
  });

  it("is what was noticed: without it the same seeds pass", async () => {
    const trails: ShellTrail[] = [];
    for (const [index, { runs }] of mutants.entries()) {
      const { seed } = (await hunts[index]) ?? nothing;
      if (seed !== undefined) trails.push({ runs, seeds: [seed] });
    }
    const { violation } = await hunt(trails, { cache });
    expect(violation?.message).to.equal(undefined);
  });

  after(async () => {
    const caught = new Map<string, number>();
    for (const [index, { name }] of mutants.entries()) {
      const { seed } = (await hunts[index]) ?? nothing;
      if (seed !== undefined) caught.set(name, seed);
    }
    if (only === "") noticed.save(caught);
    rmSync(cache, { recursive: true, force: true });
  });
});
