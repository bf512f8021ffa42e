import { sampleOf } from "../../torture/harness/evidence/observer.ts";
import { heldDatabase } from "./faults/database.ts";
import { type Fault, type Outcome, type Round, until } from "./faults/fault.ts";
import { move } from "./faults/operators.ts";
import { freeze, kill } from "./faults/processes.ts";
import type { Scene } from "./scene.ts";
import { NODE } from "./world.ts";

export interface Measures {
  /** Milliseconds from each fault to the first transaction that was accepted afterwards. */
  readonly killed: readonly number[];
  readonly frozen: readonly number[];
  readonly cutOff: readonly number[];
  /** The longest time without an accepted transaction, in milliseconds, for each planned change. */
  readonly moved: readonly number[];
  /** What members said when the node was killed while it was the coordinator, and another one took the role over. */
  readonly takenOver: readonly string[];
  readonly problems: readonly string[];
}

/** Measures how long a node with replicas is away. Each is measured so often. */
export async function measure(scene: Scene, times: number): Promise<Measures> {
  const problems: string[] = [];
  const measured = async (fault: Fault): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let n = 0; n < times; n++) {
      const { acceptedMs, problems: others = [] } = await fault(
        await roundOf(scene),
      );
      if (acceptedMs !== undefined) found.push(acceptedMs);
      problems.push(...others);
    }
    return found;
  };
  const takenOver: string[] = [];
  const killed = await measured(async () => {
    await untilCoordinator(scene);
    return await killCoordinator(await roundOf(scene), takenOver);
  });
  const frozen = await measured(freeze);
  const cutOff = await measured(heldDatabase);
  const moved = await measured(async ({ passive }) => ({
    acceptedMs: await move(scene, passive),
  }));
  await scene.ended();
  problems.push(...(await scene.violations()));
  return { killed, frozen, cutOff, moved, takenOver, problems };
}

async function roundOf(scene: Scene): Promise<Round> {
  const active = await scene.settled();
  const [passive] = scene.wanted.filter((one) => one !== active);
  if (passive === undefined) throw new Error("There is no passive replica.");
  return { scene, random: scene.random, active, passive };
}

/** Kills the active replica while its node coordinates, and adds what the members say if another one takes that over. */
async function killCoordinator(
  round: Round,
  takenOver: string[],
): Promise<Outcome> {
  const { scene } = round;
  const { changes } = scene.world;
  const before = changes.length;
  const outcome = await kill(round);
  await scene.ended();
  for (const { node, from, to = "?", takeover = "?" } of changes.slice(before))
    if (from === NODE)
      takenOver.push(`${node} saw ${to} take the role over (${takeover})`);
  return outcome;
}

/** Resolves when the others take the node for the coordinator. Whoever else is it is killed, and starts again. */
async function untilCoordinator(scene: Scene): Promise<void> {
  const { members } = scene.world;
  await until("the node coordinates", async () => {
    const seen = await Promise.all(
      [...members.values()].map(async (one) => {
        const { active } = await sampleOf(one, scene.group.address);
        return active;
      }),
    );
    if (seen.every((name) => name === NODE)) return true;
    const [first] = seen;
    const other = members.get(first ?? "");
    if (other === undefined || seen.some((name) => name !== first))
      return false;
    await other.kill();
    await until("another one coordinates", async () =>
      (
        await Promise.all(
          [...members.values()]
            .filter((one) => one !== other)
            .map((one) => sampleOf(one, scene.group.address)),
        )
      ).some(({ active }) => active !== undefined && active !== other.name),
    );
    await other.start();
    return false;
  });
}
