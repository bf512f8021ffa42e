import type { Queries } from "../replica/postgres-log.ts";
import { note } from "./history.ts";
import type { LogPlace } from "./options.ts";

/**
 * Stops elections, or starts them again. While they are stopped, no supervisor acts by itself, and no replica takes a free lease but the one
 * that had it last. A grant that is on its way names an epoch that has passed then. False if it was so already.
 */
export async function switchElection(
  client: Queries,
  {
    isOn,
    by,
    ...place
  }: LogPlace & { readonly isOn: boolean; readonly by: string },
): Promise<boolean> {
  const { schema, bucket } = place;
  const { rowCount } = await client.query({
    // Whoever was about to end an epoch has decided before.
    text: `WITH switched AS (
        UPDATE ${schema}.bucket SET is_election_on = $2,
          epoch = CASE WHEN state = 'stopped' AND NOT $2 THEN epoch + 1 ELSE epoch END
        WHERE bucket = $1 AND is_election_on <> $2 RETURNING bucket
      )
      UPDATE ${schema}.election SET revoking = NULL FROM switched WHERE election.bucket = switched.bucket`,
    values: [bucket, isOn],
  });
  if (rowCount === 0) return false;
  await note(client, place, {
    act: isOn ? "election-started" : "election-stopped",
    replica: undefined,
    reason: "operator",
    supervisor: by,
  });
  await client.query({ text: `SELECT pg_notify('${schema}', 'election')` });
  return true;
}
