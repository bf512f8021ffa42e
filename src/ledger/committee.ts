import { MEMBERS_MAX } from "./calldata-size.ts";
import { type Address, parseUint64, type Uint64 } from "./ids.ts";
import { describe, LedgerInputError } from "./input-error.ts";

/** Who endorses: members in ascending order, and how many of them must sign. */
export interface Committee {
  readonly members: readonly Address[];
  readonly threshold: number;
}

/** What a group is made of, as `IPrivacyGroupFactory.GroupConfig`. */
export interface GroupConfig extends Committee {
  readonly externalCalls: boolean;
}

/** A new committee, as the members of the old one sign it. */
export interface CommitteeChange extends Committee {
  /** The epoch that this ends. */
  readonly epoch: Uint64;
  /** The last block in which this can happen; 0 means no limit. */
  readonly validUntil: Uint64;
}

/** A committee in the form that the contract takes, from members in any order. */
export function buildCommittee({ members, threshold }: Committee): Committee {
  const sorted = [...members].sort();
  if (sorted.length === 0 || sorted.length > MEMBERS_MAX) {
    throw new LedgerInputError(
      "INVALID_COMMITTEE",
      `A committee has 1 to ${MEMBERS_MAX} members, but here are ${sorted.length}.`,
    );
  }
  if (
    !Number.isInteger(threshold) ||
    threshold < 1 ||
    threshold > sorted.length
  ) {
    throw new LedgerInputError(
      "INVALID_COMMITTEE",
      `The threshold must be from 1 to ${sorted.length}, the number of members, but is ${describe(threshold)}.`,
    );
  }
  sorted.forEach(requireDistinctMember);
  return { members: sorted, threshold };
}

/** The configuration of a new group, from members in any order. */
export function buildGroupConfig(parts: GroupConfig): GroupConfig {
  return { ...buildCommittee(parts), externalCalls: parts.externalCalls };
}

/** The change to a new committee, from members in any order. */
export function buildCommitteeChange(
  parts: Committee & { readonly epoch: bigint; readonly validUntil?: bigint },
): CommitteeChange {
  return {
    ...buildCommittee(parts),
    epoch: parseUint64(parts.epoch, "epoch"),
    validUntil: parseUint64(parts.validUntil ?? 0n, "validUntil"),
  };
}

function requireDistinctMember(
  member: Address,
  index: number,
  sorted: readonly Address[],
): void {
  if (/^0x0{40}$/.test(member)) {
    throw new LedgerInputError(
      "INVALID_COMMITTEE",
      "The zero address cannot sign, so it cannot be a member.",
    );
  }
  if (member === sorted[index - 1]) {
    throw new LedgerInputError(
      "INVALID_COMMITTEE",
      `Member ${member} stands twice. Name it once.`,
    );
  }
}
