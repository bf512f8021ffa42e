import { candidates, rangeOf, type Sequencer } from "../protocol/turn.ts";
import type { IntentId } from "../protocol/ids.ts";
import { explain } from "../protocol/sequencer.ts";
import type { GroupStatus } from "./service.ts";
import { troubleOf } from "./groups/committees.ts";
import type { GroupRunner } from "./group-runner.ts";

/** Intents that a status names as blocked, at most. */
const BLOCKED_MAX = 20;

/** A group at a glance. */
export function statusOf(
  { group, stored, sequencer, book, height, isMember }: GroupRunner,
  {
    tickMs,
    why = (id) => explain(sequencer, id),
  }: {
    readonly tickMs: number;
    /** What an intent waits for. */
    readonly why?: (id: IntentId) => string | undefined;
  },
): GroupStatus {
  const { sender, coordinator, config, tick } = sequencer;
  const range = rangeOf(sequencer, height);
  const isActive = coordinator.state === "Active";
  const heard = sender.active;
  return {
    address: group.address,
    name: stored.name,
    domain: stored.domain,
    isMember,
    epoch: stored.epoch.toString(),
    endorsers: group.endorsers,
    threshold: stored.threshold,
    trouble: troubleIn(stored, isMember),
    sender: sender.state,
    coordinator: coordinator.state,
    active: isActive ? config.self : heard?.node,
    heartbeatAgeMs:
      isActive || heard === undefined
        ? undefined
        : (tick - heard.tick) * tickMs,
    ranking: candidates(sequencer, range),
    range,
    rangeStart: range * config.rangeSizeBlocks,
    rangeEnd: (range + 1) * config.rangeSizeBlocks - 1,
    own: countByState(sender.transactions.values()),
    coordinated: countByState(coordinator.transactions.values()),
    blocked: blockedIn(sequencer, why),
    missingStates: book.missing.size,
  };
}

/** Why nothing can happen here, in one sentence. */
function troubleIn(
  stored: GroupRunner["stored"],
  isMember: boolean,
): string | undefined {
  return isMember
    ? troubleOf(stored)
    : `This node is not a member of the group: the committee of block ${stored.since} does not contain it.`;
}

function countByState(
  transactions: Iterable<{ readonly state: string }>,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of transactions)
    counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

function blockedIn(
  { sender, coordinator, tick, config }: Sequencer,
  why: (id: IntentId) => string | undefined,
): GroupStatus["blocked"] {
  const blocked = [];
  const { first } = sender;
  const repeated = new Set(
    coordinator.bundles.flatMap(({ ids, tries, isEndorsed }) =>
      tries > 0 && !isEndorsed ? [...ids] : [],
    ),
  );
  for (const transaction of sender.transactions.values()) {
    const { id, state, reason, waitsFor } = transaction;
    // Endorsements usually come within one request.
    const isSlow =
      (first?.id === id && tick - first.stageTick > config.requestTicks) ||
      repeated.has(id);
    const isOrdinary =
      state !== "Parked" && reason === undefined && waitsFor.size === 0;
    if (isOrdinary && !isSlow) continue;
    blocked.push({ id, why: why(id) ?? state });
    if (blocked.length === BLOCKED_MAX) break;
  }
  return blocked;
}
