import { expect } from "chai";

import { domainNames } from "../../src/simulation/domains/names.ts";
import { onTrial } from "../../src/simulation/domains/runtime-domain.ts";
import type { Trial } from "../../src/simulation/domains/trial.ts";
import { trials } from "../../src/simulation/domains/trials.ts";
import { properties } from "../../src/simulation/properties.ts";
import type { SimulationOptions } from "../../src/simulation/settings.ts";
import {
  simulateDomain,
  type SimulationResult,
} from "../../src/simulation/simulate.ts";
import { type Sabotage, sabotages } from "./domains/sabotages.ts";

/** How many seeds of each domain are run, and the first of them. */
const seeds = Number(process.env["SEEDS"] ?? 250);
const firstSeed = Number(process.env["FIRST_SEED"] ?? 1);
const transcriptLines = 60;

/** Seeds within which a sabotage must be noticed. */
const sabotageSeeds = 150;

/** Intents of a run: few and more of them in turn, so that there is time for many runs. An EVM takes longer. */
function intentsIn(name: string, seed: number): number {
  const few = [5, 10, 25][seed % 3] ?? 5;
  return name === "private-contracts" ? Math.ceil(few / 3) : few;
}

/** The last things that happened before a property failed. */
async function storyOf(options: SimulationOptions): Promise<string> {
  const lines: string[] = [];
  await simulateDomain({
    ...options,
    transcript: (line) => {
      lines.push(line);
      if (lines.length > transcriptLines) lines.shift();
    },
  });
  return lines.join("\n");
}

/** A run in which liars try what they can. */
async function withLiars(
  trial: Trial,
  seed: number,
): Promise<SimulationResult> {
  const domain = onTrial(trial);
  return await simulateDomain({
    seed,
    faults: "byzantine",
    liar: "clumsy",
    intents: 12,
    domain,
  });
}

/** The run that notices a sabotage: where it was noticed last, or one of the first. */
async function hunt({
  trial,
  seed: hint,
}: Sabotage): Promise<SimulationResult | undefined> {
  const all = Array.from({ length: sabotageSeeds }, (_, i) => i + 1);
  for (const seed of [hint, ...all]) {
    const result = await withLiars(trial, seed);
    if (result.violation !== undefined) return result;
  }
  return undefined;
}

describe("Simulation of domains", function () {
  this.timeout(Math.max(120_000, seeds * 2_000));

  for (const name of domainNames) {
    const domain = onTrial(trials[name]);
    const optionsFor = (seed: number): SimulationOptions => ({
      seed,
      faults: "all",
      intents: intentsIn(name, seed),
      domain,
    });

    it(`keeps the promises of ${name} in ${seeds} runs with all faults`, async () => {
      let confirmed = 0;
      for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
        const options = optionsFor(seed);
        const { violation, statistics } = await simulateDomain(options);
        confirmed += statistics.confirmed;
        if (violation !== undefined)
          expect.fail(
            `--domain ${name} --seed ${seed} --intents ${intentsIn(name, seed)}: ${violation.message}\n${await storyOf(options)}`,
          );
      }
      // One seed may be one in which hardly anything can happen.
      if (seeds >= 100) expect(confirmed).to.be.greaterThan(seeds);
    });

    it(`does the same thing with ${name} again for the same seed`, async () => {
      for (const seed of [3, 4, 5]) {
        const once = await simulateDomain(optionsFor(seed));
        const again = await simulateDomain(optionsFor(seed));
        expect(again.traceHash).to.equal(once.traceHash);
        expect(again.statistics).to.deep.equal(once.statistics);
      }
    });
  }

  for (const sabotage of sabotages)
    it(`notices that ${sabotage.name}, and nothing without that`, async () => {
      const { seed = 0, violation } = (await hunt(sabotage)) ?? {};
      expect(properties).to.have.property(sabotage.property);
      expect(violation?.property, violation?.message).to.equal(
        sabotage.property,
      );
      const honest = await withLiars(trials[sabotage.domain], seed);
      expect(honest.violation?.message).to.equal(undefined);
    });
});
