import { randomFrom } from "../../helpers/random.ts";
import type { Fault, Outcome } from "./faults/fault.ts";
import {
  heldDatabase,
  interruption,
  killedServer,
  readOnlyServer,
  terminatedSession,
} from "./faults/database.ts";
import { heldPeers } from "./faults/peers.ts";
import { noReplica, plannedChange, thirdReplica } from "./faults/operators.ts";
import {
  freeze,
  kill,
  killAll,
  killTwice,
  lostDisk,
  stop,
} from "./faults/processes.ts";
import type { Scene } from "./scene.ts";

const faults: Readonly<Record<string, Fault>> = {
  "the active one is killed": kill,
  "the active one and its successor are killed": killTwice,
  "all replicas are killed": killAll,
  "the active one is frozen": freeze,
  "the active one is stopped": stop,
  "the passive one loses its disk": lostDisk,
  "the way to the database holds all bytes": heldDatabase,
  "the way to the database is interrupted": interruption,
  "the session with the lease is ended": terminatedSession,
  "the database is killed": killedServer,
  "the database takes no writes": readOnlyServer,
  "the ways to other nodes hold all bytes": heldPeers,
  "the role is moved, and moved back": plannedChange,
  "the role cannot be moved": noReplica,
  "a third replica begins with a snapshot": thirdReplica,
};

/** The faults of so many rounds: all of them, before one comes again. */
export function planRounds({
  seed,
  count,
  only,
}: {
  readonly seed: number;
  /** Without it, each fault comes once. */
  readonly count: number | undefined;
  /** Only faults with this in their name. */
  readonly only: string | undefined;
}): readonly string[] {
  const names = Object.keys(faults).filter(
    (name) => only === undefined || name.includes(only),
  );
  if (names.length === 0)
    throw new Error(`No fault has "${String(only)}" in its name.`);
  const random = randomFrom(seed);
  const plan: string[] = [];
  const rounds = count ?? names.length;
  while (plan.length < rounds) plan.push(...random.shuffle(names));
  return plan.slice(0, rounds);
}

/** What a round came to. */
export interface RoundResult extends Outcome {
  readonly fault: string;
  readonly problems: readonly string[];
  readonly ms: number;
  /** The part after the fault: until replicas have their roles again, and then until all that was wished for has ended. */
  readonly settledMs: number;
  readonly endedMs: number;
}

/** Plays one round, and resolves when all that was wished for has ended. */
export async function playRound(
  scene: Scene,
  { fault: name, seed }: { readonly fault: string; readonly seed: number },
): Promise<RoundResult> {
  const startedAt = performance.now();
  const active = await scene.settled();
  const random = randomFrom(seed);
  const passive = random.pick(scene.wanted.filter((one) => one !== active));
  const fault = faults[name];
  if (fault === undefined) throw new Error(`There is no fault ${name}.`);
  const outcome = await fault({ scene, random, active, passive });
  const madeGoodAt = performance.now();
  await scene.settled();
  const settledAt = performance.now();
  await scene.ended();
  const endedAt = performance.now();
  const { problems = [] } = outcome;
  return {
    ...outcome,
    fault: name,
    problems: [...problems, ...(await scene.violations())],
    ms: endedAt - startedAt,
    settledMs: settledAt - madeGoodAt,
    endedMs: endedAt - settledAt,
  };
}

/** One line for people. */
export function describeRound(result: RoundResult): string {
  const { ms, settledMs, endedMs, acceptedMs, note } = result;
  const seconds = (some: number): string => (some / 1_000).toFixed(1);
  return [
    `${seconds(ms)} s, with ${seconds(settledMs)} for the roles and ${seconds(endedMs)} for all transactions afterwards`,
    ...(acceptedMs === undefined
      ? []
      : [`accepted again after ${Math.round(acceptedMs)} ms`]),
    ...(note === undefined ? [] : [note]),
  ].join("; ");
}
