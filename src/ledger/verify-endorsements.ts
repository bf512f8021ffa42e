import type { Committee } from "./committee.ts";
import type { Endorsements } from "./endorsements.ts";
import type { LedgerError } from "./errors.ts";
import { type Address, type Digest, parseAddress } from "./ids.ts";
import { curve } from "./secp256k1.ts";
import { type CompactSignature, isCanonical } from "./signature.ts";

const NOBODY = parseAddress(`0x${"00".repeat(20)}`);

/** Who signed a digest, or undefined for a signature that nobody can have made. */
export function recoverSigner(
  digest: Digest,
  signature: CompactSignature,
): Address | undefined {
  if (!isCanonical(signature)) return undefined;
  try {
    return curve.recover(digest, signature);
  } catch {
    // The numbers are in range, but r is on no point of the curve. The precompile says "nobody" as well.
    return undefined;
  }
}

/** What the contract would answer to these endorsements of a digest: an error, or undefined if it accepts them. */
export function findEndorsementError(
  digest: Digest,
  committee: Committee,
  endorsements: Endorsements,
): LedgerError | undefined {
  const { members, threshold } = committee;
  const { signers, signatures } = endorsements;
  if (signers >> BigInt(members.length) !== 0n) {
    return {
      type: "PrivacyGroupUnknownSigners",
      signers,
      members: BigInt(members.length),
    };
  }
  const expected = members.filter((_, i) => (signers >> BigInt(i)) & 1n);
  for (const [i, member] of expected.entries()) {
    const signature = signatures[i];
    if (signature === undefined) {
      return {
        type: "PrivacyGroupSignatureCount",
        signatures: BigInt(i),
        signers: BigInt(i + 1),
      };
    }
    const recovered = recoverSigner(digest, signature) ?? NOBODY;
    if (recovered !== member)
      return { type: "PrivacyGroupInvalidEndorsement", member, recovered };
  }
  const count = BigInt(expected.length);
  if (signatures.length !== expected.length) {
    return {
      type: "PrivacyGroupSignatureCount",
      signatures: BigInt(signatures.length),
      signers: count,
    };
  }
  if (expected.length < threshold) {
    return {
      type: "PrivacyGroupThresholdNotReached",
      signers: count,
      threshold: BigInt(threshold),
    };
  }
  return undefined;
}
