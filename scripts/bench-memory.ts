/**
 * Measures the memory of four nodes while intents go through one group, and while groups are created and left alone:
 * `npm run bench:memory [-- --intents 100000 --groups 10000]`. Fails if it grows with the intents that have ended or with
 * groups that are idle, or if anybody says anything about those.
 */
import { parseArgs } from "node:util";

import { RESTING_MAX } from "../src/node/roster.ts";
import {
  bytesEach,
  memoryOfIdleGroups,
  memoryOfIntents,
  type MemoryPoint,
  deviationOf,
} from "./bench/memory.ts";

/** What memory may differ from its mean by after the first fifth: caches have to be full by then. */
const DEVIATION_MAX = 0.1;
const QUIET_MS = 5_000;
const NODES = 4;

const { values } = parseArgs({
  options: {
    intents: { type: "string", default: "100000" },
    groups: { type: "string", default: "10000" },
  },
});

const partsOf = (total: number, parts: number): readonly number[] =>
  Array.from({ length: parts }, (_, i) => Math.ceil((total * (i + 1)) / parts));

function print(what: string, points: readonly MemoryPoint[]): void {
  for (const { count, heapBytes } of points)
    console.log(`${count} ${what}: ${(heapBytes / 1e6).toFixed(1)} MB`);
}

const wrong: string[] = [];

const intents = Number(values.intents);
if (intents > 0) {
  const points = await memoryOfIntents(partsOf(intents, 5));
  print("intents", points);
  const deviation = deviationOf(points);
  console.log(
    `memory stays within ${(100 * deviation).toFixed(1)} % of its mean`,
  );
  if (deviation > DEVIATION_MAX) wrong.push("memory grows with ended intents");
}

const groups = Number(values.groups);
if (groups > 0) {
  const { points, messages, quietMs } = await memoryOfIdleGroups(
    partsOf(groups, 5),
    { quietMs: QUIET_MS, restingMax: RESTING_MAX },
  );
  print("groups", points);
  const deviation = deviationOf(points);
  console.log(
    `memory stays within ${(100 * deviation).toFixed(1)} % of its mean`,
  );
  const each = bytesEach(points) / NODES;
  console.log(`an idle group costs a node ${each.toFixed(0)} bytes`);
  console.log(`${messages} messages in ${quietMs} ms`);
  if (deviation > DEVIATION_MAX) wrong.push("memory grows with idle groups");
  if (messages > 0) wrong.push("idle groups send messages");
}

for (const one of wrong) console.error(one);
process.exitCode = wrong.length === 0 ? 0 : 1;
