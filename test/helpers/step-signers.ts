import { verify } from "node:crypto";

import { keccak256Hex } from "../../src/ledger/index.ts";
import {
  type NodeName,
  parseStepHash,
  type StepHash,
} from "../../src/protocol/ids.ts";
import { createIdentity } from "../../src/keys/identity.ts";
import {
  type SignedStep,
  signTogether,
  StepSignatures,
} from "../../src/keys/step-signatures.ts";
import { nodeName } from "./stores.ts";

export const alice = nodeName("alice");
export const bob = nodeName("bob");
const identities = new Map([
  [alice, createIdentity()],
  [bob, createIdentity()],
]);

/** The hash of some step. */
export function hashAt(i: number): StepHash {
  const hash = parseStepHash(keccak256Hex(`step ${i}`));
  if (hash === undefined) throw new Error("Invalid hash.");
  return hash;
}

/** Hashes of different steps. */
export const hashesUpTo = (count: number): StepHash[] =>
  Array.from({ length: count }, (_, i) => hashAt(i));

/** Signatures of steps that a node assembles together. */
export const signAs = (
  by: NodeName,
  hashes: readonly StepHash[],
): readonly string[] =>
  signTogether(
    hashes,
    (bytes) => identities.get(by)?.sign(bytes) ?? Buffer.alloc(64),
  );

/** Steps that a node assembles together. */
export function answerOf(
  sender: NodeName,
  hashes: readonly StepHash[],
): SignedStep[] {
  const signatures = signAs(sender, hashes);
  return hashes.map((hash, i) => ({
    sender,
    hash,
    signature: signatures[i] ?? "",
  }));
}

/** Checks signatures, and counts how often it has to look at one. */
export class Checker {
  looks = 0;
  readonly #signatures = new StepSignatures({
    isSignedBy: async (name, bytes, signature) => {
      this.looks += 1;
      const key = identities.get(name)?.publicKey;
      return await Promise.resolve(
        key !== undefined && verify(null, bytes, key, signature),
      );
    },
  });

  async isSigned(
    hash: StepHash,
    signature: string,
    by = alice,
  ): Promise<boolean> {
    return await this.#signatures.isSigned(by, hash, signature);
  }

  /** For each step of a bundle, whether its sender signed it. */
  async areSigned(steps: readonly SignedStep[]): Promise<boolean[]> {
    const signed = await this.#signatures.signedAmong(steps);
    return steps.map(({ hash }) => signed.has(hash));
  }
}
