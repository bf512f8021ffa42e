import { createHash } from "node:crypto";

/** A place in a log: how many turns there are up to it, and a hash of all of them. */
export interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/** A turn with its place. */
export interface ChainedTurn extends Head {
  readonly body: Uint8Array;
}

/** Before the first turn. */
export const emptyHead: Head = { sequence: 0, hash: "0".repeat(64) };

/** The head after one more turn. Equal heads mean equal logs. */
export function headAfter(head: Head, body: Uint8Array): Head {
  const hash = createHash("sha256")
    .update(Buffer.from(head.hash, "hex"))
    .update(body)
    .digest("hex");
  return { sequence: head.sequence + 1, hash };
}
