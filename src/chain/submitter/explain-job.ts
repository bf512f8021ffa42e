import type { Job } from "./job.ts";

/** What a job waits for, in one sentence; undefined if it has ended. */
export function explainJob(
  { saved, outcome, failed, isDoomed, wasTaken, held }: Job,
  /** Why its address gets nothing mined, if that is so. */
  trouble: string | undefined,
): string | undefined {
  if (outcome !== undefined) return undefined;
  const { payer, signing } = saved;
  if (trouble !== undefined)
    return `It waits because ${payer} cannot get anything mined: ${trouble}`;
  if (signing === undefined)
    return `It waits for its turn among the transactions of ${payer}.`;
  const nonce = `nonce ${signing.nonce} of ${payer}`;
  if (isDoomed)
    return `No node takes it (${failed?.reason ?? "unknown"}). It waits for an empty transaction to use up ${nonce}.`;
  if (held !== undefined) return `It waits for a block. ${held}`;
  return wasTaken
    ? `It has ${nonce}, was sent, and waits for a block.`
    : `It has ${nonce}, and waits to be sent.`;
}
