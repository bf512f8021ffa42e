import { type Fault, untilAccepted } from "./fault.ts";

/** The power of the active one goes, and comes back. */
export const kill: Fault = async ({ scene, active }) => {
  await active.kill();
  const acceptedMs = await untilAccepted(scene);
  active.launch();
  await active.answers();
  return { acceptedMs };
};
