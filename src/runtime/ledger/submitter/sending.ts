import { ChainError } from "../../ports.ts";
import type { Submissions } from "../../store/submissions.ts";
import type { Chain } from "../chain.ts";
import { inParallel } from "../parallel.ts";
import { bumpFees, capsOf } from "./fees.ts";
import type { SignedJob } from "./job.ts";
import type { SubmitterOptions } from "./ports.ts";
import { verdictOf } from "./verdict.ts";

/**
 * Sends what is signed, lowest nonce first. Whether to go on at once: something must be signed again, or came too early.
 * Throws when nothing gets through.
 */
export async function sendAll(
  jobs: readonly SignedJob[],
  height: number,
  ports: {
    readonly options: SubmitterOptions;
    readonly chain: Chain;
    readonly submissions: Submissions;
    /** Whether there is more money now. */
    readonly fund: () => Promise<boolean>;
    readonly onTaken: (job: SignedJob) => void;
    readonly onRejected: (job: SignedJob, error: ChainError) => void;
  },
): Promise<boolean> {
  const { options, chain, submissions } = ports;
  const pass: {
    trouble: ChainError | undefined;
    isAgain: boolean;
    isProgress: boolean;
  } = { trouble: undefined, isAgain: false, isProgress: false };

  const judge = (job: SignedJob, error: ChainError): void => {
    switch (verdictOf(error)) {
      case "taken":
        take(job);
        break;
      case "used":
        // Mined above the indexed block, or by somebody else: the next blocks tell.
        job.isSent = true;
        job.sentAt = height;
        pass.isProgress = true;
        break;
      case "gap":
        pass.isAgain = true;
        break;
      case "underpriced":
        pass.isProgress = true;
        job.isUnderpriced = canRaise(job, options);
        // Otherwise it waits, for what is in its place will be mined, or fees will fall.
        job.isSent = !job.isUnderpriced;
        job.sentAt = height;
        pass.isAgain ||= job.isUnderpriced;
        break;
      case "rejected":
        if (job.isDoomed) {
          pass.trouble = error;
        } else {
          pass.isProgress = true;
          pass.isAgain = true;
          ports.onRejected(job, error);
        }
        break;
      case "funds":
      case "unknown":
        pass.trouble = error;
    }
  };
  const take = (job: SignedJob): void => {
    job.isSent = true;
    job.sentAt = height;
    pass.isProgress = true;
    ports.onTaken(job);
  };
  const inOrder = jobs.toSorted(
    (a, b) => a.saved.signing.nonce - b.saved.signing.nonce,
  );
  await inParallel(inOrder, options.sendsAtOnce, async (job) => {
    if (pass.trouble !== undefined) return;
    try {
      await chain.sendRaw(submissions.rawOf(job.saved.sequence));
      take(job);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      judge(job, error);
    }
  });
  if (pass.trouble !== undefined) {
    const isPoor = verdictOf(pass.trouble) === "funds";
    if (isPoor && (await ports.fund())) return true;
    throw pass.trouble;
  }
  if (pass.isAgain && !pass.isProgress)
    throw new ChainError("refused", "The node waits for an earlier nonce.");
  return pass.isAgain;
}

function canRaise(
  { saved, isDoomed: isEmpty }: SignedJob,
  options: SubmitterOptions,
): boolean {
  const caps = capsOf(saved, options.caps, { isEmpty });
  return bumpFees(saved.signing, saved.signing, caps) !== undefined;
}
