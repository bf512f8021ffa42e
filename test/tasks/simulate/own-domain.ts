import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect } from "chai";

import { simulateDomain } from "../../../src/simulation/simulate.ts";
import { report } from "../../../tasks/simulate/action.ts";
import type { SimulateOptions } from "../../../tasks/simulate/options.ts";
import { diagramOf } from "../../../tasks/simulate/transcript.ts";
import { expectError } from "../../plugin/helpers/errors.ts";

function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** Runs the task, and gives what it prints. */
async function run(options: SimulateOptions): Promise<string[]> {
  const printed: string[] = [];
  await report({ ...options, json: false }, simulateDomain, (lines) => {
    printed.push(...lines.split("\n"));
  });
  process.exitCode = 0;
  return printed;
}

describe("plugin: sequencer:simulate with a domain of one's own", function () {
  this.timeout(60_000);
  it("draws calls by the types of its functions, and leaves out those that it refuses", async () => {
    const printed = await run({ domain: fixture("counter.ts"), seeds: "20" });
    expect(printed[0]).to.include("Every property held in 20 runs");
    const confirmed = printed.find((line) => line.includes("confirmed"));
    expect(Number(/\d+/.exec(confirmed ?? "")?.[0])).to.be.greaterThan(20);
  });

  it("asks the oracle of the module what must have come of it", async () => {
    const domain = fixture("counter-with-oracle.ts");
    const good = await run({ domain, seeds: "10", faults: "network" });
    expect(good[0]).to.include("Every property held");
  });

  it("tells what the oracle found, with the command that repeats it", async () => {
    const domain = fixture("counter-with-wrong-oracle.ts");
    const printed = await run({ domain, seed: "5" });
    expect(printed[0]).to.match(/^Seed 5 violates conserved/);
    expect(printed.join("\n")).to.include("It came to ");
    expect(printed.join("\n")).to.include(
      `--seed 5 --faults all --domain ${domain}`,
    );
  });

  for (const [name, text] of Object.entries({
    "picky.ts": "It wants a password. Export a DomainSimulation with drawCalls",
    "settings-needed.ts": "It wants a setting. Correct configure",
    "no-domain.ts": "its default export is neither a domain",
    "missing.ts": "there is no such file",
  }))
    it(`explains why ${name} cannot be simulated`, async () => {
      const error = await expectError(
        "DOMAIN_MODULE_INVALID",
        async () => await run({ domain: fixture(name), seeds: "1" }),
      );
      expect(error.message).to.include(text).and.to.include(name);
    });

  it("explains why a module that throws cannot be simulated", async () => {
    const folder = mkdtempSync(join(tmpdir(), "simulate-"));
    const domain = join(folder, "broken.ts");
    writeFileSync(domain, 'throw new Error("It is broken.");');
    const error = await expectError(
      "DOMAIN_MODULE_INVALID",
      async () => await run({ domain, seeds: "1" }),
    );
    expect(error.message).to.include("it cannot be loaded: It is broken.");
    rmSync(folder, { recursive: true });
  });

  it("refuses a name that is neither a domain nor a path", async () => {
    const error = await expectError(
      "CHOICE_INVALID",
      async () => await run({ domain: "counter" }),
    );
    expect(error.message).to.include("./my-domain.ts");
  });
});

describe("plugin: the transcript of sequencer:simulate", function () {
  this.timeout(60_000);
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "simulate-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("has everything that happened, and a diagram of the last messages", async () => {
    const file = join(folder, "some/run.md");
    const printed = await run({ seed: "3", nodes: "3", transcript: file });
    expect(printed.some((line) => line.includes(file))).to.equal(true);
    const page = readFileSync(file, "utf8");
    expect(page).to.include("# Seed 3");
    expect(page).to.include("Every property held.");
    expect(page).to.include("sequencer:simulate --seed 3 --nodes 3");
    expect(page).to.match(/```mermaid\nsequenceDiagram\n {2}participant \w+/);
    expect(page).to.match(/IntentSubmitted i0/);
    // The same seed, the same page.
    await run({ seed: "3", nodes: "3", transcript: file });
    expect(readFileSync(file, "utf8")).to.equal(page);
  });

  it("says when it cannot be written", async () => {
    const error = await expectError(
      "FILE_NOT_WRITTEN",
      async () => await run({ seed: "3", transcript: folder }),
    );
    expect(error.message).to.include(folder);
  });

  it("is drawn with arrows between nodes, and notes for what they do", () => {
    expect(
      diagramOf([
        "    0.100 alice   IntentSubmitted i0",
        "    0.110 alice   → bob DelegationRequest i0; block=7",
        "    0.120 bob   ← alice DelegationRequest i0 block=7",
        "    0.300 bob   Submit 1234ab",
        "    0.400 alice   Settled i0 Confirmed",
      ]),
    ).to.deep.equal([
      "sequenceDiagram",
      "  participant alice",
      "  participant bob",
      "  alice->>bob: DelegationRequest i0  block=7",
      "  Note over bob: 0.300 s Submit 1234ab",
      "  Note over alice: 0.400 s Settled i0 Confirmed",
    ]);
  });
});
