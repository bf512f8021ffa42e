import type pg from "pg";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { schemaOf } from "../../src/plugin/database-config.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import {
  replicaDefaults,
  type ReplicaOptions,
} from "../../src/replica/options.ts";
import { openSession } from "../../src/replica/session.ts";
import { readTables } from "../../src/replica/tables.ts";
import { targetOf } from "../../src/replica/target.ts";
import { databaseErrorOf } from "./replica-errors.ts";

/** The database of one node, with all settings that a replica has from the configuration. */
export interface NodeDatabase extends Pick<
  ReplicaOptions,
  | "url"
  | "schema"
  | "bucket"
  | "leaseMs"
  | "graceMs"
  | "pollMs"
  | "snapshotBytes"
> {
  readonly node: string;
  /** Where it is, without anything that is secret. */
  readonly host: string;
}

/** A request of an operator that takes longer fails. */
export const requestMs = 15_000;

/** The database of a node, as the configuration has it. Nothing is asked of it yet. */
export async function databaseOf(
  hre: HardhatRuntimeEnvironment,
  node: string,
): Promise<NodeDatabase> {
  const { database: config } = hre.config.sequencer;
  if (config === undefined)
    throw new SequencerError("DATABASE_NOT_CONFIGURED", { node });
  const { url: variable, schema = schemaOf(node), ...settings } = config;
  const url = await variable.get();
  const target = await withDatabaseErrors(
    { node, schema, host: "the database" },
    async () => await targetOf(url),
  );
  if (target === undefined)
    throw new SequencerError("DATABASE_URL_INVALID", undefined);
  const { host, isLocal, isEncrypted } = target;
  if (!isLocal && !isEncrypted)
    throw new SequencerError("DATABASE_NOT_ENCRYPTED", { host });
  return { ...replicaDefaults, ...settings, url, schema, node, host };
}

/** What is wrong with the database becomes an error for its operator. */
export async function withDatabaseErrors<Result>(
  database: Pick<NodeDatabase, "node" | "schema" | "host">,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw databaseErrorOf(error, database);
  }
}

/** Opens a session with the database of a node, whose tables must be there, and ends it afterwards. */
export async function withSession<Result>(
  database: NodeDatabase,
  act: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  return await withDatabaseErrors(database, async () => {
    const client = await openSession({
      url: database.url,
      name: "hardhat-sequencer operator",
      idleMs: undefined,
      requestMs,
    });
    try {
      const tables = await readTables(client, database);
      if (tables.every(({ isThere }) => !isThere))
        throw new SequencerError("DATABASE_EMPTY", database);
      return await act(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  });
}
