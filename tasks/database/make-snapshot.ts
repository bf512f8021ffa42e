import { join } from "node:path";

import type pg from "pg";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { SequencerError } from "../../src/plugin/errors.ts";
import { temporaryDirectory } from "../../src/plugin/temporary-directory.ts";
import type { Rebuilt } from "../../src/replica/rebuild.ts";
import { listSnapshots } from "../../src/replica/restore.ts";
import { makeSnapshot } from "../../src/replica/snapshot.ts";
import { readRange } from "../../src/replica/turns.ts";
import {
  databaseOf,
  type NodeDatabase,
  withSession,
} from "../shared/database.ts";
import { requireNodeName } from "../shared/node-home.ts";
import type { NodeOptions } from "./check-database.ts";
import type { SnapshotFact } from "./facts.ts";
import { rebuildStore } from "./rebuild-store.ts";

/** Makes a snapshot of the end of the log, also if no replica runs. */
export async function snapshotDatabase(
  hre: HardhatRuntimeEnvironment,
  options: NodeOptions,
  tell: (fact: SnapshotFact) => void,
): Promise<void> {
  const database = await databaseOf(hre, requireNodeName(options.name));
  const fact = await withSession(database, async (client) => {
    const { head } = await readRange(client, database);
    const [newest] = await listSnapshots(client, database);
    const newestAt = newest?.head.sequence ?? 0;
    if (newestAt > 0 && newestAt >= head.sequence)
      return { type: "snapshot-present", sequence: newestAt } as const;
    const directory = temporaryDirectory();
    const file = join(directory.path, "node.db");
    try {
      return await rebuildStore(
        database,
        { file, head: head.sequence, tell },
        async (rebuilt) =>
          await storeSnapshot(client, { ...database, file, rebuilt }),
      );
    } finally {
      directory.remove();
    }
  });
  tell(fact);
}

async function storeSnapshot(
  client: pg.Client,
  {
    rebuilt: { head, disk },
    ...database
  }: NodeDatabase & { readonly file: string; readonly rebuilt: Rebuilt },
): Promise<SnapshotFact> {
  const before = await readRange(client, database);
  const made = await makeSnapshot(
    { ...database, name: "operator" },
    {
      client,
      database: disk.database,
      // It was made of what is in the log.
      settled: async () => {
        await Promise.resolve();
      },
    },
  );
  const [newest] = await listSnapshots(client, database);
  if (newest !== undefined && made !== undefined) {
    const after = await readRange(client, database);
    const { sequence } = made;
    return {
      type: "snapshot-made",
      sequence,
      bytes: newest.size,
      trimmed:
        (after.first ?? after.head.sequence + 1) -
        (before.first ?? before.head.sequence + 1),
    };
  }
  // A replica has made one meanwhile, or is about to.
  if (newest !== undefined && newest.head.sequence >= head.sequence)
    return { type: "snapshot-present", sequence: newest.head.sequence };
  throw new SequencerError("DATABASE_BUSY", {
    reason: `Another process makes a snapshot of the log in the schema ${database.schema}. Run again when it has ended.`,
  });
}
