import pg from "pg";

import { ReplicaError } from "../../../../src/replica/errors.ts";
import { promote } from "../../../../src/replica/promote.ts";
import { ask } from "../../../torture/harness/network/rpc.ts";
import type { ServedReplica } from "../replica.ts";
import type { Scene } from "../scene.ts";
import { schema } from "../world.ts";
import { type Fault, type Round, until } from "./fault.ts";

/** An operator moves the role to the passive one, and back. */
export const plannedChange: Fault = async ({ scene, active, passive }) => {
  const there = await move(scene, passive);
  await scene.settled();
  const back = await move(scene, active);
  return { note: `nothing accepted for ${there} and ${back} ms` };
};

/** Moves the role to a replica; gives the longest time for which nothing was accepted meanwhile, in milliseconds. */
export async function move(scene: Scene, to: ServedReplica): Promise<number> {
  const times = [await scene.users.accepted()];
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) times.push(await scene.users.accepted());
  })();
  try {
    await until("the role is moved", async () => {
      try {
        await promoteTo(scene, to);
        return true;
      } catch (error) {
        // On a busy machine it may not have shown itself for a while.
        if (isOf(error, "NO_REPLICA") || isOf(error, "NOT_PROMOTED"))
          return false;
        throw error;
      }
    });
    await scene.users.accepted();
  } finally {
    over.abort();
    await asking;
  }
  const gaps = times.map((time, index) => time - (times[index - 1] ?? time));
  return Math.round(Math.max(...gaps));
}

function isOf(error: unknown, code: ReplicaError["code"]): boolean {
  return error instanceof ReplicaError && error.code === code;
}

async function promoteTo(
  { world }: Scene,
  { name }: ServedReplica,
): Promise<void> {
  const { leaseMs } = world.options.lease;
  const client = new pg.Client({ connectionString: world.server.url });
  await client.connect();
  try {
    await promote(client, { schema, bucket: 0, name, leaseMs });
  } finally {
    await client.end();
  }
}

/** An operator wants to move the role to a replica that does not run. Nothing changes. */
export const noReplica: Fault = async ({ scene, active, passive }) => {
  const others = scene.wanted.filter((one) => one !== active);
  for (const one of others) await one.stop();
  const problems: string[] = [];
  try {
    await promoteTo(scene, passive);
    problems.push(`the role was moved to ${passive.name}, which does not run`);
  } catch (error) {
    // It may have gone without saying so, and counts as there for a lease.
    if (!isOf(error, "NO_REPLICA") && !isOf(error, "NOT_PROMOTED")) throw error;
  }
  await scene.users.accepted();
  for (const one of others) one.launch();
  for (const one of others) await one.answers();
  return { problems };
};

/** A replica that has nothing begins with a snapshot. If it runs already, it goes. */
export const thirdReplica: Fault = async (round) => {
  const { scene, random } = round;
  const [absent] = [...scene.world.replicas.values()].filter(
    ({ isWanted }) => !isWanted,
  );
  if (absent === undefined) {
    const active = await scene.active();
    const one = random.pick(scene.wanted.filter((each) => each !== active));
    await one.stop();
    return { note: `${one.name} is gone` };
  }
  const snapshot = await nextSnapshot(round);
  absent.wipe();
  const before = absent.events.length;
  absent.launch();
  await absent.answers();
  await scene.settled();
  let restored: Readonly<Record<string, unknown>> | undefined;
  await until("it says how it began", () => {
    restored = absent.events
      .slice(before)
      .find(({ event }) => event === "replica-rebuilt");
    return restored !== undefined;
  });
  const isRestored = Number(restored?.["turn"]) >= snapshot;
  return {
    note: `${absent.name} came with the snapshot at turn ${String(restored?.["turn"])}`,
    problems: isRestored
      ? []
      : [`${absent.name} did not begin with the snapshot at turn ${snapshot}`],
  };
};

/** Lets the log grow until a replica has made a snapshot; gives the turn of that. */
async function nextSnapshot({ scene }: Round): Promise<number> {
  const at = async (): Promise<number> => {
    const view = await (await scene.active()).view();
    return view?.snapshotSequence ?? 0;
  };
  const before = await at();
  let count = 0;
  await until("there is another snapshot", async () => {
    const now = await at().catch(() => before);
    if (now > before) return true;
    const params = [aLargeAbi(`${before} ${count++}`)];
    const { url } = await scene.active();
    await ask(url, { method: "ptx_storeABI", params }).catch(() => undefined);
    return false;
  });
  return await at();
}

/** Some ten kilobytes that are new to the node. */
function aLargeAbi(name: string): readonly object[] {
  return Array.from({ length: 400 }, (_, index) => ({
    type: "event",
    name: `filler_${name.replace(" ", "_")}_${index}`,
    inputs: [{ name: "x".repeat(100), type: "uint256", indexed: false }],
  }));
}
