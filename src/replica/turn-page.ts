/** Bytes of turns after which a page ends: they are in memory at once, and must come before a request takes too long. */
const PAGE_BYTES = 4_194_304;

/**
 * SQL that reads the turns of a bucket ($1) from one on ($2), in order: at most so many ($3), and fewer if those are large already. A turn that
 * is there is always read.
 */
export function turnPageSql(schema: string): string {
  return `SELECT sequence, epoch, hash, body FROM (
      SELECT *, sum(length(body)) OVER (ORDER BY sequence) - length(body) AS before FROM (
        SELECT sequence, epoch, hash, body FROM ${schema}.turn
        WHERE bucket = $1 AND sequence >= $2 ORDER BY sequence LIMIT $3
      ) AS next
    ) AS page WHERE before < ${PAGE_BYTES} ORDER BY sequence`;
}
