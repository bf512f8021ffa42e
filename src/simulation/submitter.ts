import type { Event } from "../protocol/events.ts";
import type { Digest } from "../protocol/ids.ts";
import type { DispatchRecord } from "../protocol/records.ts";
import type { Chain, ChainTransaction } from "./chain.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";

const retryMs = 1_500;

/** Refusals that the same endorsements meet again. */
const neverTaken: ReadonlySet<string> = new Set([
  "UnknownSigners",
  "InvalidEndorsement",
  "ThresholdNotReached",
  "TransitionTooLarge",
]);

interface Job {
  readonly transaction: ChainTransaction;
  isReported: boolean;
}

/**
 * One node's way to the chain. Jobs and their nonces are durable; a job goes on until its transaction is mined, also
 * when it can no longer succeed, so that its nonce leaves no hole.
 */
export class Submitter {
  readonly #jobs = new Map<Digest, Job>();
  readonly #signer: number;
  readonly #ports: {
    readonly queue: Queue;
    readonly random: Random;
    readonly faults: FaultCounter;
    readonly chain: Chain;
    readonly plan: () => FaultPlan;
    readonly isUp: () => boolean;
    /** The height of the node's own view. */
    readonly height: () => number;
    readonly tell: (event: Event) => void;
  };
  #nonce = 0;

  constructor(
    options: { readonly signer: number },
    ports: {
      readonly queue: Queue;
      readonly random: Random;
      readonly faults: FaultCounter;
      readonly chain: Chain;
      readonly plan: () => FaultPlan;
      readonly isUp: () => boolean;
      readonly height: () => number;
      readonly tell: (event: Event) => void;
    },
  ) {
    this.#signer = options.signer;
    this.#ports = ports;
  }

  /** Takes a job. One that it has is only told about again. */
  submit(dispatch: DispatchRecord): void {
    const { digest } = dispatch.bundle;
    const known = this.#jobs.get(digest);
    if (known !== undefined) {
      known.isReported = false;
      this.#push(known);
      return;
    }
    const transaction: ChainTransaction = {
      signer: this.#signer,
      nonce: this.#nonce++,
      dispatch,
      status: "out",
      block: 0,
      refusal: undefined,
    };
    const job = { transaction, isReported: false };
    this.#jobs.set(digest, job);
    this.#later({ type: "SubmissionProgressed", digest, progress: "nonce" });
    this.#push(job);
  }

  /** Looks after all jobs; called again and again. */
  watch(): void {
    for (const [digest, job] of this.#jobs) {
      const { transaction } = job;
      const isMined = transaction.status === "mined";
      const isSeen = isMined && transaction.block <= this.#ports.height();
      if (!job.isReported) this.#report(job, isSeen);
      if (isSeen && job.isReported && this.#isOld(transaction))
        this.#jobs.delete(digest);
      else if (transaction.status === "out") this.#push(job);
    }
  }

  /** After that many blocks no reorganisation brings it back. */
  #isOld(transaction: ChainTransaction): boolean {
    return transaction.block + 64 < this.#ports.height();
  }

  #report(job: Job, isSeen: boolean): void {
    const { bundle } = job.transaction.dispatch;
    const { chain } = this.#ports;
    const { refusal } = job.transaction;
    if (chain.hasHappened(bundle.digest)) {
      job.isReported = isSeen;
      return;
    }
    const isExpired = this.#ports.height() >= bundle.validUntil;
    if (!isExpired && !(isSeen && refusal !== undefined)) return;
    job.isReported = true;
    this.#later({
      type: "SubmissionFailed",
      digest: bundle.digest,
      failure: isExpired ? "expired" : "reverted",
      reason: isExpired ? "Expired" : (refusal ?? ""),
      isRetryable: refusal === undefined || !neverTaken.has(refusal),
    });
  }

  #push(job: Job): void {
    const { queue, random, faults, chain } = this.#ports;
    const { transaction } = job;
    if (transaction.status !== "out") return;
    queue.after(random.between(1, 20), () => {
      if (!this.#ports.isUp()) return;
      const isError = random.chance(this.#ports.plan().rpcError);
      if (isError) faults.count("rpc-error");
      // An answer may be lost after the chain took the transaction.
      if (isError && random.chance(0.5)) return;
      chain.submit(transaction);
      if (isError) return;
      const { digest } = transaction.dispatch.bundle;
      const progress = "submitted";
      this.#ports.tell({ type: "SubmissionProgressed", digest, progress });
    });
  }

  #later(event: Event): void {
    this.#ports.queue.after(1, () => {
      if (this.#ports.isUp()) this.#ports.tell(event);
    });
  }

  /** Milliseconds between two calls of `watch`. */
  static readonly watchEveryMs = retryMs;
}
