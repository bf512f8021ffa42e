import { byteLength } from "./hex.ts";
import type { Transition } from "./transition.ts";

/** The contract refuses calls with more bytes than this. */
export const CALLDATA_BYTES_MAX = 131_072;

/** A committee has at most this many members. */
export const MEMBERS_MAX = 255;

const SELECTOR = 4;
const WORD = 32;

/** How many bytes the call `execute` with a transition and this many signatures has. */
export function executeBytes(
  transition: Transition,
  signatures: number,
): number {
  return (
    SELECTOR +
    2 * WORD +
    transitionBytes(transition) +
    3 * WORD +
    2 * WORD * signatures
  );
}

/** How many bytes the call `executeApproved` with a transition has. */
export function executeApprovedBytes(transition: Transition): number {
  return SELECTOR + WORD + transitionBytes(transition);
}

function transitionBytes({
  intents,
  inputs,
  reads,
  outputs,
  calls,
}: Transition): number {
  const words = intents.length + inputs.length + reads.length + outputs.length;
  const fixed = 8 + 5;
  let bytes = WORD * (fixed + words);
  for (const { data } of calls)
    bytes += 5 * WORD + Math.ceil(byteLength(data) / WORD) * WORD;
  return bytes;
}
