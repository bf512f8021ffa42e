import type { IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import type { DelegationRefusal } from "../messages.ts";
import { isRemembered } from "../recent.ts";
import type { Intent } from "../transition.ts";
import { idsOf, rangeOf, send, type Turn } from "../turn.ts";
import { isDraining, sayLeaving } from "../leaving.ts";
import { liveOther } from "./guards.ts";
import { addTransaction } from "./indexes.ts";
import type { Coordinator, CoordinatorEvent } from "./model.ts";
import { tellTransaction } from "./tell.ts";
import type { CoordinatorTransaction } from "./transaction/model.ts";

type EventOf<Type extends CoordinatorEvent["type"]> = Extract<
  CoordinatorEvent,
  { readonly type: Type }
>;

/** Takes what fits. A transaction that is here already stays as it is; one that ended is acknowledged. */
export function accept(
  coordinator: Coordinator,
  { from, request }: EventOf<"TransactionsDelegated">,
  turn: Turn,
): void {
  const taken: IntentId[] = [];
  const refused: IntentId[] = [];
  const foreign: IntentId[] = [];
  const { isOwnIntent } = turn.node.config.hashing;
  for (const intent of request.intents) {
    const known = coordinator.transactions.get(intent.id);
    if (known !== undefined)
      (known.sender === from ? taken : refused).push(intent.id);
    else if (isRemembered(coordinator.ended, intent.id)) taken.push(intent.id);
    else if (!isOwnIntent({ ...intent, sender: from })) foreign.push(intent.id);
    else if (
      hasRoom(coordinator, from) &&
      (intent.dependsOn.length === 0 || areKnown(intent, turn))
    ) {
      receive(coordinator, from, intent, turn);
      taken.push(intent.id);
    } else refused.push(intent.id);
  }
  const { height } = turn.node;
  if (taken.length > 0)
    send(turn, from, {
      type: "DelegationAccepted",
      key: request.key,
      ids: taken,
      height,
    });
  if (refused.length > 0)
    reject(turn, from, { ...request, ids: refused, reason: "busy" });
  if (foreign.length > 0)
    reject(turn, from, { ...request, ids: foreign, reason: "not-owner" });
}

function hasRoom(
  { transactions, pools }: Coordinator,
  from: NodeName,
): boolean {
  return (
    transactions.size < limits.pooled &&
    (pools.get(from)?.entries.length ?? 0) < limits.pooledPerSender
  );
}

function receive(
  coordinator: Coordinator,
  sender: NodeName,
  intent: Intent,
  turn: Turn,
): void {
  const follows = intent.dependsOn.filter((id) =>
    isInFlight(coordinator.transactions.get(id)),
  );
  const transaction: CoordinatorTransaction = {
    state: "Initial",
    id: intent.id,
    sender,
    intent,
    order: coordinator.received++,
    request: undefined,
    step: undefined,
    builtOn: undefined,
    usedBy: undefined,
    waitsFor: new Set(
      follows.filter(
        (id) => coordinator.transactions.get(id)?.step === undefined,
      ),
    ),
    follows: follows.length === 0 ? undefined : new Set(follows),
    failures: 0,
    companyMax: Infinity,
    notBefore: 0,
  };
  addTransaction(coordinator, transaction);
  for (const id of follows) {
    const waiting = coordinator.dependants.get(id) ?? new Set();
    waiting.add(intent.id);
    coordinator.dependants.set(id, waiting);
  }
  tellTransaction(turn, transaction, { type: "Received" });
}

/** Whether all that it depends on is in flight here, or on the ledger: of others this node does not learn what becomes. */
function areKnown({ dependsOn }: Intent, { node }: Turn): boolean {
  const { transactions } = node.coordinator;
  return dependsOn.every(
    (id) =>
      isInFlight(transactions.get(id)) ||
      isRemembered(node.endorser.fulfilled, id),
  );
}

function isInFlight(transaction: CoordinatorTransaction | undefined): boolean {
  return (
    transaction !== undefined &&
    transaction.state !== "Confirmed" &&
    transaction.state !== "Reverted"
  );
}

/** Says who is behind, or who coordinates. */
export function refuse(
  { successor }: Coordinator,
  { from, request }: EventOf<"TransactionsDelegated">,
  turn: Turn,
): void {
  const { node } = turn;
  if (isDraining(node)) sayLeaving(turn, { to: [from] });
  const ours = rangeOf(node, node.height);
  const theirs = rangeOf(node, request.height);
  const reason =
    theirs < ours
      ? "sender-behind"
      : theirs > ours
        ? "coordinator-behind"
        : "not-coordinator";
  reject(turn, from, {
    key: request.key,
    ids: idsOf(request.intents),
    reason,
    active: successor ?? liveOther(node),
  });
}

function reject(
  turn: Turn,
  to: NodeName,
  {
    key,
    ids,
    reason,
    active,
  }: {
    readonly key: EventOf<"TransactionsDelegated">["request"]["key"];
    readonly ids: readonly IntentId[];
    readonly reason: DelegationRefusal;
    readonly active?: NodeName | undefined;
  },
): void {
  send(turn, to, {
    type: "DelegationRejected",
    key,
    ids,
    height: turn.node.height,
    reason,
    active,
  });
}
