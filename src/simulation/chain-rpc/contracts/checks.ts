import {
  type Address,
  type Committee,
  type Digest,
  type Endorsements,
  type LedgerError,
  parseAddress,
} from "../../../ledger/index.ts";
import type { GroupState } from "./group.ts";

/** Thrown within the model when the contract would revert. */
export class Refusal extends Error {
  readonly error: LedgerError;

  constructor(error: LedgerError) {
    super(error.type);
    this.error = error;
  }
}

export const refuse = (error: LedgerError): never => {
  throw new Refusal(error);
};

const NOBODY: Address = parseAddress(`0x${"00".repeat(20)}`);

export function requireCurrent(
  group: GroupState,
  signed: { readonly epoch: bigint; readonly validUntil: bigint },
  block: bigint,
): void {
  if (signed.epoch !== group.epoch) {
    refuse({
      type: "PrivacyGroupWrongEpoch",
      signed: signed.epoch,
      current: group.epoch,
    });
  }
  if (signed.validUntil !== 0n && block > signed.validUntil) {
    refuse({
      type: "PrivacyGroupExpired",
      validUntil: signed.validUntil,
      blockNumber: block,
    });
  }
}

export function requireEndorsed(
  group: GroupState,
  digest: Digest,
  { signers, signatures }: Endorsements,
): void {
  const { members, threshold } = group.committee;
  if (signers >= 2n ** BigInt(members.length)) {
    refuse({
      type: "PrivacyGroupUnknownSigners",
      signers,
      members: BigInt(members.length),
    });
  }
  let count = 0;
  members.forEach((member, i) => {
    if ((signers / 2n ** BigInt(i)) % 2n === 0n) return;
    const signature = signatures[count];
    if (signature === undefined) {
      return refuse({
        type: "PrivacyGroupSignatureCount",
        signatures: BigInt(count),
        signers: BigInt(count) + 1n,
      });
    }
    const recovered = group.recover(digest, signature) ?? NOBODY;
    if (recovered !== member)
      refuse({ type: "PrivacyGroupInvalidEndorsement", member, recovered });
    count++;
  });
  if (count !== signatures.length) {
    refuse({
      type: "PrivacyGroupSignatureCount",
      signatures: BigInt(signatures.length),
      signers: BigInt(count),
    });
  }
  if (count < threshold) {
    refuse({
      type: "PrivacyGroupThresholdNotReached",
      signers: BigInt(count),
      threshold: BigInt(threshold),
    });
  }
}

export function requireCommittee({ members, threshold }: Committee): void {
  const count = BigInt(members.length);
  if (count > 255n)
    refuse({
      type: "PrivacyGroupTooManyMembers",
      members: count,
      membersMax: 255n,
    });
  if (threshold === 0 || threshold > members.length) {
    refuse({
      type: "PrivacyGroupInvalidThreshold",
      threshold: BigInt(threshold),
      members: count,
    });
  }
  let previous = NOBODY;
  for (const member of members) {
    if (member <= previous)
      refuse({ type: "PrivacyGroupMembersNotAscending", previous, member });
    previous = member;
  }
}
