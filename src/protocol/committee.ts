import type { CommitteeConfig, SequencerConfig } from "./config.ts";
import { returnWork } from "./coordinator/actions.ts";
import { createCoordinator } from "./coordinator/model.ts";
import type { NodeName } from "./ids.ts";
import { limits } from "./limits.ts";
import { createRecent, recall, remember } from "./recent.ts";
import { type IntentRecord, recordKey } from "./records.ts";
import { restoreIntent } from "./restore.ts";
import { restoreDoubts } from "./sender/dependencies.ts";
import { type Ranking, rankingOf } from "./selection.ts";
import { createSender } from "./sender/model.ts";
import { noMember } from "./sender/submission.ts";
import { tell } from "./sender/tell.ts";
import { toRecord } from "./sender/transaction/actions.ts";
import type { SenderTransaction } from "./sender/transaction/model.ts";
import { waitFor } from "./sender/waiting.ts";
import { createSigned } from "./signed.ts";
import { candidates, isMember, type Turn } from "./turn.ts";

/** The order of those who may coordinate, in every range. */
export function rankingIn(
  config: Pick<SequencerConfig, "mode" | "pool" | "committee" | "contract">,
): Ranking {
  const committee = config.mode === "remote" ? config.pool : config.committee;
  const ranking = rankingOf({ committee, contract: config.contract });
  const ranked = createRecent<number, NodeName[]>(limits.ranges);
  return (range) => {
    const known = recall(ranked, range);
    if (known !== undefined) return known;
    const order = ranking(range);
    remember(ranked, range, order);
    return order;
  };
}

/**
 * The ledger has another committee. It refuses every bundle that the one before endorsed, so nothing in flight has a future:
 * the node goes on as if it had started again under the new committee, with the intents that are on its disk. All that
 * differs from a restart is durable in the same turn.
 */
export function changeCommittee(turn: Turn, committee: CommitteeConfig): void {
  const { node } = turn;
  abandonCoordination(turn);
  // Requests from those who saw the change earlier stay deferred. Older ones are refused when their turn comes. The content of
  // signed bundles stays on the disk: if the change is taken back, they may happen.
  node.endorser.checking.clear();
  node.endorser = { ...node.endorser, signed: createSigned() };
  node.config = { ...node.config, ...committee };
  node.ranking = rankingIn(node.config);
  restartSender(turn);
  if (!isMember(node, node.config.self)) endIntents(turn);
}

/** Gives back what is not dispatched, and forgets what is: the senders see the same block. */
function abandonCoordination(turn: Turn): void {
  const { node, effects } = turn;
  const { coordinator } = node;
  returnWork(coordinator, undefined, turn);
  for (const { record } of coordinator.dispatched.values())
    effects.push({ type: "Erase", key: recordKey(record) });
  for (const { record } of coordinator.handovers.values())
    effects.push({ type: "Erase", key: recordKey(record) });
  const { ended, heartbeatTick } = coordinator;
  node.coordinator = { ...createCoordinator(), ended, heartbeatTick };
}

/** All open intents are delegated again. */
function restartSender(turn: Turn): void {
  const { node, effects } = turn;
  const before = node.sender;
  const { nextSequence, signedUntil, failed, active } = before;
  const kept = { nextSequence, signedUntil, failed };
  node.sender = { ...createSender(), ...kept };
  if (active !== undefined && candidates(node).includes(active.node))
    node.sender.active = active;
  for (const transaction of before.transactions.values()) {
    const record = withoutPermission(recordOf(transaction));
    restoreIntent(turn, record);
    if (record.permission !== undefined) effects.push({ type: "Save", record });
    const restored = node.sender.transactions.get(transaction.id);
    if (restored === undefined) continue;
    // Unlike a node that starts, this one knows how far it has signed for each.
    restored.liveUntil = transaction.liveUntil;
    for (const id of transaction.waitsFor) waitFor(turn, restored, id);
  }
  // However often the committee changes, the others are asked for what its intents depend on.
  node.sender.inquiries = before.inquiries;
  node.sender.inquiryTick = before.inquiryTick;
  restoreDoubts(turn);
}

function recordOf(transaction: SenderTransaction): IntentRecord {
  const { id, state, prepared } = transaction;
  return state === "PreparedForUser" && prepared !== undefined
    ? toRecord(transaction, {
        type: "Prepared",
        id,
        digest: prepared.bundle.digest,
      })
    : toRecord(transaction);
}

/**
 * An intent whose permission was given under another committee: it cannot be used. If the change is taken back it can be
 * again, so the intent does not end as reverted before the last block of the permission has passed.
 */
export function withoutPermission(record: IntentRecord): IntentRecord {
  const { permission } = record;
  return {
    ...record,
    permission: permission && { ...permission, validUntil: 0 },
    isDispatched: false,
  };
}

/** Nobody endorses for a node that is no member. What is prepared can still be executed, if the change is taken back. */
function endIntents(turn: Turn): void {
  for (const transaction of [...turn.node.sender.transactions.values()]) {
    if (transaction.isDoomed) continue;
    tell(turn, transaction, { type: "MembershipLost", reason: noMember });
  }
}
