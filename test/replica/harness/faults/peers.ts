import { NODE } from "../world.ts";
import { type Fault, until } from "./fault.ts";

/**
 * The bytes between the active one and the other members are held, until the others have gone on without it. It stays active: the database is
 * what decides. What its users want is accepted, and happens later.
 */
export const heldPeers: Fault = async ({ scene, active }) => {
  const { links, members } = scene.world;
  const heals = [...members.keys()].flatMap((peer) => [
    links.mute({ from: active.name, to: peer }),
    links.mute({ from: peer, to: active.name }),
  ]);
  const at = performance.now();
  const before = scene.users.answers.entries.length;
  const acceptedMs = (await scene.users.accepted()) - at;
  await until("the others go on without it", () => {
    const later = scene.users.answers.entries.slice(before);
    const wished = new Set(
      later.flatMap(({ type, key }) => (type === "wished" ? [key] : [])),
    );
    return later.some(
      ({ type, key, node }) =>
        type === "receipt" && node !== NODE && wished.has(key),
    );
  });
  const heldMs = Math.round(performance.now() - at);
  for (const heal of heals) heal();
  return { acceptedMs, note: `held for ${heldMs} ms` };
};
