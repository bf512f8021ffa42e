import { decodeBody } from "../../../node/body.ts";
import type { GroupAddress, NodeName } from "../../../protocol/ids.ts";
import type { Message, MessageOf } from "../../../protocol/messages.ts";
import { violation } from "../../violation.ts";
import { openLetter } from "../adversary/envelopes.ts";
import type { DurableFacts } from "./durable-facts.ts";

/** In the text of every message that promises something. Most do not, and are not decoded. */
const PROMISES =
  /"(?:Endorsement|DispatchPermission|Dispatched|DelegationRequest|AssembleResponse|DependencyFailed)"/;

interface Sent {
  readonly durable: DurableFacts;
  readonly group: GroupAddress;
  readonly to: NodeName;
}

/** Everything that a node says in an envelope follows from what is on its disk by then: a crash does not take it back. */
export function checkSent(
  durable: DurableFacts,
  to: NodeName,
  wire: Uint8Array,
): void {
  for (const text of openLetter(wire)?.texts ?? []) {
    if (!PROMISES.test(text)) continue;
    const decoded = decodeBody(text);
    if (decoded.type !== "body" || decoded.body.type !== "message") continue;
    const { group, message } = decoded.body;
    checkMessage({ durable, group, to }, message);
  }
}

function checkMessage(sent: Sent, message: Message): void {
  const { durable, group, to } = sent;
  switch (message.type) {
    case "Endorsement": {
      const { digest, signature } = message;
      if (!durable.has("endorsed", group, digest, signature))
        throw violation("S45", digest, "is endorsed, and not on the disk");
      return;
    }
    case "DispatchPermission":
      for (const id of message.ids)
        if (
          !durable.has("permitted", group, id, message.digest, to) &&
          !durable.has("permitted-before", group, id, message.digest)
        )
          throw violation("S15", id, "is permitted before that is durable");
      return;
    case "Dispatched":
      if (!durable.has("dispatched", group, message.digest))
        throw violation("S19", message.digest, "is told before it is durable");
      return;
    case "DelegationRequest":
      for (const { id } of message.intents)
        if (!durable.has("intent", group, id))
          throw violation("S12", id, "is delegated before it is durable");
      return;
    case "AssembleResponse":
      checkAssembled(sent, message);
      return;
    case "DependencyFailed":
      for (const id of message.ids)
        if (!durable.has("reverted", group, id))
          throw violation("S14", id, "is told to have failed before its end");
      return;
    case "DelegationAccepted":
    case "DelegationRejected":
    case "DelegationReturned":
    case "AssembleRequest":
    case "EndorsementRequest":
    case "Refusal":
    case "DispatchPermissionRequest":
    case "DispatchDenial":
    case "DispatchedAck":
    case "TransactionPrepared":
    case "TransactionPreparedAck":
    case "TransactionReverted":
    case "TransactionRefused":
    case "DependencyQuery":
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

/** After a crash, a node that does not know how long a step may happen could tell its user that it never will. */
function checkAssembled(
  { durable, group }: Sent,
  { outcomes }: MessageOf<"AssembleResponse">,
): void {
  for (const outcome of outcomes)
    if (
      outcome.type === "assembled" &&
      outcome.step.validUntil > durable.signedUntil(group)
    )
      throw violation(
        "S14",
        outcome.id,
        "is signed for longer than the disk says",
      );
}
