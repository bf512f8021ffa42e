import { trials } from "../../../src/simulation/domains/trials.ts";
import { simulate } from "../../../src/simulation/simulate.ts";
import { simulateWhole } from "../../../src/simulation/whole/simulate.ts";
import { median } from "../statistics.ts";
import type { Findings, PartOptions } from "../part.ts";

/** As many groups in a run of the whole lane as `sequencer:simulate` has. */
const wholeTrials = [
  trials["group-token"],
  trials["notarised-token"],
  trials["owned-coins"],
];

interface Lane {
  readonly name: string;
  /** In one round. */
  readonly seeds: number;
  readonly eventsPerSecondMin: number;
  readonly run: (
    seed: number,
  ) => ReturnType<typeof simulate> | ReturnType<typeof simulateWhole>;
}

const lanes: readonly Lane[] = [
  {
    name: "core",
    seeds: 60,
    eventsPerSecondMin: 60_000,
    run: (seed) => simulate({ seed, faults: "all" }),
  },
  {
    name: "whole",
    seeds: 6,
    eventsPerSecondMin: 4_000,
    run: async (seed) =>
      await simulateWhole({ seed, faults: "all", trials: wholeTrials }),
  },
];

/** How many events a second of CPU simulates, in both lanes of the simulator, with all faults and all checks. */
export async function measureLanes({
  isQuick,
  tell,
}: PartOptions): Promise<Findings> {
  const rows: {
    readonly lane: string;
    readonly "events per CPU-second": number;
  }[] = [];
  for (const lane of lanes) {
    const rates: number[] = [];
    // The first rounds mostly measure the compiler at work.
    const warmUps = isQuick ? 1 : 2;
    for (let round = 0; round < warmUps + (isQuick ? 1 : 5); round++) {
      const rate = await eventsPerSecond(lane);
      if (round >= warmUps) rates.push(rate);
      tell(
        `simulator, ${lane.name} lane: ${Math.round(rate)} events per CPU-second`,
      );
    }
    rows.push({ lane: lane.name, "events per CPU-second": median(rates) });
  }
  return {
    sections: [{ title: "Simulation with all faults and all checks", rows }],
    goals: lanes.map(({ name, eventsPerSecondMin }, at) => ({
      name: `simulated events per CPU-second (${name} lane)`,
      value: rows[at]?.["events per CPU-second"] ?? NaN,
      valueMin: eventsPerSecondMin,
    })),
  };
}

async function eventsPerSecond({ name, seeds, run }: Lane): Promise<number> {
  const before = process.cpuUsage();
  let events = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const { statistics, violation } = await run(seed);
    if (violation !== undefined)
      throw new Error(`Seed ${seed}, ${name} lane: ${violation.message}`);
    events += statistics.events;
  }
  const { user, system } = process.cpuUsage(before);
  return events / ((user + system) / 1e6);
}
