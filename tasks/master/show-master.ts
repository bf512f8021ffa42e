import type pg from "pg";
import { hostname } from "node:os";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { SequencerError } from "../../src/plugin/errors.ts";
import {
  type ElectionView,
  readElection,
} from "../../src/supervisor/election-view.ts";
import {
  type HistoryEntry,
  readHistory,
} from "../../src/supervisor/history.ts";
import { switchElection } from "../../src/supervisor/switch.ts";
import { makeMaster, WishRefusal } from "../../src/supervisor/wish.ts";
import {
  databaseOf,
  type NodeDatabase,
  withSession,
} from "../shared/database.ts";
import { requireNodeName } from "../shared/node-home.ts";
import type { MasterFact } from "./facts.ts";

/** What the user asks for, as typed. */
export interface MasterOptions {
  readonly name?: string | undefined;
  readonly set?: string | undefined;
  readonly force: boolean;
  readonly stopElection: boolean;
  readonly startElection: boolean;
}

/** Acts of the history that are shown. */
const ACTS = 10;
/** A name from a terminal, and not one that changes what a terminal shows. */
const REPLICA_NAME = /^[^\p{Cc}\p{Cf}\s]{1,255}$/u;

/** Shows who is active, after it has changed what is asked for. */
export async function showMaster(
  hre: HardhatRuntimeEnvironment,
  options: MasterOptions,
  tell: (facts: readonly MasterFact[]) => void,
): Promise<void> {
  const node = requireNodeName(options.name);
  const { set, force, stopElection, startElection } = options;
  check(options);
  const database = await databaseOf(hre, node);
  await withSession(database, async (client) => {
    if (stopElection || startElection)
      tell([await turnElection(client, database, startElection)]);
    if (set !== undefined)
      tell([await setMaster(client, database, { name: set, isForced: force })]);
    const view = await readElection(client, database);
    const acts = await readHistory(client, database, { countMax: ACTS });
    tell([masterFact(view, database), ...[...acts].reverse().map(actFact)]);
  });
}

function check({
  set,
  force,
  stopElection,
  startElection,
}: MasterOptions): void {
  if (set !== undefined && !REPLICA_NAME.test(set))
    throw new SequencerError("REPLICA_NAME_INVALID", {
      option: "--set",
      value: set,
    });
  if (force && set === undefined)
    throw new SequencerError("MASTER_FORCE_ALONE", undefined);
  if (stopElection && startElection)
    throw new SequencerError("OPTIONS_EXCLUSIVE", {
      first: "--stop-election",
      second: "--start-election",
    });
}

async function turnElection(
  client: pg.Client,
  database: NodeDatabase,
  isOn: boolean,
): Promise<MasterFact> {
  const by = `operator at ${hostname()}`;
  const isChanged = await switchElection(client, { ...database, isOn, by });
  return { type: "election", isOn, isChanged };
}

async function setMaster(
  client: pg.Client,
  database: NodeDatabase,
  wish: { readonly name: string; readonly isForced: boolean },
): Promise<MasterFact> {
  const { node } = database;
  const beganAt = performance.now();
  try {
    const { master, epoch } = await makeMaster(client, database, wish);
    const elapsedMs = Math.round(performance.now() - beganAt);
    return { type: "changed", master, epoch, elapsedMs };
  } catch (error) {
    if (!(error instanceof WishRefusal)) throw error;
    throw error.code === "NO_SUPERVISOR"
      ? new SequencerError("MASTER_UNSUPERVISED", { node }, error)
      : new SequencerError(
          "MASTER_NOT_SET",
          { node, reason: `${wish.name}: ${error.message}` },
          error,
        );
  }
}

function masterFact(view: ElectionView, { node }: NodeDatabase): MasterFact {
  const { master = null, epoch, head, isStopped, isElectionOn } = view;
  return {
    type: "master",
    node,
    master,
    tenureMs: Math.max(0, Math.round(view.tenureMs)),
    epoch,
    turn: head.sequence,
    hash: head.hash,
    isStopped,
    isElectionOn,
    supervisor: view.supervisor?.name ?? null,
    supervisorUrl: view.supervisor?.rpc ?? null,
  };
}

function actFact(entry: HistoryEntry): MasterFact {
  const { at, act, replica = null, epoch, head, reason, supervisor } = entry;
  return {
    type: "act",
    at: at.toISOString(),
    act,
    replica,
    epoch,
    turn: head.sequence,
    reason,
    supervisor,
  };
}
