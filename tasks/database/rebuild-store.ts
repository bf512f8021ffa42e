import { machineTimers } from "../../src/async/timers.ts";
import { type Rebuilt, withRebuiltStore } from "../../src/replica/rebuild.ts";
import { openMachineDisk } from "../../src/store/disk.ts";
import { migrations } from "../../src/store/schema.ts";
import { type NodeDatabase, requestMs } from "../shared/database.ts";
import type { RebuildFact } from "./facts.ts";
import { seldom } from "./seldom.ts";

/** Rebuilds the store of a node as of the end of its log, and lends it. */
export async function rebuildStore<Result>(
  { url, schema, bucket, node }: NodeDatabase,
  {
    file,
    head,
    tell,
  }: {
    readonly file: string;
    /** Where the log ends, for progress. */
    readonly head: number;
    readonly tell: (fact: RebuildFact) => void;
  },
  use: (rebuilt: Rebuilt) => Promise<Result>,
): Promise<Result> {
  const isTime = seldom();
  return await withRebuiltStore(
    {
      url,
      schema,
      bucket,
      name: "operator",
      file,
      node: { name: node, storeFormat: migrations.length },
      requestMs,
    },
    {
      timers: machineTimers,
      openDisk: openMachineDisk,
      onFact: () => undefined,
      onApplied: (turn) => {
        if (isTime())
          tell({ type: "rebuild-progress", turn, head: Math.max(head, turn) });
      },
    },
    use,
  );
}
