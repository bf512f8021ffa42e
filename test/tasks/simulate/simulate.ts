import { readFileSync } from "node:fs";

import { expect } from "chai";

import { domainNames } from "../../../src/simulation/domains/names.ts";
import { liarKinds } from "../../../src/simulation/liars/kinds.ts";
import { properties } from "../../../src/simulation/properties.ts";
import type { SimulationOptions } from "../../../src/simulation/settings.ts";
import {
  simulate,
  simulateDomain,
  type SimulationResult,
} from "../../../src/simulation/simulate.ts";
import { report } from "../../../tasks/simulate/action.ts";
import type { SimulateFact } from "../../../tasks/simulate/facts.ts";
import { toJson, toLines } from "../../../tasks/simulate/format.ts";
import { parseSimulateOptions } from "../../../tasks/simulate/options.ts";
import { Progress } from "../../../tasks/simulate/progress.ts";
import { simulateSeeds } from "../../../tasks/simulate/run-seeds.ts";
import { anEnvironment } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";

/** Runs seeds and collects what is told. */
async function run(
  options: Parameters<typeof simulateSeeds>[0],
  simulateOne: Parameters<typeof simulateSeeds>[1]["simulate"] = simulate,
): Promise<SimulateFact[]> {
  const facts: SimulateFact[] = [];
  await simulateSeeds(options, {
    simulate: simulateOne,
    now: () => 0,
    progress: async () => {
      await Promise.resolve();
    },
    tell: (fact) => facts.push(fact),
    write: (file, page) => pages.set(file, page),
  });
  return facts;
}

/** What was written, by file. */
const pages = new Map<string, string>();

function hashesIn(facts: readonly SimulateFact[]): readonly string[] {
  return facts.flatMap((fact) => (fact.type === "run" ? [fact.traceHash] : []));
}

/** The simulator, with a property that seed 3 violates. */
function aFailingSimulator(options: SimulationOptions): SimulationResult {
  const result = simulate(options);
  if (options.seed !== 3) return result;
  options.transcript?.("    1.000 alice dispatches");
  const message = "S1: 0x1234 spent twice";
  return { ...result, violation: { property: "S1", message, atMs: 1_234.5 } };
}

