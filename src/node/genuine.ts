import {
  type CompactSignature,
  parseDigest,
  parseSignature,
} from "../ledger/index.ts";
import type { NodeName } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import { hashingFor } from "../protocol/outline.ts";
import type { Endorsement } from "../protocol/transition.ts";
import { type IsSignedBy, StepSignatures } from "../keys/step-signatures.ts";
import { curveThread } from "../keys/curve-thread.ts";
import type { GroupRunner } from "./group-runner.ts";

/** Whether the signatures in a message are genuine that the protocol relies on; undefined if there are none. */
export function areSignaturesGenuine(
  runner: GroupRunner,
  { from, message }: { readonly from: NodeName; readonly message: Message },
  directory: { readonly isSignedBy: IsSignedBy },
): Promise<boolean> | undefined {
  if (message.type === "Endorsement")
    return areGenuine(runner, [{ ...message, endorser: from }]);
  if (message.type === "TransactionPrepared")
    return areGenuine(runner, message.endorsements);
  const { config } = runner.sequencer;
  const { self } = config;
  if (message.type !== "FulfilmentProof" || message.step.sender !== self)
    return undefined;
  const { step, bundle } = message;
  const hashing = hashingFor(config, bundle) ?? config.hashing;
  return new StepSignatures(directory).isSigned(
    self,
    hashing.stepHash(step),
    step.signature,
  );
}

/** Whether all endorsements are genuine, and no member's stands twice: so there are never more to look at than members. */
async function areGenuine(
  runner: GroupRunner,
  endorsements: readonly Endorsement[],
): Promise<boolean> {
  const endorsers = new Set(endorsements.map(({ endorser }) => endorser));
  if (endorsers.size !== endorsements.length) return false;
  const answers = await Promise.all(
    endorsements.map(
      async (endorsement) => await isGenuine(runner, endorsement),
    ),
  );
  return answers.every((isGood) => isGood);
}

/** Whether the ledger would take the signature for that member's. */
async function isGenuine(
  { stored }: GroupRunner,
  { endorser, digest, signature }: Endorsement,
): Promise<boolean> {
  const member = stored.committee.find(({ name }) => name === endorser);
  const claimed = readSignature(signature);
  if (member === undefined || claimed === undefined) return false;
  const signer = await curveThread.recover(parseDigest(digest), claimed);
  return signer === member.endorser;
}

/** Undefined if it is no signature at all. */
function readSignature(signature: string): CompactSignature | undefined {
  try {
    return parseSignature(signature);
  } catch {
    return undefined;
  }
}
