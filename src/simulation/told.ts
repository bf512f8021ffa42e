import type { Effect } from "../protocol/effects.ts";
import type { IntentId, NodeName } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import type { Receipt, SavedRecord } from "../protocol/records.ts";
import { intentOn } from "./disk.ts";
import type { SimulatedNode } from "./node.ts";
import { violation } from "./violation.ts";

/** Before an effect is performed: whatever it tells is durable, and nothing that ended is gone on with. */
export function checkTold(
  node: SimulatedNode,
  effect: Effect,
  {
    receiptOf,
    isFulfilled,
  }: {
    readonly receiptOf: (id: IntentId) => Receipt | undefined;
    /** On the ledger, whoever has seen that. */
    readonly isFulfilled: (id: IntentId) => boolean;
  },
): void {
  const records = node.recordsAt(effect);
  if (effect.type === "Accepted" && !records.has(`intent:${effect.id}`))
    throw violation("S12", effect.id, "accepted before it was durable");
  if (effect.type === "Submit") {
    const { digest } = effect.dispatch.bundle;
    if (!records.has(`dispatch:${digest}`))
      throw violation("S19", digest, "submitted before it was durable");
  }
  if (effect.type === "Settled")
    if (receiptOf(effect.receipt.id) === undefined)
      throw violation("S13", effect.receipt.id, "told before durable");
  if (effect.type === "Assemble")
    for (const { id } of effect.intents)
      if (intentOn(records, id)?.receipt !== undefined)
        throw violation("S21", id, "assembled after it ended");
  if (effect.type !== "Send") return;
  if (effect.to === node.name)
    throw violation("S33", effect.to, "sends to itself");
  checkSent(
    { records, height: node.height, isFulfilled },
    effect.to,
    effect.message,
  );
}

function checkSent(
  {
    records,
    height,
    isFulfilled,
  }: {
    readonly records: ReadonlyMap<string, SavedRecord>;
    readonly height: number;
    readonly isFulfilled: (id: IntentId) => boolean;
  },
  to: NodeName,
  message: Message,
): void {
  switch (message.type) {
    case "Dispatched":
      if (!records.has(`dispatch:${message.digest}`))
        throw violation("S19", message.digest, "told before it was durable");
      return;
    case "DispatchPermission":
      for (const id of message.ids) {
        const record = intentOn(records, id);
        const { permission, receipt } = record ?? {};
        if (
          permission?.digest !== message.digest ||
          permission.coordinator !== to
        )
          throw violation("S15", id, "permission sent before it was durable");
        if (receipt !== undefined)
          throw violation("S16", id, "permission for an ended intent");
      }
      return;
    case "DispatchedAck":
      for (const id of message.ids) {
        const record = intentOn(records, id);
        if (record === undefined || record.receipt !== undefined) continue;
        // It is over, by whatever bundle: its sender asks which.
        if (isFulfilled(id)) continue;
        const { permission } = record;
        if (permission?.digest !== message.digest) continue;
        if (permission.coordinator !== to) continue;
        if (permission.validUntil <= height || record.isDoomed) continue;
        if (!record.isDispatched)
          throw violation("S19", id, "acknowledged before it was durable");
      }
      return;
    case "DelegationRequest":
      for (const { id } of message.intents)
        if (intentOn(records, id)?.receipt !== undefined)
          throw violation("S21", id, "delegated after it ended");
      return;
    case "DelegationAccepted":
    case "DelegationRejected":
    case "DelegationReturned":
    case "AssembleRequest":
    case "AssembleResponse":
    case "EndorsementRequest":
    case "Endorsement":
    case "Refusal":
    case "DispatchPermissionRequest":
    case "DispatchDenial":
    case "TransactionPrepared":
    case "TransactionPreparedAck":
    case "TransactionReverted":
    case "TransactionRefused":
    case "DependencyQuery":
    case "DependencyFailed":
    case "FulfilmentQuery":
    case "FulfilmentProof":
    case "Heartbeat":
    case "HandoverRequest":
    case "Handover":
    case "Suspicion":
    case "Leaving":
    case "HandoverAck":
      return;
  }
}
