import { z } from "zod/v4";

import { method, type Method } from "../method.ts";

const replica = z
  .strictObject({
    name: z.string(),
    role: z.enum(["passive", "activating", "active", "stopped", "outdated"]),
    version: z.string(),
    rpc: z.string().optional(),
    peersAddress: z.string().optional(),
    appliedSequence: z.int().nonnegative(),
    lag: z.int().nonnegative(),
    seenMsAgo: z.number(),
  })
  .readonly()
  .meta({ id: "Replica" });

const replicas = z
  .strictObject({
    answeredBy: z.string(),
    active: z.string().optional(),
    epoch: z.int().nonnegative(),
    since: z.iso.datetime(),
    headSequence: z.int().nonnegative(),
    snapshotSequence: z.int().nonnegative().optional(),
    isStopped: z.boolean(),
    replicas: z.array(replica).readonly(),
  })
  .readonly()
  .meta({ id: "Replicas" });

/** The replicas of a node, for its users. */
export type ReplicasView = z.input<typeof replicas>;

/** Its name is known without the method, which every node with replicas makes for itself. */
export const replicasMethodName = "sequencer_replicas";

/** Passive replicas answer it too. */
export function createReplicasMethod(
  read: () => Promise<ReplicasView | null>,
): Method {
  return method({
    name: replicasMethodName,
    summary:
      "The replicas of this node, and which of them is active; null if it has none",
    params: {},
    result: replicas.nullable(),
    run: read,
  });
}
