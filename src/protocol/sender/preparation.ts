import type { NodeName } from "../ids.ts";
import type { MessageOf } from "../messages.ts";
import { digestOf } from "../outline.ts";
import type { Prepared } from "../records.ts";
import { nextTry, send, type Sequencer, type Turn } from "../turn.ts";
import { tell } from "./tell.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/**
 * The coordinator has what was only to be prepared. Durable here before it is acknowledged. What is not as it should be
 * is acknowledged too, so that the coordinator forgets it, and delegated again. The runtime has checked the signatures.
 */
export function receivePrepared(
  turn: Turn,
  from: NodeName,
  { key, bundle, endorsements }: MessageOf<"TransactionPrepared">,
): void {
  const { sender } = turn.node;
  const { digest, validUntil, places, steps } = bundle;
  const transaction =
    steps[0] === undefined
      ? undefined
      : sender.transactions.get(steps[0].intentId);
  if (transaction?.sentTo === from) {
    const prepared = soundOf(turn.node, transaction, {
      digest,
      validUntil,
      places,
      endorsements,
    });
    if (
      prepared === undefined ||
      !tell(turn, transaction, { type: "PreparedReceived", prepared })
    ) {
      // Not at once again: what made this node refuse it may last.
      sender.pausedUntil = nextTry(turn, 0, key);
      tell(turn, transaction, { type: "Released" });
    }
  }
  send(turn, from, { type: "TransactionPreparedAck", key, digest });
}

/** What the user gets, if it is endorsed by enough members and is exactly what this node assembled and signed. */
function soundOf(
  { config, height }: Sequencer,
  { intent, step }: SenderTransaction,
  {
    digest,
    validUntil,
    places,
    endorsements,
  }: Pick<Prepared, "endorsements"> & Omit<Prepared["bundle"], "steps">,
): Prepared | undefined {
  const { committee, threshold, hashing } = config;
  if (step === undefined || !intent.isPrepareOnly) return undefined;
  if (validUntil <= height || validUntil > step.validUntil) return undefined;
  const bundle = { steps: [step], places, validUntil, digest };
  if (digestOf(hashing, bundle) !== digest) return undefined;
  const endorsers = new Set(endorsements.map(({ endorser }) => endorser));
  const isEndorsed =
    endorsers.size >= threshold &&
    endorsers.size === endorsements.length &&
    endorsements.every(
      (one) => one.digest === digest && committee.includes(one.endorser),
    );
  return isEndorsed ? { bundle, endorsements } : undefined;
}
