import { expect } from "chai";

import type { SimulateFact } from "../../src/plugin/simulation/facts.ts";
import { toJson, toLines } from "../../src/plugin/simulation/format.ts";
import type { SimulateOptions } from "../../src/plugin/simulation/options.ts";
import {
  simulateSeeds,
  type SimulatePorts,
} from "../../src/plugin/simulation/run.ts";
import { simulate } from "../../src/simulation/simulate.ts";
import { expectError } from "./helpers/errors.ts";

/** Runs the task's core, and keeps what it tells. */
async function run(
  options: SimulateOptions,
  simulator: SimulatePorts["simulate"] = simulate,
): Promise<SimulateFact[]> {
  const facts: SimulateFact[] = [];
  await simulateSeeds(options, {
    simulate: simulator,
    now: () => 0,
    tell: (fact) => facts.push(fact),
    progress: async () => {
      await Promise.resolve();
    },
  });
  return facts;
}

describe("plugin: sequencer:simulate", () => {
  it("tells of every run, and sums them up", async () => {
    const facts = await run({ seeds: "3", faults: "none" });
    expect(facts.map(({ type }) => type)).to.deep.equal([
      "run",
      "run",
      "run",
      "summary",
    ]);
    for (const fact of facts)
      expect(JSON.parse(toJson(fact))).to.include({ version: 1 });
  });

  it("repeats one seed exactly", async () => {
    const [first] = await run({ seed: "7" });
    const [again] = await run({ seed: "7" });
    expect(again).to.deep.equal(first);
  });

  it("stops at a violation, and says how to repeat it", async () => {
    const facts = await run({ seeds: "5" }, (options) => {
      const result = simulate({ ...options, faults: "none" });
      options.transcript?.("alice does something wrong");
      const violation = { property: "S1", message: "spent twice", atMs: 1 };
      return options.seed < 2 ? result : { ...result, violation };
    });
    const violation = facts.find(({ type }) => type === "violation");
    const text = violation === undefined ? "" : toLines(violation).join("\n");
    expect(text).to.include("S1");
    expect(text).to.include("--seed 2");
    expect(text).to.include("alice does something wrong");
    expect(facts.at(-1)).to.include({ type: "summary", isViolated: true });
    expect(facts.filter(({ type }) => type === "run")).to.have.length(2);
  });

  for (const [option, value, code] of [
    ["seed", "-1", "NUMBER_INVALID"],
    ["seeds", "nine", "NUMBER_INVALID"],
    ["seeds", "0", "NUMBER_INVALID"],
    ["nodes", "8", "NUMBER_INVALID"],
    ["intents", "1.5", "NUMBER_INVALID"],
    ["policy", "random", "CHOICE_INVALID"],
    ["faults", "__proto__", "CHOICE_INVALID"],
  ] as const) {
    it(`refuses --${option} ${value}`, async () => {
      await expectError(code, async () => await run({ [option]: value }));
    });
  }
});
