/** Progress is told so often at most. */
const EVERY_MS = 1_000;

/** Says whether it is time to tell progress again: not before some time has gone by, also at first. */
export function seldom(
  now: () => number = () => performance.now(),
): () => boolean {
  let toldAt = now();
  return () => {
    if (now() - toldAt < EVERY_MS) return false;
    toldAt = now();
    return true;
  };
}
