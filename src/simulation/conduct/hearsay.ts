import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/messages.ts";
import type { Sequencer } from "../../protocol/sequencer.ts";
import type { SenderTransaction } from "../../protocol/sender/transaction/model.ts";
import type { SimulatedNode } from "../node.ts";
import { Violation } from "../violation.ts";

/** An intent as it was before somebody spoke of it who has no say in it. */
interface Untouched {
  readonly transaction: SenderTransaction;
  readonly before: string;
}

/** Those that a message must leave alone, until its turn is over. */
export type Hearsay = readonly Untouched[];

export const nothingHeard: Hearsay = [];

/** Before a turn: which intents somebody speaks of who has no say in them. */
export function listen(
  { sender, config }: Sequencer,
  from: NodeName,
  message: Message,
): Hearsay {
  const ids = idsIn(message);
  if (ids === undefined) return nothingHeard;
  return ids.flatMap((id) => {
    const transaction = sender.transactions.get(id);
    if (transaction === undefined || hasSay(transaction, from, message))
      return [];
    // What waits here, or is with this node itself, may move on in the same turn for reasons of its own.
    const { sentTo } = transaction;
    return sentTo === undefined || sentTo === config.self
      ? []
      : [{ transaction, before: digestOf(transaction) }];
  });
}

/** S46: after it, they are as they were. */
export function checkHearsay(node: SimulatedNode, heard: Hearsay): void {
  for (const { transaction, before } of heard)
    if (digestOf(transaction) !== before)
      throw new Violation(
        "S46",
        `${node.name} believes somebody about ${transaction.id.slice(0, 10)} who has no say in it`,
      );
}

/** The intents that a coordinator speaks of to their sender. */
function idsIn(message: Message): readonly IntentId[] | undefined {
  switch (message.type) {
    case "DelegationAccepted":
    case "DelegationReturned":
    case "Dispatched":
    case "TransactionReverted":
      return message.ids;
    case "TransactionRefused":
      return [message.id];
    case "TransactionPrepared":
      return message.bundle.steps.map(({ intentId }) => intentId);
    case "DelegationRequest":
    case "DelegationRejected":
    case "AssembleRequest":
    case "AssembleResponse":
    case "EndorsementRequest":
    case "Endorsement":
    case "Refusal":
    case "DispatchPermissionRequest":
    case "DispatchPermission":
    case "DispatchDenial":
    case "DispatchedAck":
    case "TransactionPreparedAck":
    case "DependencyQuery":
    case "DependencyFailed":
    case "FulfilmentQuery":
    case "FulfilmentProof":
    case "Suspicion":
    case "Leaving":
    case "Heartbeat":
    case "HandoverRequest":
    case "Handover":
    case "HandoverAck":
      return undefined;
  }
}

/** Whether it is with that node, or that node may dispatch the very bundle. */
function hasSay(
  { sentTo, permission }: SenderTransaction,
  from: NodeName,
  message: Message,
): boolean {
  const mayDispatch =
    "digest" in message &&
    permission?.coordinator === from &&
    permission.digest === message.digest;
  // A dispatch is told by whoever may dispatch, and by nobody else.
  return mayDispatch || (message.type !== "Dispatched" && sentTo === from);
}

/** All that somebody's word could change. */
function digestOf({
  state,
  sentTo,
  isAccepted,
  isDispatched,
  retries,
  isDoomed,
  request,
}: SenderTransaction): string {
  return [
    state,
    sentTo,
    isAccepted,
    isDispatched,
    retries,
    isDoomed,
    request,
  ].join();
}
