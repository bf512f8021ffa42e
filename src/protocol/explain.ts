import type { IntentId } from "./ids.ts";
import type { Sender } from "./sender/model.ts";
import type { SenderTransaction } from "./sender/transaction/model.ts";
import { candidates, isLeaving, type Sequencer } from "./turn.ts";

/** What a transaction of this node waits for, in one sentence; undefined if it is not open here. */
export function explain(
  sequencer: Sequencer,
  id: IntentId,
): string | undefined {
  const { sender, height } = sequencer;
  const transaction = sender.transactions.get(id);
  if (transaction === undefined) return undefined;
  const { sentTo, waitsFor, reason, liveUntil } = transaction;
  if (transaction.isDoomed)
    return `It failed (${reason ?? "unknown"}) and ends after block ${liveUntil}; this node has seen ${height}.`;
  const why =
    (isWaiting(transaction) && !transaction.isAccepted
      ? whyNobodyTakesIt(sequencer)
      : undefined) ?? whyOf(sender, transaction);
  if (waitsFor.size === 0 || !isWaiting(transaction)) return why;
  const others = [...waitsFor].join(", ");
  return sentTo === undefined
    ? `It waits until ${others} ${waitsFor.size > 1 ? "are" : "is"} confirmed.`
    : `${why ?? ""} It comes after ${others}, or together with ${waitsFor.size > 1 ? "them" : "it"}.`;
}

/** Intents wait for as long as operators want that. */
function whyNobodyTakesIt(sequencer: Sequencer): string | undefined {
  const order = candidates(sequencer);
  return order.every((name) => isLeaving(sequencer, name))
    ? `Everybody who could coordinate it is drained: ${order.join(", ")}. It goes on when one of them takes part again.`
    : undefined;
}

function whyOf(
  sender: Sender,
  transaction: SenderTransaction,
): string | undefined {
  const { state, sentTo, reason, permission, parked, prepared } = transaction;
  const until = permission?.validUntil ?? 0;
  switch (state) {
    case "Parked":
      return `It is parked: ${parked ?? "not ready"}. Resume it when it is ready.`;
    case "Initial":
    case "Pending":
    case "Delegated":
      if (sentTo !== undefined)
        return `It waits for ${sentTo} to ask for its assembly.`;
      if (sender.postponed.has(transaction))
        return `On top of what is in flight it reverts (${reason ?? "unknown"}): it waits until the ledger moves on.`;
      if (sender.waitForRange !== undefined)
        return `This node is behind: it waits for range ${sender.waitForRange}.`;
      return reason === undefined
        ? "It waits to be delegated."
        : `It is tried again after: ${reason}.`;
    case "Assembling":
      return "It is being assembled.";
    case "EndorsementGathering":
      return `${sentTo ?? "The coordinator"} gathers endorsements.`;
    case "Prepared":
      return `${sentTo ?? "The coordinator"} may dispatch it until block ${until}.`;
    case "Dispatched":
    case "Sequenced":
    case "Submitted":
      return `It is dispatched and waits for the ledger, until block ${until}.`;
    case "Unproven":
      return "The ledger has its id in a bundle that this node has not seen: it asks the other members for the step.";
    case "PreparedForUser":
      return `It is prepared: it can be executed until block ${prepared?.bundle.validUntil ?? 0}.`;
    case "Confirmed":
    case "Reverted":
    case "Lapsed":
      return undefined;
  }
}

/** It waits for its turn, and not for the ledger or its user. */
function isWaiting({ state }: SenderTransaction): boolean {
  return (
    state === "Pending" ||
    state === "Delegated" ||
    state === "EndorsementGathering"
  );
}
