import { randomBytes } from "node:crypto";

/**
 * One start of a node, as 32 hexadecimal digits: the milliseconds since 1970 when it began (12), and digits that nobody can
 * foresee (20). Of two sessions in the same boot, as after a disk was restored from a copy, the greater text is the later one.
 */
export type Session = string;

export const sessionBytes = 16;
const timeBytes = 6;

/** Stands for the session of a peer that has not been heard yet. */
export const unknownSession: Session = "00".repeat(sessionBytes);

export function createSession(
  nowMs: number,
  random: (length: number) => Uint8Array = randomBytes,
): Session {
  const time = nowMs.toString(16).padStart(2 * timeBytes, "0");
  const rest = random(sessionBytes - timeBytes);
  return time + Buffer.from(rest).toString("hex");
}
