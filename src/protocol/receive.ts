import { revertBlocks, seeBlock } from "./blocks.ts";
import { receiveAssembleResponse } from "./coordinator/assembly.ts";
import {
  acknowledgeDispatch,
  receiveDenial,
  receivePermission,
} from "./coordinator/dispatch.ts";
import { receiveEndorsement } from "./coordinator/endorsements.ts";
import { isDubious } from "./coordinator/flush-guards.ts";
import { sendHeartbeats } from "./coordinator/heartbeat.ts";
import { receivePreparedAck } from "./coordinator/preparation.ts";
import { receiveRefusal } from "./coordinator/refusals.ts";
import { submissionFailed } from "./coordinator/settlement.ts";
import { tellTransaction } from "./coordinator/tell.ts";
import { finishEndorsement, receiveEndorsementRequest } from "./endorser.ts";
import type { Event } from "./events.ts";
import type { NodeName } from "./ids.ts";
import type { Message, MessageOf } from "./messages.ts";
import { catchUp } from "./rest.ts";
import {
  finishAssembly,
  receiveAssembleRequest,
  receiveDispatched,
  receivePermissionRequest,
} from "./sender/assembly.ts";
import { acceptDelegation, rejectDelegation } from "./sender/delegation.ts";
import { answerQuery, doubtDependency } from "./sender/dependencies.ts";
import { receiveRefused, receiveReverted } from "./sender/failures.ts";
import {
  receiveFulfilmentProof,
  receiveFulfilmentQuery,
} from "./sender/fulfilment.ts";
import { receivePrepared } from "./sender/preparation.ts";
import { submit } from "./sender/submission.ts";
import { tell } from "./sender/tell.ts";
import { reconsider } from "./sender/waiting.ts";
import { drain, isDraining, receiveLeaving, sayLeaving } from "./leaving.ts";
import { receiveSuspicion } from "./suspicion.ts";
import { tellCoordinator, tellSender } from "./tell.ts";
import { pass } from "./time.ts";
import {
  candidates,
  ignore,
  isLate,
  isMember,
  send,
  type Turn,
} from "./turn.ts";

/** Whatever happens to a node. */
export function receive(turn: Turn, event: Event): void {
  switch (event.type) {
    case "IntentSubmitted":
      return submit(turn, event);
    case "IntentResumed": {
      const transaction = turn.node.sender.transactions.get(event.id);
      if (transaction !== undefined)
        tell(turn, transaction, { type: "Resumed" });
      return;
    }
    case "Tick":
      return pass(turn);
    case "Delayed":
      return sendHeartbeats(turn);
    case "Rested":
      return catchUp(turn, event);
    case "BlockSeen":
      return seeBlock(turn, event);
    case "BlocksReverted":
      return revertBlocks(turn, event);
    case "MessageReceived":
      return receiveMessage(turn, event.from, event.message);
    case "DrainChanged":
      return drain(turn, event.isDraining);
    case "StatesLearnt":
      return reconsider(turn);
    case "AssemblyDone":
      return finishAssembly(turn, event.key, event.outcomes);
    case "EndorsementDone":
      return finishEndorsement(turn, event.digest, event.outcome);
    case "SubmissionFailed":
      return submissionFailed(turn, event);
    case "SubmissionProgressed": {
      const work = turn.node.coordinator.dispatched.get(event.digest);
      for (const id of work?.open ?? []) {
        const transaction = turn.node.coordinator.transactions.get(id);
        if (transaction !== undefined)
          tellTransaction(turn, transaction, {
            type: event.progress === "nonce" ? "NonceAllocated" : "Submitted",
          });
      }
      return;
    }
  }
}

