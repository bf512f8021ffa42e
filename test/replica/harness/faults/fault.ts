import type { Random } from "../../../helpers/random.ts";
import { until as untilFound } from "../../../torture/harness/processes/until.ts";
import { DEADLINE_MS } from "../deadline.ts";
import type { ServedReplica } from "../replica.ts";
import type { Scene } from "../scene.ts";

/** What a fault has to do with. */
export interface Round {
  readonly scene: Scene;
  readonly random: Random;
  /** The replica that was active when the round began. */
  readonly active: ServedReplica;
  /** Another replica that runs, and follows. */
  readonly passive: ServedReplica;
}

/** What a fault came to. */
export interface Outcome {
  /** What was wrong. */
  readonly problems?: readonly string[];
  /** For people. */
  readonly note?: string;
  /** From the fault to the first transaction that was accepted afterwards. */
  readonly acceptedMs?: number;
}

/** Does something to replicas or their database, and makes it good again. All replicas run afterwards, in whatever role. */
export type Fault = (round: Round) => Promise<Outcome>;

/** How long it takes from now on until a new transaction is accepted. */
export async function millisecondsUntilAccepted({
  users,
}: Pick<Scene, "users">): Promise<number> {
  const at = performance.now();
  return (await users.accepted()) - at;
}

/** Resolves when something holds. */
export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
): Promise<void> {
  const wait = { what, deadlineMs: DEADLINE_MS, everyMs: 20 };
  await untilFound(wait, async () => ((await holds()) ? true : undefined));
}
