import type { NodeName } from "../../protocol/ids.ts";
import type { SeenState } from "../domain.ts";
import { readCoin, readLock, readNote, spenderOf } from "./states.ts";
import { nodeOf } from "./words.ts";

/**
 * Whether a node that does not endorse may see a state: the coins of its own accounts, their locks and those that they may
 * unlock, and the notes of what they asked for.
 */
export function isEntitled(
  state: Omit<SeenState, "id">,
  node: NodeName,
): boolean {
  return namesOf(state).some((account) => nodeOf(account) === node);
}

/** The accounts that a state is for. */
function namesOf(state: Omit<SeenState, "id">): readonly string[] {
  const coin = readCoin(state);
  if (coin !== undefined) return [coin.owner];
  const lock = readLock(state);
  if (lock !== undefined) return [lock.owner, spenderOf(lock)];
  const note = readNote(state);
  return note === undefined ? [] : [note.by];
}