/** A message that another node sent, or this node to itself. */
export function receiveMessage(
  turn: Turn,
  from: NodeName,
  message: Message,
): void {
  const { sender } = turn.node;
  // It may have been one until the committee changed.
  if (!isMember(turn.node, from)) {
    ignore(turn, "no member");
    return;
  }
  switch (message.type) {
    case "DelegationRequest":
      return tellCoordinator(turn, {
        type: "TransactionsDelegated",
        from,
        request: message,
      });
    case "DelegationAccepted":
      return acceptDelegation(turn, from, message);
    case "DelegationRejected":
      return rejectDelegation(turn, from, message);
    case "DelegationReturned":
      for (const id of message.ids) {
        const transaction = sender.transactions.get(id);
        if (transaction?.sentTo === from)
          tell(turn, transaction, { type: "Released" });
      }
      return;
    case "AssembleRequest":
      return receiveAssembleRequest(turn, from, message);
    case "AssembleResponse":
      return receiveAssembleResponse(turn, from, message);
    case "EndorsementRequest":
      return receiveEndorsementRequest(turn, from, message);
    case "Endorsement":
      return receiveEndorsement(turn, from, message);
    case "Refusal":
      return receiveRefusal(turn, from, message);
    case "DispatchPermissionRequest":
      return receivePermissionRequest(turn, from, message);
    case "DispatchPermission":
      return receivePermission(turn, from, message);
    case "DispatchDenial":
      return receiveDenial(turn, from, message);
    case "Dispatched":
      return receiveDispatched(turn, from, message);
    case "DispatchedAck":
      return acknowledgeDispatch(turn, from, message.digest);
    case "TransactionPrepared":
      return receivePrepared(turn, from, message);
    case "TransactionPreparedAck":
      return receivePreparedAck(turn, from, message);
    case "TransactionReverted":
      return receiveReverted(turn, from, message);
    case "TransactionRefused":
      return receiveRefused(turn, from, message);
    case "DependencyQuery":
      return answerQuery(turn, from, message.ids);
    case "DependencyFailed":
      for (const id of message.ids) doubtDependency(turn, from, id);
      return;
    case "FulfilmentQuery":
      return receiveFulfilmentQuery(turn, from, message);
    case "FulfilmentProof":
      return receiveFulfilmentProof(turn, from, message);
    case "Heartbeat":
      if (!candidates(turn.node).includes(from)) return;
      return receiveHeartbeat(turn, from, message);
    case "Suspicion":
      return receiveSuspicion(turn, from, message);
    case "HandoverRequest":
      if (!candidates(turn.node).includes(from)) return;
      return tellCoordinator(turn, {
        type: "HandoverRequestReceived",
        from,
        height: message.height,
      });
    case "Leaving":
      return receiveLeaving(turn, from, message);
    case "Handover":
      if (!candidates(turn.node).includes(from)) return;
      if (isDraining(turn.node)) {
        sayLeaving(turn, { to: [from] });
        ignore(turn, "handover while draining");
        return;
      }
      // It comes again, and is believed when its sender is heard at work.
      if (isDubious(turn.node, from, message)) {
        ignore(turn, "dubious handover");
        return;
      }
      turn.node.coordinator.waited.delete(from);
      tellCoordinator(turn, {
        type: "HandoverReceived",
        from,
        handover: message,
      });
      return send(turn, from, { type: "HandoverAck", key: message.key });
    case "HandoverAck":
      if (
        turn.node.coordinator.handovers.get(message.key)?.record.to === from
      ) {
        turn.node.coordinator.handovers.delete(message.key);
        turn.effects.push({ type: "Erase", key: `handover:${message.key}` });
      }
      return;
  }
}

/** Sender and coordinator compare it with the one before, which is forgotten afterwards. */
function receiveHeartbeat(
  turn: Turn,
  from: NodeName,
  heartbeat: MessageOf<"Heartbeat">,
): void {
  const { node } = turn;
  if (isLate(node, from, heartbeat)) {
    ignore(turn, "late heartbeat");
    return;
  }
  tellSender(turn, { type: "HeartbeatReceived", from, heartbeat });
  tellCoordinator(turn, { type: "HeartbeatReceived", from, heartbeat });
  const { boot, beat, state } = heartbeat;
  node.beats.set(from, { boot, beat, state, tick: node.tick });
}
