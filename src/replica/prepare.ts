import { emptyHead } from "../store/log/chain.ts";
import { ReplicaError } from "./errors.ts";
import { isSchemaName, schemaSql } from "./schema.ts";
import { openSession, requireOwnSession } from "./session.ts";

/** Two processes that prepare the same schema at once take turns. */
const PREPARING = 0x68_73_71_31;

/** Makes the tables of a node, and its buckets, where they are missing. */
export async function prepareSchema(options: {
  readonly url: string;
  readonly schema: string;
  readonly buckets: number;
  readonly requestMs: number;
}): Promise<void> {
  const { schema, buckets } = options;
  if (!isSchemaName(schema))
    throw new ReplicaError(
      "SCHEMA",
      `Invalid name of a schema: "${schema}". Use at most 51 lower-case letters, digits and "_", beginning with a letter.`,
    );
  const name = "hardhat-sequencer";
  const client = await openSession({ ...options, name, idleMs: undefined });
  try {
    await requireOwnSession(client, { ...options, name });
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [PREPARING]);
    await client.query(schemaSql(schema));
    await client.query(
      `INSERT INTO ${schema}.bucket (bucket, epoch, state, head_sequence, head_hash, since)
       SELECT bucket, 0, 'open', $2, $3, clock_timestamp() FROM generate_series(0, $1 - 1) AS bucket
       ON CONFLICT DO NOTHING`,
      [buckets, emptyHead.sequence, Buffer.from(emptyHead.hash, "hex")],
    );
    await client.query(
      `INSERT INTO ${schema}.election (bucket) SELECT bucket FROM ${schema}.bucket ON CONFLICT DO NOTHING`,
    );
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}
