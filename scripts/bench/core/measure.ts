import { getHeapStatistics } from "node:v8";

import type { Policy } from "../../../src/protocol/config.ts";
import type { FaultGroup } from "../../../src/simulation/faults.ts";
import { simulate } from "../../../src/simulation/simulate.ts";
import { prepareWork } from "./domain.ts";
import { LeanNetwork } from "./network.ts";

/** Runs something and says how many microseconds of CPU it took, on all threads. */
export function cpuMicrosecondsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Simulated events per CPU-second, with all checks. */
export function simulatedEventsPerSecond(
  faults: FaultGroup,
  seeds: number,
): number {
  let events = 0;
  const microseconds = cpuMicrosecondsOf(() => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { statistics, violation } = simulate({ seed, faults });
      if (violation !== undefined)
        throw new Error(`Seed ${seed}, faults ${faults}: ${violation.message}`);
      events += statistics.events;
    }
  });
  return events / (microseconds / 1e6);
}

/** Intents that go through a lean network in waves of `inFlight`. */
export interface Load {
  readonly policy: Policy;
  readonly members: number;
  readonly inFlight: number;
  readonly waves: number;
}

function runWaves({ policy, members, inFlight, waves }: Load): {
  readonly run: () => void;
  readonly count: number;
} {
  const count = inFlight * waves;
  const work = prepareWork(count);
  const network = new LeanNetwork({ work, members, policy });
  const run = (): void => {
    for (let start = 0; start < count; start += inFlight)
      network.settle(work.intents.slice(start, start + inFlight));
  };
  return { run, count };
}

/** Microseconds of CPU that one intent takes on all members together: the least of some runs. */
export function microsecondsPerIntent(load: Load, repetitions: number): number {
  let least = Infinity;
  for (let i = 0; i < repetitions; i++) {
    const { run, count } = runWaves(load);
    least = Math.min(least, cpuMicrosecondsOf(run) / count);
  }
  return least;
}

/** Events between two looks at the heap. Few enough that a collection in between hides little. */
const eventsPerSample = 32;

/** Bytes that are allocated for one intent, on all members together. */
export function bytesPerIntent({ policy, members, inFlight }: Load): number {
  const work = prepareWork(inFlight);
  let bytes = 0;
  let events = 0;
  let used = getHeapStatistics().used_heap_size;
  const sample = (): void => {
    events += 1;
    if (events % eventsPerSample !== 0) return;
    const now = getHeapStatistics().used_heap_size;
    // A collection makes it shrink; what was allocated since the last look is lost to us then.
    if (now > used) bytes += now - used;
    used = now;
  };
  new LeanNetwork({ work, members, policy }, sample).settle(work.intents);
  return bytes / inFlight;
}
