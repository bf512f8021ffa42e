/**
 * Measures the protocol's core, and a cluster next to members without a coordinator: `npm run bench`. Prints tables, or
 * with `--json` one object per line. Fails if the cost of an intent grows with the load, or if the ledger reverts what a
 * coordinator sent; what a second is worth differs from machine to machine and is only printed.
 */
import type { Policy } from "../src/protocol/config.ts";
import {
  contentionDefaults,
  contentionGoal,
  contentionRows,
  contentionTitle,
  measureContention,
} from "./bench/contention.ts";
import { missedGoals, tableOf, type Ratio, type Row } from "./bench/goals.ts";
import {
  bytesPerIntent,
  microsecondsPerIntent,
  simulatedEventsPerSecond,
  type Load,
} from "./bench/measure.ts";

const policies: readonly Policy[] = ["sticky", "rotating"];
const seeds = 60;
/** What we want to see on a machine of our time. Printed, never asserted. */
const eventsPerSecondGoal = 150_000;
/** How much more an intent may cost under the heaviest load than under the lightest. */
const growthMax = 1.5;
const sizes = [100, 1_000, 10_000, 100_000] as const;
const committees = [3, 7, 20, 50] as const;
/** Intents in one measured run, at least: enough to be measured at all. */
const intentsMin = 10_000;
/** The same for every size: what a node remembers of intents that ended must not look like a cost of those in flight. */
const intentsBySize = sizes.at(-1) ?? intentsMin;

const isJson = process.argv.includes("--json");

function report(title: string, rows: readonly Row[]): void {
  if (isJson)
    for (const row of rows)
      console.log(JSON.stringify({ version: 1, measure: title, ...row }));
  else console.log(`${title}\n${tableOf(rows)}\n`);
}

function loadOf(load: Omit<Load, "waves">, intents = intentsMin): Load {
  return { ...load, waves: Math.max(1, Math.ceil(intents / load.inFlight)) };
}

function measureSimulation(): void {
  for (const faults of ["none", "all"] as const)
    simulatedEventsPerSecond(faults, seeds);
  const rows = (["none", "all"] as const).map((faults) => {
    const events = simulatedEventsPerSecond(faults, seeds);
    const isReached = events >= eventsPerSecondGoal;
    return {
      faults,
      "events per CPU-second": events,
      goal: `${isReached ? "at least" : "below"} ${eventsPerSecondGoal}`,
    };
  });
  report("simulation with all checks", rows);
}

function measureThroughput(): void {
  const rows = policies.map((policy) => {
    const load = loadOf({ policy, members: 4, inFlight: 5_000 });
    const microseconds = microsecondsPerIntent(load, 3);
    return {
      policy,
      "intents per CPU-second": 1e6 / microseconds,
      "bytes per intent": bytesPerIntent(load),
    };
  });
  report("4 members, no faults, no checks", rows);
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

function measureInFlight(): Ratio[] {
  return policies.map((policy) => {
    const growth = growthOf(
      sizes.map((inFlight) =>
        loadOf({ policy, members: 4, inFlight }, intentsBySize),
      ),
      3,
    );
    report(
      `cost of an intent by intents in flight, ${policy}`,
      sizes.map((inFlight, index) => ({
        "in flight": inFlight,
        cost: growth[index] ?? NaN,
      })),
    );
    return {
      name: `the cost with ${sizes.at(-1)} intents in flight (${policy})`,
      value: growth.at(-1) ?? NaN,
      valueMax: growthMax,
    };
  });
}

function measureMembers(): Ratio[] {
  const growth = growthOf(
    committees.map((members) =>
      loadOf({ policy: "sticky", members, inFlight: 2_000 }),
    ),
    3,
  );
  // Every member checks every bundle: what must not grow is what one of them does.
  const perMember = growth.map(
    (cost, index) => (cost * committees[0]) / (committees[index] ?? NaN),
  );
  report(
    "cost of an intent by members",
    committees.map((members, index) => ({
      members,
      "cost for all": growth[index] ?? NaN,
      "cost for each": perMember[index] ?? NaN,
    })),
  );
  return [
    {
      name: `the cost for each of ${committees.at(-1)} members`,
      value: perMember.at(-1) ?? NaN,
      valueMax: growthMax,
    },
  ];
}

async function measureCoordination(): Promise<Ratio> {
  const result = await measureContention(contentionDefaults);
  report(
    contentionTitle(contentionDefaults),
    contentionRows(result, contentionDefaults),
  );
  return contentionGoal(result);
}

measureSimulation();
measureThroughput();
const missed = missedGoals([
  ...measureInFlight(),
  ...measureMembers(),
  await measureCoordination(),
]);
for (const goal of missed) console.error(`Goal missed: ${goal}.`);
if (missed.length > 0) process.exitCode = 1;
