import { setTimeout } from "node:timers/promises";

import { schema } from "../world.ts";
import {
  type Fault,
  millisecondsUntilAccepted,
  type Round,
  until,
} from "./fault.ts";

/** The bytes between the active one and the database are held until another one has its place; no connection ends. */
export const heldDatabase: Fault = async ({ scene, active }) => {
  const letGo = [
    active.database.impose({ type: "hold", direction: "forth" }),
    active.database.impose({ type: "hold", direction: "back" }),
  ];
  const [acceptedMs] = await Promise.all([
    millisecondsUntilAccepted(scene),
    scene.active(active),
  ]);
  await until(
    "the one that is cut off is passive",
    () => active.role === "passive",
  );
  for (const pass of letGo) pass();
  return { acceptedMs };
};

/** Connections of the active one to the database are reset, and new ones too, for less than the grace. */
export const interruption: Fault = async (round) => {
  const { active, random, scene } = round;
  const { graceMs } = scene.world.options.lease;
  return await interrupted(round, async () => {
    const heal = active.database.impose({ type: "cut" });
    await setTimeout(random.below(0.8 * graceMs));
    heal();
  });
};

/** The server ends the session that holds the lease. */
export const terminatedSession: Fault = async (round) => {
  const { scene, active } = round;
  return await interrupted(round, async () => {
    await endSessions(scene.world.server, sessionOf(active));
  });
};

/** The server dies, and starts again. */
export const killedServer: Fault = async (round) => {
  const { server } = round.scene.world;
  return await interrupted(round, async () => {
    await server.kill("SIGKILL");
    await server.resume();
  });
};

/** The server takes no writes until all replicas have noticed. */
export const readOnlyServer: Fault = async ({ scene }) => {
  const before = new Map(
    scene.wanted.map((one) => [one, one.events.length] as const),
  );
  await setReadOnly(scene.world, "on");
  await until("all replicas are passive, and have noticed", () =>
    [...before].every(
      ([one, count]) =>
        one.role === "passive" &&
        one.events
          .slice(count)
          .some(({ event }) => event === "database-trouble"),
    ),
  );
  const head = await headOf(scene.world);
  const areActive = await Promise.all(
    scene.wanted.map(async (one) => await one.isActive()),
  );
  const after = await headOf(scene.world);
  const problems = [
    ...(after === head
      ? []
      : [
          `turns ${head + 1} to ${after} were written to a server that takes no writes`,
        ]),
    ...(areActive.includes(true)
      ? ["a replica is active while the server takes no writes"]
      : []),
  ];
  await setReadOnly(scene.world, "off");
  const acceptedMs = await millisecondsUntilAccepted(scene);
  return { acceptedMs, problems };
};

type World = Round["scene"]["world"];

async function setReadOnly(
  { server }: World,
  value: "on" | "off",
): Promise<void> {
  await server.query(
    `ALTER SYSTEM SET default_transaction_read_only = ${value}`,
  );
  await server.query("SELECT pg_reload_conf()");
  await until("the server has read its settings", async () => {
    const [row] = await server.query<{ readonly value: string }>(
      "SELECT current_setting('default_transaction_read_only') AS value",
    );
    return row?.value === value;
  });
  await endSessions(server, "hardhat-sequencer%");
}

/** Ends sessions by their names, and resolves when they are over. */
async function endSessions(
  server: World["server"],
  names: string,
): Promise<void> {
  const ended = await server.query<{ readonly pid: number }>(
    "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1",
    [names],
  );
  await until("sessions are over", async () => {
    const rows = await server.query(
      "SELECT FROM pg_stat_activity WHERE pid = ANY ($1)",
      [ended.map(({ pid }) => pid)],
    );
    return rows.length === 0;
  });
}

async function headOf({ server }: World): Promise<number> {
  const [row] = await server.query<{ readonly head: string }>(
    `SELECT head_sequence AS head FROM ${schema}.bucket`,
  );
  return Number(row?.head);
}

/** Something after which the active one may go on as it was; another one may be quicker on a busy machine. */
async function interrupted(
  { scene, active }: Round,
  interrupt: () => Promise<void>,
): Promise<Awaited<ReturnType<Fault>>> {
  const before = await epochOf(scene);
  const at = performance.now();
  await interrupt();
  const interruptedMs = Math.round(performance.now() - at);
  const acceptedMs = (await scene.users.accepted()) - at;
  const now = await scene.active();
  const epoch = await epochOf(scene);
  return {
    acceptedMs,
    note: `interrupted for ${interruptedMs} ms; ${now.name === active.name ? "the same" : "another"} replica is active, in ${epoch === before ? "the same epoch" : "a new epoch"}`,
  };
}

async function epochOf({
  world,
}: Pick<Round["scene"], "world">): Promise<number> {
  const [row] = await world.server.query<{ readonly epoch: string }>(
    `SELECT epoch FROM ${schema}.bucket`,
  );
  return Number(row?.epoch);
}

function sessionOf({ name }: { readonly name: string }): string {
  return `hardhat-sequencer ${name}`;
}
