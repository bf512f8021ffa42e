import { setTimeout as pause } from "node:timers/promises";

import type { Queries } from "../replica/postgres-log.ts";
import type { Wish } from "./election.ts";
import { readElection, WISH_MS } from "./election-view.ts";
import type { LogPlace } from "./options.ts";

/** How often the schema is asked whether the wish was answered. */
const LOOK_MS = 25;

/** Why a wish was not granted. */
export class WishRefusal extends Error {
  override readonly name = "WishRefusal";
  readonly code: "NO_SUPERVISOR" | "REFUSED" | "LATE" | "REPLACED";

  constructor(code: WishRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Asks the supervisor on duty to make a replica the master, and resolves when it is. Throws a {@link WishRefusal} if the supervisor refuses, or
 * if there is none. It refuses before anything is changed, or when the replica has failed since: then it says that the log is stopped.
 */
export async function makeMaster(
  client: Queries,
  place: LogPlace,
  wish: Wish,
): Promise<{ readonly master: string; readonly epoch: number }> {
  const { supervisor } = await readElection(client, place);
  if (supervisor === undefined)
    throw new WishRefusal(
      "NO_SUPERVISOR",
      `No supervisor has the duty in the schema ${place.schema}, so nobody can check ${wish.name}`,
    );
  const number = await record(client, place, wish);
  const end = performance.now() + WISH_MS;
  while (performance.now() < end) {
    const answer = await readAnswer(client, place);
    if (answer.number !== number)
      throw new WishRefusal(
        "REPLACED",
        `Somebody else asked for a master after ${wish.name} was asked for`,
      );
    if (answer.refusal !== null)
      throw new WishRefusal(
        "REFUSED",
        `${answer.refusal}${await ifStopped(client, place)}`,
      );
    if (answer.wanted === null) {
      const { master = wish.name, epoch } = await readElection(client, place);
      return { master, epoch };
    }
    await pause(LOOK_MS);
  }
  await answerWish(client, place, { number, refusal: undefined });
  throw new WishRefusal(
    "LATE",
    `${wish.name} has not become the master within ${WISH_MS / 1_000} s${await ifStopped(client, place)}`,
  );
}

/** It may have failed after its predecessor was revoked. */
async function ifStopped(client: Queries, place: LogPlace): Promise<string> {
  const { isStopped, isElectionOn } = await readElection(client, place);
  if (!isStopped) return "";
  return isElectionOn
    ? ". The log is stopped: the supervisor elects another one"
    : ". The log is stopped, so nobody is active: ask for another one, or start elections";
}

async function record(
  client: Queries,
  { schema, bucket }: LogPlace,
  { name, isForced }: Wish,
): Promise<number> {
  const { rows } = await client.query<{ readonly wish: string }>({
    text: `UPDATE ${schema}.election SET wish = wish + 1, wanted = $2, is_forced = $3,
        wanted_at = clock_timestamp(), refusal = NULL
      WHERE bucket = $1 RETURNING wish, pg_notify('${schema}', 'election')`,
    values: [bucket, name, isForced],
  });
  return Number(rows[0]?.wish);
}

async function readAnswer(
  client: Queries,
  { schema, bucket }: LogPlace,
): Promise<{
  readonly number: number;
  readonly wanted: string | null;
  readonly refusal: string | null;
}> {
  const { rows } = await client.query<{
    readonly wish: string;
    readonly wanted: string | null;
    readonly refusal: string | null;
  }>({
    text: `SELECT wish, wanted, refusal FROM ${schema}.election WHERE bucket = $1`,
    values: [bucket],
  });
  const [row] = rows;
  return {
    number: Number(row?.wish),
    wanted: row?.wanted ?? null,
    refusal: row?.refusal ?? null,
  };
}

/** Ends a wish: it is fulfilled, or refused. Nothing happens if there is another one by now. */
export async function answerWish(
  client: Queries,
  { schema, bucket }: LogPlace,
  {
    number,
    refusal,
  }: { readonly number: number; readonly refusal: string | undefined },
): Promise<void> {
  await client.query({
    text: `UPDATE ${schema}.election SET wanted = NULL, refusal = $3 WHERE bucket = $1 AND wish = $2`,
    values: [bucket, number, refusal ?? null],
  });
}
