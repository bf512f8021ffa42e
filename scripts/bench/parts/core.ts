import type { Policy } from "../../../src/protocol/config.ts";
import {
  bytesPerIntent,
  type Load,
  microsecondsPerIntent,
  simulatedEventsPerSecond,
} from "../core/measure.ts";
import type { Findings, Part, PartOptions } from "../part.ts";

const policies: readonly Policy[] = ["sticky", "rotating"];
/** Of one round of the simulator. */
const seeds = 60;
/** Rounds before the one that counts: the first ones mostly measure the compiler at work. */
const warmUps = 4;
const eventsPerSecondMin = 150_000;
/** How much more an intent may cost under the heaviest load than under the lightest. */
const growthMax = 1.5;
const committees = [3, 7, 20, 50] as const;
/** Intents in one measured run, at least: enough to be measured at all. */
const intentsMin = 10_000;

/** The protocol alone: no sockets, no disk, no cryptography. */
export const core: Part = {
  about: "the protocol's core alone: simulated events, growth",
  run: async (options) => {
    const parts = [
      measureSimulation(options),
      measureCosts(options),
      ...policies.map((policy) => measureInFlight(policy, options)),
      measureMembers(options),
    ];
    return await Promise.resolve({
      sections: parts.flatMap(({ sections }) => sections),
      goals: parts.flatMap(({ goals }) => goals),
    });
  },
};

function measureSimulation({ isQuick, tell }: PartOptions): Findings {
  const kinds = ["none", "all"] as const;
  for (let round = 0; round < (isQuick ? 1 : warmUps); round++)
    for (const faults of kinds) {
      const events = simulatedEventsPerSecond(faults, seeds);
      tell(
        `simulator, faults ${faults}: warm-up, ${Math.round(events)} events per CPU-second`,
      );
    }
  const most = new Map<string, number>();
  for (let round = 0; round < 3; round++)
    for (const faults of kinds) {
      const events = simulatedEventsPerSecond(faults, seeds);
      most.set(faults, Math.max(events, most.get(faults) ?? 0));
    }
  const rows = kinds.map((faults) => ({
    faults,
    "events per CPU-second": most.get(faults) ?? NaN,
  }));
  return {
    sections: [{ title: "Simulation with all checks", rows }],
    goals: rows.map(({ faults, "events per CPU-second": value }) => ({
      name: `simulated events per CPU-second, faults: ${faults}`,
      value,
      valueMin: eventsPerSecondMin,
    })),
  };
}

function measureCosts({ tell }: PartOptions): Findings {
  const rows = policies.map((policy) => {
    tell(`core, ${policy}: 4 members`);
    const load = loadOf({ policy, members: 4, inFlight: 5_000 });
    return {
      policy,
      "intents per CPU-second": 1e6 / microsecondsPerIntent(load, 3),
      "bytes per intent": bytesPerIntent(load),
    };
  });
  const title = "The core of 4 members, without faults and checks";
  return { sections: [{ title, rows }], goals: [] };
}

function measureInFlight(
  policy: Policy,
  { isQuick, tell }: PartOptions,
): Findings {
  tell(`core, ${policy}: by intents in flight`);
  const sizes = isQuick ? [100, 10_000] : [100, 1_000, 10_000, 100_000];
  const most = sizes.at(-1) ?? intentsMin;
  // The same number of intents for every size: what a node remembers of those that ended is no cost of those in flight.
  const loads = sizes.map((inFlight) =>
    loadOf({ policy, members: 4, inFlight }, most),
  );
  const growth = growthOf(loads, isQuick ? 1 : 3);
  return {
    sections: [
      {
        title: `The core's cost of an intent by intents in flight, ${policy}`,
        rows: sizes.map((inFlight, index) => ({
          "in flight": inFlight,
          cost: growth[index] ?? NaN,
        })),
      },
    ],
    goals: [
      {
        name: `the core's cost with ${most.toLocaleString("en")} intents in flight (${policy})`,
        value: growth.at(-1) ?? NaN,
        valueMax: growthMax,
      },
    ],
  };
}

function measureMembers({ isQuick, tell }: PartOptions): Findings {
  tell("core: by members");
  const loads = committees.map((members) =>
    loadOf({ policy: "sticky", members, inFlight: 2_000 }),
  );
  const growth = growthOf(loads, isQuick ? 1 : 3);
  // Every member checks every bundle: what must not grow is what one of them does.
  const perMember = growth.map(
    (cost, index) => (cost * committees[0]) / (committees[index] ?? NaN),
  );
  return {
    sections: [
      {
        title: "The core's cost of an intent by members",
        rows: committees.map((members, index) => ({
          members,
          "cost for all": growth[index] ?? NaN,
          "cost for each": perMember[index] ?? NaN,
        })),
      },
    ],
    goals: [
      {
        name: `the core's cost for each of ${committees.at(-1)} members`,
        value: perMember.at(-1) ?? NaN,
        valueMax: growthMax,
      },
    ],
  };
}

function loadOf(load: Omit<Load, "waves">, intents = intentsMin): Load {
  return { ...load, waves: Math.max(1, Math.ceil(intents / load.inFlight)) };
}

/** The cost of an intent for each load, in units of the first one. Rounds go over all loads, so that a slow moment hits all. */
function growthOf(loads: readonly Load[], rounds: number): number[] {
  const least = loads.map(() => Infinity);
  for (let round = 0; round < rounds; round++)
    loads.forEach((load, index) => {
      const cost = microsecondsPerIntent(load, 1);
      least[index] = Math.min(least[index] ?? Infinity, cost);
    });
  return least.map((cost) => cost / (least[0] ?? cost));
}
