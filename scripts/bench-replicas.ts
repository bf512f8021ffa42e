// Measures how long a node is away when the machine of its active replica is lost, frozen or cut off, and when the role is moved:
// `npm run bench:replicas [-- --json --times 5]`. Fails if another member took the role of the coordinator over, or anything was lost.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { replicaDefaults } from "../src/replica/options.ts";
import { measure } from "../test/replica/harness/measures.ts";
import { Scene } from "../test/replica/harness/scene.ts";
import { openReplicaWorld } from "../test/replica/harness/world.ts";
import { tableOf } from "./bench/goals.ts";
import { median } from "./bench/statistics.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    times: { type: "string", default: "5" },
  },
});
const { leaseMs, graceMs, pollMs } = replicaDefaults;
const outDir = mkdtempSync(path.join(tmpdir(), "bench-replicas-"));
const world = await openReplicaWorld({
  outDir,
  replicas: ["r1", "r2"],
  lease: { leaseMs, graceMs, pollMs },
  blockMs: 400,
  settings: {},
});
try {
  const scene = await Scene.open(world, {
    replicas: ["r1", "r2"],
    seed: 1,
    load: { everyMs: 500, openMax: 8 },
  });
  const found = await measure(scene, Number(values.times));
  const { killed, frozen, cutOff, moved, takenOver } = found;
  const problems = [...found.problems, ...(await scene.close())];
  const rows = Object.entries({
    "killed, until a transaction is accepted (goal: 2000)": killed,
    [`frozen, until a transaction is accepted (goal: ${leaseMs + 1_500})`]:
      frozen,
    [`cut off from the database, the same (goal: ${leaseMs + 1_500})`]: cutOff,
    "role moved, without an accepted transaction (goal: 500)": moved,
  }).map(([what, times]) => ({
    what,
    "median ms": Math.round(median(times)),
    "most ms": Math.round(Math.max(...times)),
    times: times.length,
  }));
  if (values.json)
    console.log(JSON.stringify({ version: 1, rows, takenOver, problems }));
  else console.log(tableOf(rows));
  for (const problem of [...takenOver, ...problems]) console.error(problem);
  if (takenOver.length + problems.length > 0) process.exitCode = 1;
} finally {
  await world.stop();
}
if (process.exitCode === undefined) rmSync(outDir, { recursive: true });
else console.error(`Everything is in ${outDir}`);
// Connections to processes that were killed may keep this one alive.
process.exit();
