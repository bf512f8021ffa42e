import { setTimeout as pause } from "node:timers/promises";

import type pg from "pg";

import { ReplicaError } from "./errors.ts";
import { PROMOTED_LAG_MAX, WISH_MS } from "./presence.ts";
import { readStatus, type ReplicaStatus } from "./status.ts";

/** How often the schema is asked whether it has happened. */
const LOOK_MS = 25;

/**
 * Asks the active replica to leave the lease to another one, and resolves when that is active. Throws a {@link ReplicaError} and changes nothing
 * if there is no such replica, or it is not ready.
 */
export async function promote(
  client: pg.Client,
  {
    schema,
    bucket,
    name,
    leaseMs,
    onAsked,
  }: {
    readonly schema: string;
    readonly bucket: number;
    /** The replica that is to be active. */
    readonly name: string;
    readonly leaseMs: number;
    /** Called when it is ready, and the active one was asked. */
    readonly onAsked?: (before: ReplicaStatus) => void;
  },
): Promise<ReplicaStatus> {
  const before = await readStatus(client, { schema, bucket });
  if (before.active === name) return before;
  requireReady(before, { schema, name, leaseMs });
  await client.query(
    `WITH wished AS (
       UPDATE ${schema}.bucket SET wanted = $2, wanted_at = clock_timestamp() WHERE bucket = $1 RETURNING 1
     ) SELECT pg_notify('${schema}', 'wanted') FROM wished`,
    [bucket, name],
  );
  onAsked?.(before);
  try {
    const end = performance.now() + WISH_MS;
    while (performance.now() < end) {
      const status = await readStatus(client, { schema, bucket });
      const { active, epoch } = status;
      if (active === name && isActive(status, name)) return status;
      // It had the lease, and another one has it again.
      const isOver = epoch > before.epoch + 1 && active !== undefined;
      if (isOver && active !== name)
        throw notPromoted(name, {
          problem: "had the lease, and its node has not started",
          active,
        });
      await pause(LOOK_MS);
    }
  } finally {
    await client.query(
      `UPDATE ${schema}.bucket SET wanted = NULL, wanted_at = NULL WHERE bucket = $1 AND wanted = $2`,
      [bucket, name],
    );
  }
  throw notPromoted(name, {
    problem: `has not become active within ${WISH_MS / 1_000} s`,
    active: before.active,
  });
}

/** It says so itself, when its node has started. */
function isActive({ replicas }: ReplicaStatus, name: string): boolean {
  return replicas.some((one) => one.name === name && one.role === "active");
}

function notPromoted(
  name: string,
  {
    problem,
    active = "the other replicas",
  }: { readonly problem: string; readonly active: string | undefined },
): ReplicaError {
  return new ReplicaError(
    "NOT_PROMOTED",
    `The replica ${name} ${problem}. Read the logs of it and of ${active}.`,
  );
}

function requireReady(
  { replicas }: ReplicaStatus,
  {
    schema,
    name,
    leaseMs,
  }: {
    readonly schema: string;
    readonly name: string;
    readonly leaseMs: number;
  },
): void {
  const found = replicas.find((one) => one.name === name);
  const names = replicas.map((one) => one.name).join(", ") || "none";
  const problem =
    found === undefined
      ? `there is none with this name in the schema ${schema}, which knows ${names}`
      : found.seenMsAgo > leaseMs || found.role !== "passive"
        ? `it was seen ${Math.round(found.seenMsAgo / 1_000)} s ago, and was ${found.role}`
        : found.lag > PROMOTED_LAG_MAX
          ? `it is ${found.lag} turns behind`
          : undefined;
  if (problem === undefined) return;
  throw new ReplicaError(
    "NO_REPLICA",
    `The replica ${name} cannot become active: ${problem}. Nothing was changed.`,
  );
}
