import type { NodeName } from "../../../protocol/ids.ts";
import type { SeenState } from "../domain.ts";
import { readCoin, readLock, readNote } from "./states.ts";
import { nodeOf } from "./words.ts";

/**
 * Whether a node that does not endorse may see a state: coins of its own accounts, locks of theirs or that they may unlock,
 * and notes of what they did or had a part in from beginning to end, so that nobody learns what else was paid besides.
 */
export function isEntitled(
  state: Omit<SeenState, "id">,
  node: NodeName,
): boolean {
  const isHere = (owner: string | undefined): boolean =>
    owner !== undefined && nodeOf(owner) === node;
  const seenCoin = readCoin(state);
  if (seenCoin !== undefined) return isHere(seenCoin.owner);
  const seenLock = readLock(state);
  if (seenLock !== undefined)
    return isHere(seenLock.owner) || isHere(seenLock.delegate);
  const seenNote = readNote(state);
  if (seenNote === undefined) return false;
  const { by, transfers } = seenNote;
  return (
    isHere(by) ||
    (transfers.length > 0 &&
      transfers.every(({ from, to }) => isHere(from) || isHere(to)))
  );
}
