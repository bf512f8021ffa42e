import {
  type Fault,
  millisecondsUntilAccepted,
  type Round,
  until,
} from "./fault.ts";

/** The power of the active one goes, and comes back. */
export const kill: Fault = async ({ scene, active }) => {
  await active.kill();
  const acceptedMs = await millisecondsUntilAccepted(scene);
  active.launch();
  await active.answers();
  return { acceptedMs };
};

/** The active one is killed, and so is the one that takes over, in the middle of that. */
export const killTwice: Fault = async ({ scene, active }) => {
  const others = scene.wanted.filter((one) => one !== active);
  await active.kill();
  let successor = active;
  // One that is active already was quicker than this process.
  await until("another one begins to take over", () => {
    const found = others.find(({ role }) =>
      ["activating", "active"].includes(role),
    );
    successor = found ?? active;
    return found !== undefined;
  });
  await successor.kill();
  const at = performance.now();
  for (const one of [active, successor]) one.launch();
  const acceptedMs = (await scene.users.accepted()) - at;
  for (const one of [active, successor]) await one.answers();
  return { acceptedMs };
};

/** All replicas are killed at once, as when the power goes for all of them. */
export const killAll: Fault = async ({ scene, random }) => {
  const all = random.shuffle(scene.wanted);
  await Promise.all(
    all.map(async (one) => {
      await one.kill();
    }),
  );
  const at = performance.now();
  for (const one of all) one.launch();
  const acceptedMs = (await scene.users.accepted()) - at;
  for (const one of all) await one.answers();
  return { acceptedMs };
};

/** Questions that wait at a process which is frozen. */
const QUESTIONS = 8;

/** The active one is frozen until another one has its place, and goes on then as if nothing had happened. */
export const freeze: Fault = async ({ scene, active }) => {
  active.freeze();
  const frozenAt = performance.now();
  const [acceptedMs, other] = await Promise.all([
    millisecondsUntilAccepted(scene),
    scene.active(active),
  ]);
  const before = active.roles.length;
  const questions = Array.from(
    { length: QUESTIONS },
    async () => await scene.reader.look(active),
  );
  const wish = scene.users.acceptedAt(active.url);
  active.thaw();
  const answered = (await Promise.all(questions)).filter(Boolean).length;
  const isAccepted = await wish;
  await until(
    "the thawed one is passive",
    () => active.role === "passive" || hasReturned({ active, before }),
  );
  const frozenMs = Math.round(performance.now() - frozenAt);
  // On a busy machine the lease may have come back to it meanwhile.
  const isWrong =
    (answered > 0 || isAccepted) && !hasReturned({ active, before });
  const what = `${active.name} answered ${answered} questions as the active one${isAccepted ? " and accepted a transaction" : ""} after it was frozen, while ${other.name} is active`;
  return {
    acceptedMs,
    note: `frozen for ${frozenMs} ms, answered ${answered} of ${QUESTIONS} questions afterwards`,
    problems: isWrong ? [what] : [],
  };
};

/** Whether the replica has become active anew since it had so many roles. */
function hasReturned({
  active,
  before,
}: Pick<Round, "active"> & { readonly before: number }): boolean {
  return active.roles.slice(before).some(({ role }) => role === "active");
}

/** The active one is asked to end, and starts again. */
export const stop: Fault = async ({ scene, active }) => {
  const [acceptedMs, exit] = await Promise.all([
    millisecondsUntilAccepted(scene),
    active.stop(),
  ]);
  active.launch();
  await active.answers();
  const problems =
    exit.code === 0
      ? []
      : [
          `${active.name} was asked to end, and did with ${JSON.stringify(exit)}`,
        ];
  return { acceptedMs, problems };
};

/** The passive one loses its disk. It begins anew with the log. */
export const lostDisk: Fault = async ({ passive, random }) => {
  if (random.chance(0.5)) await passive.kill();
  else await passive.stop();
  passive.wipe();
  passive.launch();
  await passive.answers();
  return {};
};
