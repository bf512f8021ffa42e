import {
  type CompactSignature,
  parseDigest,
  parseSignature,
} from "../../ledger/index.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/messages.ts";
import type { Endorsement } from "../../protocol/transition.ts";
import { curveThread } from "../keys/curve-thread.ts";
import type { GroupRunner } from "./group-runner.ts";

/** What has to be checked before a message is believed; undefined if there is nothing. */
export function endorsementsIn(
  from: NodeName,
  message: Message,
): readonly Endorsement[] | undefined {
  if (message.type === "Endorsement") return [{ ...message, endorser: from }];
  if (message.type === "TransactionPrepared") return message.endorsements;
  return undefined;
}

/** Whether all endorsements are genuine, and no member's stands twice: so there are never more to look at than members. */
export async function areGenuine(
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
