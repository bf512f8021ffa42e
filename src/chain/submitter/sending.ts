import { ChainError } from "../ports.ts";
import type { Submissions } from "../../store/submissions.ts";
import type { Chain } from "../chain.ts";
import { inParallel } from "../parallel.ts";
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
    readonly onUnderpriced: () => void;
    /** Whether that is final. */
    readonly onRejected: (job: SignedJob, error: ChainError) => boolean;
  },
): Promise<boolean> {
  const { options, chain, submissions } = ports;
  const pass: {
    trouble: ChainError | undefined;
    isAgain: boolean;
    isProgress: boolean;
    isRefused: boolean;
  } = {
    trouble: undefined,
    isAgain: false,
    isProgress: false,
    isRefused: false,
  };

  const judge = (job: SignedJob, error: ChainError): void => {
    switch (verdictOf(error)) {
      case "taken":
        take(job);
        break;
      case "used":
        job.refusal = undefined;
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
        // It is raised with the next block, or at once if it offers less than what is usual by now.
        pass.isAgain ||= !job.isUnderpriced;
        job.isUnderpriced = true;
        job.isSent = true;
        job.sentAt = height;
        ports.onUnderpriced();
        break;
      case "rejected":
        if (job.isDoomed) {
          pass.trouble = error;
        } else if (ports.onRejected(job, error)) {
          pass.isProgress = true;
          pass.isAgain = true;
        } else {
          pass.isRefused = true;
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
    if (job.refusal !== undefined) job.held = undefined;
    job.refusal = undefined;
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
  const isStuck = pass.isAgain && !pass.isProgress;
  if (isStuck && pass.isRefused) return false;
  if (isStuck)
    throw new ChainError("refused", "The node waits for an earlier nonce.");
  return pass.isAgain;
}
