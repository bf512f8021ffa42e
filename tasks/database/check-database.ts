import { join } from "node:path";

import type pg from "pg";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { temporaryDirectory } from "../../src/plugin/temporary-directory.ts";
import { checkLog } from "../../src/replica/check.ts";
import { openSession, requireOwnSession } from "../../src/replica/session.ts";
import { readTables } from "../../src/replica/tables.ts";
import {
  databaseOf,
  type NodeDatabase,
  requestMs,
  withSession,
} from "../shared/database.ts";
import { requireNodeName } from "../shared/node-home.ts";
import type { DatabaseCheckFact } from "./facts.ts";
import { seldom } from "./seldom.ts";

/** What the user asks for, as typed. */
export interface NodeOptions {
  readonly name?: string | undefined;
}

type Tell = (fact: DatabaseCheckFact) => void;

/** Checks all that a replica needs of its database; gives how many problems there are. */
export async function checkDatabase(
  hre: HardhatRuntimeEnvironment,
  options: NodeOptions,
  tellAll: Tell,
): Promise<number> {
  const node = requireNodeName(options.name);
  const database = await databaseOf(hre, node);
  const start = performance.now();
  let problems = 0;
  const isTime = seldom();
  const tell: Tell = (fact) => {
    if (fact.type === "check-progress" && !isTime()) return;
    if (fact.type === "damage") problems += 1;
    tellAll(fact);
  };
  await withSession(database, async (client) => {
    tell(await checkServer(database));
    if (!(await checkTables(client, database, tell))) return;
    const directory = temporaryDirectory();
    try {
      const file = join(directory.path, "node.db");
      await checkLog(client, { ...database, file }, tell);
    } finally {
      directory.remove();
    }
  });
  const elapsedMs = Math.round(performance.now() - start);
  tell({ type: "database-checked", node, problems, elapsedMs });
  return problems;
}

/** Opens a session with the settings of one that holds the lease. */
async function checkServer({
  url,
  host,
  leaseMs,
}: NodeDatabase): Promise<DatabaseCheckFact> {
  const name = "hardhat-sequencer check";
  const client = await openSession({ url, name, idleMs: leaseMs, requestMs });
  try {
    await requireOwnSession(client, { url, name, requestMs });
    const { rows } = await client.query<{
      readonly version: string;
      readonly user: string;
    }>(
      `SELECT current_setting('server_version') AS version, current_user AS user`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error("PostgreSQL gave no answer.");
    return { type: "server-checked", host, ...row };
  } finally {
    await client.end();
  }
}

/** Whether the log can be read. */
async function checkTables(
  client: pg.Client,
  { schema }: NodeDatabase,
  tell: Tell,
): Promise<boolean> {
  const tables = await readTables(client, { schema });
  for (const { name, isThere, denied } of tables) {
    if (!isThere)
      tell({
        type: "damage",
        problem: `the table ${schema}.${name} is missing`,
      });
    if (denied.length > 0)
      tell({
        type: "damage",
        problem: `this user has no right to ${denied.join(", ")} in the table ${schema}.${name}`,
      });
  }
  const sound = tables.filter(
    ({ isThere, denied }) => isThere && denied.length === 0,
  );
  tell({ type: "tables-checked", schema, tables: sound.length });
  return tables.every(
    ({ isThere, denied }) => isThere && !denied.includes("SELECT"),
  );
}
