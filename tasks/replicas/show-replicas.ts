import type pg from "pg";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { SequencerError } from "../../src/plugin/errors.ts";
import { promote } from "../../src/replica/promote.ts";
import { readStatus, type ReplicaStatus } from "../../src/replica/status.ts";
import {
  databaseOf,
  type NodeDatabase,
  withSession,
} from "../shared/database.ts";
import { requireNodeName } from "../shared/node-home.ts";
import type { ReplicasFact } from "./facts.ts";

/** What the user asks for, as typed. */
export interface ReplicasOptions {
  readonly name?: string | undefined;
  readonly promote?: string | undefined;
}

/** A name from a terminal, and not one that changes what a terminal shows. */
const REPLICA_NAME = /^[^\p{Cc}\p{Cf}\s]{1,255}$/u;

/** Shows the replicas of a node, after it has made another one active if that is asked for. */
export async function showReplicas(
  hre: HardhatRuntimeEnvironment,
  options: ReplicasOptions,
  tell: (facts: readonly ReplicasFact[]) => void,
): Promise<void> {
  const node = requireNodeName(options.name);
  const { promote: wanted } = options;
  if (wanted !== undefined && !REPLICA_NAME.test(wanted))
    throw new SequencerError("REPLICA_NAME_INVALID", {
      option: "--promote",
      value: wanted,
    });
  const database = await databaseOf(hre, node);
  await withSession(database, async (client) => {
    if (wanted !== undefined)
      await promoteTo(client, { ...database, wanted }, tell);
    const status = await readStatus(client, database);
    tell(factsOf(status, database));
  });
}

async function promoteTo(
  client: pg.Client,
  { wanted: name, ...database }: NodeDatabase & { readonly wanted: string },
  tell: (facts: readonly ReplicasFact[]) => void,
): Promise<void> {
  const start = performance.now();
  const { epoch } = await promote(client, {
    ...database,
    name,
    onAsked: ({ active: from = null }) => {
      tell([{ type: "promoting", replica: name, from }]);
    },
  });
  const elapsedMs = Math.round(performance.now() - start);
  tell([{ type: "promoted", replica: name, epoch, elapsedMs }]);
}

function factsOf(
  status: ReplicaStatus,
  { node, leaseMs }: NodeDatabase,
): readonly ReplicasFact[] {
  return [
    {
      type: "replicas",
      node,
      active: status.active ?? null,
      epoch: status.epoch,
      since: status.since.toISOString(),
      head: status.headSequence,
      snapshot: status.snapshotSequence ?? null,
      isStopped: status.isStopped,
    },
    ...status.replicas.map((one): ReplicasFact => ({
      type: "replica",
      name: one.name,
      role: one.role,
      isAway: one.seenMsAgo > leaseMs,
      version: one.version,
      rpc: one.rpc ?? null,
      peersAddress: one.peersAddress ?? null,
      applied: one.appliedSequence,
      lag: one.lag,
      seenMsAgo: Math.max(0, Math.round(one.seenMsAgo)),
    })),
  ];
}
