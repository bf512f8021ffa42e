import type { NodeName } from "../ids.ts";
import type { MessageOf } from "../messages.ts";
import { ignore, type Turn } from "../turn.ts";
import { noteFailure } from "./progress.ts";
import { tell } from "./tell.ts";

// A failure counts against the attempt that it speaks of: what comes late must not cost a newer one its retries.

/** A coordinator says that a bundle failed. It counts for those that permitted exactly this one, and wait for it. */
export function receiveReverted(
  turn: Turn,
  from: NodeName,
  { digest, ids, reason }: MessageOf<"TransactionReverted">,
): void {
  for (const id of ids) {
    const transaction = turn.node.sender.transactions.get(id);
    if (transaction === undefined) continue;
    const { permission, sentTo, state } = transaction;
    const isMeant =
      permission?.digest === digest && permission.coordinator === from;
    if (
      isMeant &&
      tell(turn, transaction, { type: "ConfirmedReverted", reason })
    ) {
      noteFailure(turn, transaction, { by: from, isExpired: false });
      continue;
    }
    // It was given to the same coordinator again, who still had it dispatched, and now has it no more.
    if (sentTo === from && state === "Delegated")
      tell(turn, transaction, { type: "Released" });
    else ignore(turn, "stale revert");
  }
}

/** A coordinator gives a transaction back that endorsers refuse. It counts if this is how it was assembled last. */
export function receiveRefused(
  turn: Turn,
  from: NodeName,
  { key, id, reason }: MessageOf<"TransactionRefused">,
): void {
  const transaction = turn.node.sender.transactions.get(id);
  if (transaction === undefined) return;
  const { sentTo, request } = transaction;
  if (
    sentTo !== from ||
    request !== key ||
    !tell(turn, transaction, { type: "EndorsementRefused", reason })
  )
    ignore(turn, "stale refusal");
  else noteFailure(turn, transaction, { by: from, isExpired: false });
}
