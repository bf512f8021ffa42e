import { randomFrom } from "../../helpers/random.ts";
import type { Fault, Outcome } from "./faults/fault.ts";
import { kill } from "./faults/processes.ts";
import type { Scene } from "./scene.ts";

const faults: Readonly<Record<string, Fault>> = { kill };

/** The faults of so many rounds: all of them, before one comes again. */
export function planRounds(seed: number, count: number): readonly string[] {
  const random = randomFrom(seed);
  const plan: string[] = [];
  while (plan.length < count) plan.push(...random.shuffle(Object.keys(faults)));
  return plan.slice(0, count);
}

/** What a round came to. */
export interface RoundResult extends Outcome {
  readonly fault: string;
  readonly problems: readonly string[];
  readonly ms: number;
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
  await scene.settled();
  await scene.ended();
  const { problems = [] } = outcome;
  return {
    ...outcome,
    fault: name,
    problems: [...problems, ...(await scene.violations())],
    ms: performance.now() - startedAt,
  };
}

/** One line for people. */
export function describeRound({
  fault,
  ms,
  acceptedMs,
  note,
}: RoundResult): string {
  const accepted =
    acceptedMs === undefined
      ? ""
      : `, accepted again after ${Math.round(acceptedMs)} ms`;
  return `${fault}: ${(ms / 1_000).toFixed(1)} s${accepted}${note === undefined ? "" : `; ${note}`}`;
}
