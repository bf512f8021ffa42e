import { z } from "zod/v4";

import { method, type Method } from "../method.ts";

export const turnHash = z
  .string()
  .regex(/^[\da-f]{64}$/)
  .meta({ id: "TurnHash", description: "Of a turn and all before it" });

export const head = z
  .strictObject({ sequence: z.int().nonnegative(), hash: turnHash })
  .readonly()
  .meta({ id: "Head", description: "The last turn of a log" });

export const epoch = z.int().nonnegative();

/** How a replica is, for operators and supervisors. */
export const syncStatus = z
  .strictObject({
    replica: z.string(),
    role: z.enum(["passive", "activating", "active", "stopped", "outdated"]),
    epoch: epoch.nullable(),
    applied: head,
    height: z.int().nonnegative().nullable(),
    hasChainTrouble: z.boolean(),
    hasPayerTrouble: z.boolean(),
    oldestDispatchMs: z.number().nonnegative().nullable(),
  })
  .readonly()
  .meta({ id: "SyncStatus" });

/** What operators can do with one replica. */
export interface ReplicaOperations {
  /** Whether it may answer as active at this moment. */
  readonly isActive: () => boolean;
  /** Opens the stopped log; throws an `RpcError` that says why not. */
  readonly start: (hash: string, epoch: number | undefined) => Promise<number>;
  /** Ends the node and stops the log; throws an `RpcError` that says why not. */
  readonly stop: (epoch: number | undefined) => Promise<z.input<typeof head>>;
  readonly syncStatus: () => Promise<z.input<typeof syncStatus>>;
}

/** The methods of the operators' server of a replica. */
export function createReplicaMethods(
  operations: ReplicaOperations,
): readonly Method[] {
  return [
    method({
      name: "admin_sequencerActive",
      summary: "Whether this replica is active, and certain of its lease",
      params: {},
      result: z.boolean(),
      run: operations.isActive,
    }),
    method({
      name: "admin_startSequencer",
      summary:
        "Makes this replica active, if the log is stopped with this hash and, unless null, under this epoch; gives the new epoch",
      params: { hash: turnHash, epoch: epoch.nullable() },
      result: epoch,
      run: async ({ hash, epoch: stopped }) =>
        await operations.start(hash, stopped ?? undefined),
    }),
    method({
      name: "admin_stopSequencer",
      summary:
        "Ends the node of this active replica and stops the log; gives the last turn, whose hash is the stopped hash. Supervisors name the epoch that they end",
      params: { epoch: epoch.nullable() },
      result: head,
      run: async ({ epoch: ended }) =>
        await operations.stop(ended ?? undefined),
    }),
    method({
      name: "sequencer_syncStatus",
      summary:
        "How this replica is: its role, its last turn, the chain as it sees it, and what is in its way",
      params: {},
      result: syncStatus,
      run: operations.syncStatus,
    }),
  ];
}
