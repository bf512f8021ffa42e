import type { Queries } from "./postgres-log.ts";

const tables = [
  "bucket",
  "turn",
  "statement",
  "node",
  "replica",
  "snapshot",
  "snapshot_part",
  "election",
  "election_history",
] as const;

/** What every replica does with every table. */
const privileges = ["SELECT", "INSERT", "UPDATE", "DELETE"] as const;

export interface TableState {
  readonly name: string;
  readonly isThere: boolean;
  /** What this user may not do with it. */
  readonly denied: readonly string[];
}

/** The tables of a node, whether they are there, and what the user of this session may do with them. */
export async function readTables(
  client: Queries,
  { schema }: { readonly schema: string },
): Promise<readonly TableState[]> {
  const { rows } = await client.query<{
    readonly name: string;
    readonly is_there: boolean;
    readonly denied: readonly string[];
  }>({
    // The oid comes from the catalogue: by its name, a user without rights in the schema would only see an error.
    text: `SELECT wanted.name, pg_class.oid IS NOT NULL AS is_there, ARRAY(
        SELECT privilege FROM unnest($3::text[]) AS privilege
        WHERE pg_class.oid IS NOT NULL AND NOT (
          has_schema_privilege(pg_namespace.oid, 'USAGE') AND has_table_privilege(pg_class.oid, privilege))
      ) AS denied
      FROM unnest($2::text[]) WITH ORDINALITY AS wanted (name, place)
        LEFT JOIN pg_namespace ON nspname = $1
        LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = wanted.name AND relkind IN ('r', 'p')
      ORDER BY place`,
    values: [schema, [...tables], [...privileges]],
  });
  return rows.map(({ name, is_there: isThere, denied }) => ({
    name,
    isThere,
    denied,
  }));
}