describe("plugin: sequencer:simulate", function () {
  this.timeout(60_000);

  describe("options", function () {
    it("are 100 seeds of everything by default", () => {
      expect(parseSimulateOptions({})).to.deep.equal({
        firstSeed: 1,
        seeds: 100,
        nodes: undefined,
        intents: undefined,
        policy: undefined,
        faults: "all",
        domain: undefined,
        liar: undefined,
        isLasting: false,
        lane: "core",
        transcript: undefined,
      });
    });

    it("are one run if only a seed is given", () => {
      const { firstSeed, seeds } = parseSimulateOptions({ seed: "7" });
      expect([firstSeed, seeds]).to.deep.equal([7, 1]);
    });

    it("are taken as given", () => {
      expect(
        parseSimulateOptions({
          seed: "0",
          seeds: "5",
          nodes: "7",
          intents: "12",
          policy: "rotating",
          faults: "chain",
          domain: "owned-coins",
          liar: "precise",
          lasting: true,
          transcript: "run.md",
        }),
      ).to.deep.equal({
        firstSeed: 0,
        seeds: 5,
        nodes: 7,
        intents: 12,
        policy: "rotating",
        faults: "chain",
        domain: { name: "owned-coins" },
        liar: "precise",
        isLasting: true,
        lane: "core",
        transcript: "run.md",
      });
    });

    for (const options of [
      { seed: "-1" },
      { seed: "0x1" },
      { seed: "4294967296" },
      { seeds: "0" },
      { seeds: "1.5" },
      { nodes: "0" },
      { nodes: "8" },
      { intents: "" },
      { intents: "10001" },
    ])
      it(`refuse ${JSON.stringify(options)}`, async () => {
        await expectError("NUMBER_INVALID", () =>
          parseSimulateOptions(options),
        );
      });

    for (const options of [
      { policy: "random" },
      { faults: "some" },
      { domain: "coins" },
      { liar: "honest" },
    ])
      it(`refuse ${JSON.stringify(options)}`, async () => {
        await expectError("CHOICE_INVALID", () =>
          parseSimulateOptions(options),
        );
      });
  });

  describe("runs", function () {
    it("pass the options on to every seed", async () => {
      const seen: SimulationOptions[] = [];
      await run(
        { seed: "4", seeds: "2", nodes: "2", intents: "3", policy: "sticky" },
        (options) => {
          seen.push(options);
          return simulate(options);
        },
      );
      const same = { nodes: 2, intents: 3, policy: "sticky", faults: "all" };
      expect(seen).to.deep.equal([
        { seed: 4, ...same },
        { seed: 5, ...same },
      ]);
    });

    for (const domain of domainNames)
      it(`simulate ${domain} if asked to`, async () => {
        const facts = await run(
          { seed: "3", seeds: "2", intents: "4", domain },
          simulateDomain,
        );
        const summary = facts.at(-1);
        expect(summary).to.include({ type: "summary", isViolated: false });
        const other = await run({ seed: "3", seeds: "2", intents: "4" });
        expect(hashesIn(facts)).to.not.deep.equal(hashesIn(other));
      });

    it("add up", async () => {
      const facts = await run({ seeds: "3", faults: "crash", intents: "5" });
      const runs = facts.filter((fact) => fact.type === "run");
      const summary = facts.at(-1);
      expect(runs.map(({ seed }) => seed)).to.deep.equal([1, 2, 3]);
      if (summary?.type !== "summary") return expect.fail("no summary");
      const { totals, isViolated } = summary;
      expect(isViolated).to.equal(false);
      expect(totals.runs).to.equal(3);
      expect(totals.confirmed + totals.reverted + totals.open).to.equal(15);
      for (const kind of Object.keys(totals.faults))
        expect(totals.faults[kind]).to.equal(
          runs.reduce(
            (sum, { statistics }) => sum + (statistics.faults[kind] ?? 0),
            0,
          ),
        );
    });

    it("stop at a violation, with what happened and how to repeat it", async () => {
      const facts = await run(
        { seeds: "9", nodes: "2", policy: "sticky", faults: "network" },
        aFailingSimulator,
      );
      const types = facts.map(({ type }) => type);
      expect(types).to.deep.equal([
        "run",
        "run",
        "run",
        "violation",
        "summary",
      ]);
      const violation = facts.find((fact) => fact.type === "violation");
      expect(violation).to.include({
        seed: 3,
        property: "S1",
        meaning: properties["S1"],
        nodes: 2,
        policy: "sticky",
        command:
          "npx hardhat sequencer:simulate --seed 3 --nodes 2 --policy sticky --faults network",
      });
      expect(violation?.transcript).to.have.lengthOf(40);
      expect(violation?.transcript.at(-1)).to.include("alice dispatches");
    });
  });

  describe("output", function () {
    it("is one object per line with --json", async () => {
      const facts = await run({ seeds: "4", nodes: "1" }, aFailingSimulator);
      for (const fact of facts) {
        const line = toJson(fact);
        expect(line).not.to.include("\n");
        expect(JSON.parse(line)).to.include({ version: 1, type: fact.type });
      }
    });

    it("is a table of what went wrong and what came of it", async () => {
      const facts = await run({ seeds: "2", faults: "network" });
      const text = facts.flatMap(toLines).join("\n");
      for (const label of [
        "Every property held in 2 runs, seeds 1–2, lane: core, faults: network.",
        "intents confirmed",
        "intents reverted",
        "intents left open",
        "base-ledger reverts",
        "handovers",
        "coordinator changes",
        "virtual hours",
        "Faults",
      ])
        expect(text).to.include(label);
    });

    it("shows a violation before the table", async () => {
      const facts = await run({ seed: "3" }, aFailingSimulator);
      const text = facts.flatMap(toLines).join("\n");
      expect(text).to.match(/^Seed 3 violates S1: No state is spent twice\./);
      expect(text).to.include("alice dispatches");
      expect(text).to.include("  npx hardhat sequencer:simulate --seed 3");
      expect(text).to.include("A property was violated after 1 of 1 runs");
    });

    it("says who lies, and how", async () => {
      const facts = await run(
        { seed: "3", faults: "byzantine", liar: "precise", lasting: true },
        aFailingSimulator,
      );
      const [first] = facts;
      if (first?.type !== "run") return expect.fail("no run");
      expect(first.liar).to.include({ kind: "precise" });
      const text = facts.flatMap(toLines).join("\n");
      expect(text).to.include(" lies (precise): it changes one thing");
      expect(text).to.match(/Liars, by runs\n +precise +1/);
      expect(text).to.include("--faults byzantine --liar precise --lasting");
    });

    it("says in place on a terminal how far it is, and cleans up", () => {
      const { written, progress, clock } = aProgress(true);
      progress.show(1, 1_000);
      clock.ms = 200;
      progress.show(500, 1_000);
      progress.clear();
      progress.clear();
      expect(written).to.deep.equal([
        "\r\u001B[2K500 of 1,000 seeds, 50 %",
        "\r\u001B[2K",
      ]);
    });

    it("says in a pipe only now and then how far it is", () => {
      const { written, progress, clock } = aProgress(false);
      for (clock.ms = 0; clock.ms < 12_000; clock.ms += 100)
        progress.show(clock.ms / 100, 200);
      progress.clear();
      expect(written).to.deep.equal([
        "50 of 200 seeds, 25 %\n",
        "100 of 200 seeds, 50 %\n",
      ]);
    });
  });

  describe("exit code", function () {
    afterEach(() => {
      process.exitCode = undefined;
    });

    it("is 1 after a violation", async () => {
      const lines: string[] = [];
      await report({ seed: "3", json: true }, aFailingSimulator, (line) =>
        lines.push(line),
      );
      expect(process.exitCode).to.equal(1);
      expect(lines).to.have.lengthOf(3);
    });

    it("is left alone if every property holds", async () => {
      await report({ seed: "2", json: false }, aFailingSimulator, () => 0);
      expect(process.exitCode).to.equal(undefined);
    });
  });

  it("refuses wrong options as a task", async () => {
    const hre = await anEnvironment();
    await expectError("CHOICE_INVALID", async () => {
      await hre.tasks.getTask("sequencer:simulate").run({ faults: "many" });
    });
  });

  it("has a reference with every liar and every property", () => {
    const text = readFileSync(
      new URL("../../../docs/reference/simulate.md", import.meta.url),
      "utf8",
    );
    for (const [name, meaning] of Object.entries(liarKinds))
      expect(text).to.match(new RegExp(`\\| \`${name}\` +\\| ${meaning}`));
    for (const [name, meaning] of Object.entries(properties))
      expect(text).to.match(
        new RegExp(`\\| \`${name}\` +\\| ${meaning.replaceAll(".", "\\.")}`),
      );
  });
});

function aProgress(isTTY: boolean): {
  readonly written: string[];
  readonly progress: Progress;
  readonly clock: { ms: number };
} {
  const written: string[] = [];
  const clock = { ms: 0 };
  const stream = { isTTY, write: (text: string) => written.push(text) };
  return { written, clock, progress: new Progress(stream, () => clock.ms) };
}
