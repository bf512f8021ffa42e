import { sensitiveStringSchema } from "@nomicfoundation/hardhat-zod-utils";
import type {
  ConfigurationVariableResolver,
  ResolvedConfigurationVariable,
  SensitiveString,
} from "hardhat/types/config";
import { z } from "zod";

import { counted } from "./config-types.ts";
import { replicaDefaults } from "../replica/options.ts";
import { isSchemaName } from "../replica/schema.ts";

/** The PostgreSQL database that replicas of a node share. */
export interface DatabaseUserConfig {
  /** As in `postgres://user:password@db.example/sequencer?sslmode=verify-full`; best a configuration variable. */
  readonly url: SensitiveString;
  /** The schema with the tables of a node; without it, `sequencer_` and the name of the node. Every node has one of its own. */
  readonly schema?: string;
  /** After so long without a sign of life from the active replica, the server gives its lease up. */
  readonly leaseMs?: number;
  /** For so long the lease stays free for the replica that had it last. */
  readonly graceMs?: number;
  /** How often passive replicas read the log, also if nothing wakes them; at most half of `leaseMs`. */
  readonly pollMs?: number;
  /** A snapshot is made after turns with so many bytes. */
  readonly snapshotBytes?: number;
}

/** The same, resolved: defaults are those of a replica. */
export interface DatabaseConfig extends Omit<DatabaseUserConfig, "url"> {
  readonly url: ResolvedConfigurationVariable;
}

/** A day. */
const MS_MAX = 86_400_000;

const ms = (min: number): z.ZodType<number> =>
  counted("milliseconds", { min, max: MS_MAX });

/** What the key `sequencer.database` may hold. */
export const databaseType = z
  .object({
    url: sensitiveStringSchema,
    schema: z
      .string()
      .refine(isSchemaName, {
        message:
          'Expected the name of a schema: at most 51 lower-case letters, digits and "_", beginning with a letter and not with "pg_"',
      })
      .optional(),
    leaseMs: ms(500).optional(),
    graceMs: ms(100).optional(),
    pollMs: ms(10).optional(),
    snapshotBytes: counted("bytes", {
      min: 1_048_576,
      max: 2 ** 40,
    }).optional(),
  })
  .strict()
  .superRefine(requireFrequentPolls);

/** A passive replica keeps a session for the lease, which the server ends when it is idle for so long: it would never get the lease. */
function requireFrequentPolls(
  {
    leaseMs = replicaDefaults.leaseMs,
    pollMs = replicaDefaults.pollMs,
  }: {
    readonly leaseMs?: number | undefined;
    readonly pollMs?: number | undefined;
  },
  context: z.RefinementCtx,
): void {
  if (2 * pollMs <= leaseMs) return;
  context.addIssue({
    code: "custom",
    path: ["pollMs"],
    message: `Expected at most half of leaseMs, which is ${leaseMs}: replicas that look less often never take over`,
  });
}

export function resolveDatabaseConfig(
  { url, ...rest }: DatabaseUserConfig,
  resolveVariable: ConfigurationVariableResolver,
): DatabaseConfig {
  return { ...rest, url: resolveVariable(url) };
}

/** The schema of a node for which the configuration names none. */
export function schemaOf(node: string): string {
  return `sequencer_${node.toLowerCase().replace(/[^a-z0-9_]/g, "_")}`.slice(
    0,
    51,
  );
}
