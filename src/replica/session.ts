import type pg from "pg";

import { ReplicaError } from "./errors.ts";

/** The first version of PostgreSQL that ends sessions which are idle: so it notices frozen processes. */
const VERSION_MIN = 140_000;
const VERSION_WITH_TRANSACTION_TIMEOUT = 170_000;

/** What a session is for. */
export interface SessionOptions {
  readonly url: string;
  /** Shown in PostgreSQL's list of sessions. */
  readonly name: string;
  /** After so long without a request the server ends the session, and frees its locks; undefined: never. */
  readonly idleMs: number | undefined;
  /** A request that takes longer fails. */
  readonly requestMs: number;
}

export async function loadDriver(): Promise<typeof pg> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw new ReplicaError(
      "DRIVER",
      "A node with a database needs the package pg. Install it: npm install pg",
      { cause: error },
    );
  }
}

/**
 * Opens a session of its own, never one of a pool: a lease is a lock of one session. Calls `onEnd` once when the session has ended
 * for whatever reason.
 */
export async function openSession(
  options: SessionOptions,
  onEnd: (error: Error | undefined) => void = () => undefined,
): Promise<pg.Client> {
  const { Client } = await loadDriver();
  const { idleMs, requestMs } = options;
  const client = new Client({
    connectionString: options.url,
    application_name: options.name,
    connectionTimeoutMillis: requestMs,
    query_timeout: requestMs,
    statement_timeout: requestMs,
    keepAlive: true,
  });
  let state: "opening" | "open" | "over" = "opening";
  // One that ends while it is opened fails to open, and nobody has it yet.
  const end = (error?: Error): void => {
    if (state !== "open") return;
    state = "over";
    onEnd(error);
  };
  client.on("error", end);
  client.on("end", () => {
    end();
  });
  try {
    await client.connect();
    const { version } = await requireUsable(client);
    // A commit that does not wait for the server's disk proves nothing, and a server may be set so.
    await client.query(
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
    );
    if (idleMs !== undefined)
      await client.query(
        `SET idle_session_timeout = ${idleMs}; SET idle_in_transaction_session_timeout = ${idleMs};
         SET client_connection_check_interval = ${idleMs}`,
      );
    // A session that has sent half of a request is not idle. Before this version nothing ends it.
    if (idleMs !== undefined && version >= VERSION_WITH_TRANSACTION_TIMEOUT)
      await client.query(`SET transaction_timeout = ${idleMs}`);
    state = "open";
    return client;
  } catch (error) {
    state = "over";
    void client.end().catch(() => undefined);
    throw error;
  }
}

/** Refuses what would only seem to work. */
async function requireUsable(
  client: pg.Client,
): Promise<{ readonly version: number }> {
  const look = async (): Promise<{
    readonly version: number;
    readonly read_only: boolean;
    readonly process: number;
  }> => {
    const { rows } = await client.query<{
      readonly version: number;
      readonly read_only: boolean;
      readonly process: number;
    }>(
      `SELECT current_setting('server_version_num')::int AS version, pg_backend_pid() AS process,
         pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS read_only`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error("PostgreSQL gave no answer.");
    return row;
  };
  const { version, read_only, process } = await look();
  if (version < VERSION_MIN)
    throw new ReplicaError(
      "VERSION",
      `The database is PostgreSQL ${Math.floor(version / 10_000)}, and a node needs 14 or newer. Upgrade the server.`,
    );
  if (read_only)
    throw new ReplicaError(
      "READ_ONLY",
      "The database takes no writes: it is a stand-by, or read-only. Use the address of the primary server.",
    );
  const again = await look();
  if (again.process !== process) throw pooled();
  return { version };
}

/**
 * Refuses a pool that divides sessions among transactions, also one that has enough of them to give this client the same one each time: while
 * another client has a transaction, the session of an idle one is lent to that, or to nobody.
 */
export async function requireOwnSession(
  client: pg.Client,
  options: Pick<SessionOptions, "url" | "name" | "requestMs">,
): Promise<void> {
  const other = await openSession({ ...options, idleMs: undefined });
  try {
    const before = await processOf(client);
    await other.query("BEGIN");
    const lent = await processOf(other);
    const after = await processOf(client);
    if (lent === before || after !== before) throw pooled();
  } finally {
    await other.end().catch(() => undefined);
  }
}

async function processOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ readonly process: number }>(
    "SELECT pg_backend_pid() AS process",
  );
  return rows[0]?.process;
}

function pooled(): ReplicaError {
  return new ReplicaError(
    "POOLED",
    "The database is behind a pool that divides sessions among transactions. Use the address of the server itself, or a pool in session mode.",
  );
}
