import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { PlannedFault } from "../harness/nemesis/schedule.ts";
import { figuresOf } from "../harness/report/figures.ts";
import { usual } from "../harness/settings.ts";
import { torture } from "../harness/torture.ts";
import type { Found } from "./copy.ts";

/** One run with the sources that are next to this file, sabotaged or not. */
async function hunt(plan: readonly PlannedFault[]): Promise<Found> {
  const outDir = mkdtempSync(path.join(tmpdir(), "torture-hunt-"));
  const { violations, evidence } = await torture(
    {
      ...usual,
      seed: 1,
      nodes: 3,
      faultMs: 0,
      wishEveryMs: 400,
      // What does not end by then is stuck.
      restMs: 30_000,
      outDir,
      plan,
    },
    (line) => {
      console.error(line);
    },
  );
  rmSync(outDir, { recursive: true, force: true });
  const { faults } = evidence;
  const confirmed = figuresOf(evidence)["intents confirmed"] ?? 0;
  return { violations, faults, confirmed };
}

// Mocha loads every file below `test`; only as a program of its own does this one run.
if (process.argv[1] === import.meta.filename) {
  const plan = JSON.parse(process.argv[2] ?? "") as readonly PlannedFault[];
  process.stdout.write(JSON.stringify(await hunt(plan)));
}
