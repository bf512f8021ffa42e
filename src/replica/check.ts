import { rmSync } from "node:fs";

import type pg from "pg";

import { StoreError, translate } from "../store/store-error.ts";
import { CheckedTurns } from "./check-turns.ts";
import { ReplicaError } from "./errors.ts";
import type { Queries } from "./postgres-log.ts";
import {
  draftOf,
  listSnapshots,
  restoreSnapshot,
  type Snapshot,
} from "./restore.ts";
import { readRange, readStatements, readTurns } from "./turns.ts";

/** Turns in one request: their bodies are in memory at once. */
const TURNS_MAX = 100;

/** What a check finds, in this order. */
export type CheckFact =
  | {
      readonly type: "turns-checked";
      /** The first turn that is still there; null if there is none. */
      readonly first: number | null;
      /** The last turn of the log. */
      readonly head: number;
      readonly turns: number;
      readonly bytes: number;
    }
  | { readonly type: "statements-checked"; readonly statements: number }
  | {
      readonly type: "snapshot-checked";
      readonly sequence: number;
      readonly bytes: number;
      readonly parts: number;
    }
  /** How much was read by now. */
  | {
      readonly type: "check-progress";
      readonly part: "turns" | "snapshot";
      /** Turns of the log, or parts of a snapshot. */
      readonly done: number;
      readonly of: number;
    }
  | { readonly type: "damage"; readonly problem: string };

interface CheckOptions {
  readonly schema: string;
  readonly bucket: number;
  /** A name in a folder for the same eyes only: snapshots are put together there. */
  readonly file: string;
}

/**
 * Reads a whole log, as it is at one moment: whether its turns form one chain up to the head, all statements are those that turns name, and
 * the snapshots are complete. Others may write it meanwhile.
 */
export async function checkLog(
  client: pg.Client,
  options: CheckOptions,
  tell: (fact: CheckFact) => void,
): Promise<void> {
  await client.query(
    "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
  );
  try {
    const snapshots = await listSnapshots(client, options);
    const turns = await checkTurns(client, { ...options, snapshots }, tell);
    for (const snapshot of snapshots) {
      const problem = turns.problemOf(snapshot.head);
      if (problem !== undefined) tell({ type: "damage", problem });
      await checkSnapshot(client, { ...options, snapshot }, tell);
    }
  } finally {
    await client.query("ROLLBACK");
  }
}

async function checkTurns(
  client: pg.Client,
  options: CheckOptions & { readonly snapshots: readonly Snapshot[] },
  tell: (fact: CheckFact) => void,
): Promise<CheckedTurns> {
  const range = await readRange(client, options);
  const { known, altered } = await readStatements(client, options);
  const checked = new CheckedTurns(
    { range, snapshots: options.snapshots.map(({ head }) => head) },
    {
      sqlOf: (id) => known.get(id),
      onDamage: (problem) => {
        tell({ type: "damage", problem });
      },
    },
  );
  let from = 0;
  for (;;) {
    const turns = await readTurns(client, {
      ...options,
      from,
      turnsMax: TURNS_MAX,
    });
    for (const turn of turns) checked.add(turn);
    const last = turns.at(-1);
    if (last === undefined) break;
    from = last.sequence + 1;
    tell({
      type: "check-progress",
      part: "turns",
      done: checked.count,
      of: range.count,
    });
  }
  checked.end();
  const { count, bytes } = checked;
  tell({
    type: "turns-checked",
    first: range.first ?? null,
    head: range.head.sequence,
    turns: count,
    bytes,
  });
  for (const id of altered)
    tell({
      type: "damage",
      problem: `the statement ${id} is not the one that turns name`,
    });
  tell({ type: "statements-checked", statements: known.size });
  return checked;
}

/** Puts it together as a replica does that begins with it. */
async function checkSnapshot(
  client: pg.Client,
  options: CheckOptions & { readonly snapshot: Snapshot },
  tell: (fact: CheckFact) => void,
): Promise<void> {
  const { head, parts, size } = options.snapshot;
  let done = 0;
  const onPart = (): void => {
    done += 1;
    tell({ type: "check-progress", part: "snapshot", done, of: parts });
  };
  try {
    await restoreSnapshot(countedBy(client, onPart), options);
    tell({
      type: "snapshot-checked",
      sequence: head.sequence,
      bytes: size,
      parts,
    });
  } catch (failure) {
    const error = translate(`The snapshot at turn ${head.sequence}`, failure);
    const isKnown =
      error instanceof ReplicaError || error instanceof StoreError;
    if (!isKnown) throw error;
    tell({ type: "damage", problem: error.message });
  } finally {
    rmSync(draftOf(options.file), { force: true });
  }
}

/** The same session, which calls back after every request: each reads one part. */
function countedBy(client: Queries, onRequest: () => void): Queries {
  return {
    query: async (query) => {
      const result = await client.query<never>(query);
      onRequest();
      return result;
    },
  };
}
