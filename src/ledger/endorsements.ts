import type { Committee } from "./committee.ts";
import type { Address } from "./ids.ts";
import { describe, LedgerInputError } from "./input-error.ts";
import {
  type CompactSignature,
  parseSignature,
  type SignatureLike,
} from "./signature.ts";

/** Signatures by members, as the contract takes them: bit `i` of `signers` stands for member `i`. */
export interface Endorsements {
  readonly signers: bigint;
  /** One for each bit, lowest bit first. */
  readonly signatures: readonly CompactSignature[];
}

/** One member's signature. The member is named by address, or by index in the committee. */
export interface Endorsement {
  readonly member: Address | number;
  readonly signature: SignatureLike;
}

/**
 * Packs signatures that came in any order. The same signature twice counts once. Whether each one is really by
 * its member, over the right digest, is the question of `findEndorsementError`.
 */
export function packEndorsements(
  committee: Pick<Committee, "members">,
  endorsements: readonly Endorsement[],
): Endorsements {
  const byIndex = new Map<number, CompactSignature>();
  for (const { member, signature } of endorsements) {
    const index = indexOf(committee.members, member);
    const parsed = parseSignature(
      signature,
      `The signature of member ${index}`,
    );
    const earlier = byIndex.get(index);
    if (
      earlier !== undefined &&
      (earlier.r !== parsed.r || earlier.vs !== parsed.vs)
    ) {
      throw new LedgerInputError(
        "CONFLICTING_ENDORSEMENTS",
        `Member ${index} has two different signatures. Keep the one that verifies.`,
      );
    }
    byIndex.set(index, parsed);
  }
  const ascending = [...byIndex].sort(([a], [b]) => a - b);
  return {
    signers: ascending.reduce(
      (bits, [index]) => bits | (1n << BigInt(index)),
      0n,
    ),
    signatures: ascending.map(([, signature]) => signature),
  };
}

function indexOf(
  members: readonly Address[],
  member: Address | number,
): number {
  const index = typeof member === "number" ? member : members.indexOf(member);
  if (!Number.isInteger(index) || index < 0 || index >= members.length) {
    throw new LedgerInputError(
      "UNKNOWN_MEMBER",
      `${typeof member === "number" ? `Index ${describe(member)}` : member} is none of the ${members.length} members of this committee. Read the current committee, and drop the signature.`,
    );
  }
  return index;
}
