import type pg from "pg";

import { TURN_FORMAT } from "../store/log/turn.ts";
import { ReplicaError } from "./errors.ts";
import type { NodeFacts } from "./options.ts";

interface NodeRow {
  readonly name: string;
  readonly chain_id: string;
  readonly factory: string;
  readonly public_key: string;
  readonly account: string;
  readonly wallet_print: string;
  readonly store_format: number;
  readonly turn_format: number;
}

/** The columns that all replicas agree on, and how people call them. */
const agreed = [
  ["name", "its name"],
  ["chain_id", "the id of its chain"],
  ["factory", "the address of its factory"],
  ["public_key", "the key of its identity"],
  ["account", "the address that endorses and pays"],
  ["wallet_print", "the secret of its wallet"],
] as const satisfies readonly (readonly [keyof NodeRow, string])[];

/** Columns whose values are secrets, or say nothing to people. */
const HIDDEN: ReadonlySet<keyof NodeRow> = new Set(["wallet_print"]);

/**
 * The first replica of a node says what the node is; all later ones must be the same node. Throws a {@link ReplicaError}
 * `REPLICA_KEYS_DIFFER` that names what differs.
 */
export async function agreeOnNode(
  client: Pick<pg.Client, "query">,
  { schema, node }: { readonly schema: string; readonly node: NodeFacts },
): Promise<void> {
  const own: NodeRow = {
    name: node.name,
    chain_id: String(node.chainId),
    factory: node.factory.toLowerCase(),
    public_key: node.publicKey,
    account: node.account.toLowerCase(),
    wallet_print: node.walletPrint,
    store_format: node.storeFormat,
    turn_format: TURN_FORMAT,
  };
  const columns = Object.keys(own);
  await client.query(
    `INSERT INTO ${schema}.node (one, ${columns.join(", ")})
     VALUES (1, ${columns.map((_, index) => `$${index + 1}`).join(", ")}) ON CONFLICT DO NOTHING`,
    Object.values(own),
  );
  const { rows } = await client.query<NodeRow>(
    `SELECT ${columns.join(", ")} FROM ${schema}.node`,
  );
  const [known] = rows;
  if (known === undefined) throw new Error("PostgreSQL gave no answer.");
  const differing = agreed.filter(([column]) => known[column] !== own[column]);
  if (differing.length === 0) return;
  const list = differing.map(([column, meaning]) =>
    HIDDEN.has(column)
      ? meaning
      : `${meaning} (${own[column]} here, ${known[column]} there)`,
  );
  throw new ReplicaError(
    "REPLICA_KEYS_DIFFER",
    `This replica is not the node in the schema ${schema}: ${list.join(", ")} ${list.length === 1 ? "differs" : "differ"}. Give all replicas of a node the same keys and settings, or each node a schema of its own.`,
  );
}

/** The versions with which a log was written. */
export interface Formats {
  readonly store: number;
  readonly turns: number;
}

/** Why this version cannot write the log, and perhaps not read it; undefined if it can. */
export function outdatedBy(
  { store, turns }: Formats,
  node: Pick<NodeFacts, "name" | "storeFormat">,
): ReplicaError | undefined {
  if (store <= node.storeFormat && turns <= TURN_FORMAT) return undefined;
  return new ReplicaError(
    "OUTDATED",
    `A newer version has written the log of ${node.name} (schema ${store} and turns ${turns}; this one knows ${node.storeFormat} and ${TURN_FORMAT}). Update hardhat-sequencer on this replica; until then it stays passive.`,
  );
}

/** Says with which versions the log is written from now on. Older replicas stay passive then. */
export async function raiseFormats(
  client: Pick<pg.Client, "query">,
  { schema, node }: { readonly schema: string; readonly node: NodeFacts },
): Promise<void> {
  await client.query(
    `UPDATE ${schema}.node SET store_format = greatest(store_format, $1), turn_format = greatest(turn_format, $2)
     WHERE store_format < $1 OR turn_format < $2`,
    [node.storeFormat, TURN_FORMAT],
  );
}
