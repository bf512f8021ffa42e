import { ZeroAddress } from "ethers";

import { parseAddress } from "../../src/plugin/deployment/parse-address.ts";
import { SequencerError } from "../../src/plugin/errors.ts";

/** Committees.sol: signers are the bits of one word, and the threshold is one byte. */
const membersMax = 255;

/** Members in the order that the ledger wants. */
export function parseMembers(text: string): string[] {
  const members = text
    .split(",")
    .map((member) => parseAddress("Member", member.trim()));
  if (members.length > membersMax)
    throw new SequencerError("MEMBERS_TOO_MANY", {
      count: members.length,
      max: membersMax,
    });
  if (members.includes(ZeroAddress))
    throw new SequencerError("MEMBER_ZERO", undefined);
  const duplicate = members.find((member, i) => members.indexOf(member) !== i);
  if (duplicate !== undefined)
    throw new SequencerError("MEMBER_DUPLICATE", { address: duplicate });
  return sorted(members);
}

/** Ascending, with checksums. */
export function sorted(members: readonly string[]): string[] {
  return members
    .map((member) => parseAddress("Member", member))
    .sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
}

/**
 * By default a majority: any two majorities share a member, and a group outlives the loss of the others.
 */
export function parseThreshold(
  text: string | undefined,
  count: number,
): number {
  if (text === undefined) return Math.floor(count / 2) + 1;
  const threshold = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (threshold < 1 || threshold > count)
    throw new SequencerError("THRESHOLD_INVALID", { value: text, count });
  return threshold;
}
