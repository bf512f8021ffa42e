import type { Head } from "../store/log/chain.ts";

/** A log, as far as it matters for one replica. */
export interface LogView {
  readonly head: Head;
  /** The first turn that is still there; undefined if all were trimmed, or none was written. */
  readonly first: number | undefined;
  /** The hashes of turns, as far as those are still there. */
  readonly hashAt: (sequence: number) => string | undefined;
}

/** Where a store is in a log, and so how it goes on. */
export type Place =
  /** Its turns are the first ones of the log. */
  | { readonly type: "follows" }
  /** The turns that it needs next were trimmed: it begins with a snapshot. */
  | { readonly type: "trimmed" }
  /** It has turns that the log never had. Nobody was told of them, and it is rebuilt. */
  | { readonly type: "differs" }
  /** The log has lost turns that were durable. Nothing can be built on it. */
  | {
      readonly type: "forgotten";
      readonly from: number;
      readonly to: number;
    };

/**
 * Compares a store with a log. Two places of the store count: the turn that it has applied last, and the last one that it knows to have
 * been durable. The process that writes applies a turn before it is durable, so that a store may be ahead of its log or have another turn
 * at the end, and nobody has heard of what is in it. But a log that no longer has a turn that was durable has lost it.
 */
export function placeOf(
  log: LogView,
  store: { readonly applied: Head; readonly acknowledged: Head },
): Place {
  const { applied, acknowledged } = store;
  if (acknowledged.sequence > log.head.sequence)
    return {
      type: "forgotten",
      from: log.head.sequence + 1,
      to: acknowledged.sequence,
    };
  if (!mayHave(log, acknowledged)) {
    const { sequence } = acknowledged;
    return { type: "forgotten", from: sequence, to: sequence };
  }
  if (applied.sequence > log.head.sequence || !mayHave(log, applied))
    return { type: "differs" };
  const isNextThere =
    log.first !== undefined && log.first <= applied.sequence + 1;
  if (applied.sequence < log.head.sequence && !isNextThere)
    return { type: "trimmed" };
  return { type: "follows" };
}

/** Whether a log has a turn, or had it before it was trimmed. */
function mayHave({ head, first, hashAt }: LogView, turn: Head): boolean {
  if (turn.sequence === 0) return true;
  if (turn.sequence === head.sequence) return turn.hash === head.hash;
  const hash = hashAt(turn.sequence);
  const isTrimmed = first === undefined || turn.sequence < first;
  return hash === undefined ? isTrimmed : hash === turn.hash;
}
