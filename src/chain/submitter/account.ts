import type { Address } from "../../ledger/index.ts";
import { ChainError } from "../ports.ts";
import type { SavedSubmission, Signing } from "../../store/submissions.ts";
import { inParallel } from "../parallel.ts";
import { Worker } from "../worker.ts";
import { Counts } from "./counts.ts";
import { costOf } from "./fees.ts";
import {
  type Failed,
  isExpired,
  isOver,
  isSigned,
  isWaiting,
  type Job,
  newJob,
  type Outcome,
  type SignedJob,
} from "./job.ts";
import { NonceRepairs } from "./nonces.ts";
import { type Position, SIGNATURES_AT_ONCE, takeOrders } from "./orders.ts";
import { Outcomes } from "./outcomes.ts";
import type { AccountPorts, SubmitterOptions } from "./ports.ts";
import { Refusals } from "./refusals.ts";
import { sendAll } from "./sending.ts";
import { Signer } from "./signer.ts";

/** One signing address and its transactions, one after the other. */
export class Account {
  readonly #address: Address;
  /** Undefined for one of the node's own. */
  readonly #userName: string | undefined;
  readonly #options: SubmitterOptions;
  readonly #ports: AccountPorts;
  readonly #signer: Signer | undefined;
  readonly #outcomes: Outcomes;
  readonly #counts: Counts;
  readonly #repairs: NonceRepairs;
  readonly #refusals: Refusals;
  readonly #worker: Worker;
  readonly #jobs = new Map<number, Job>();
  #reverts = 0;
  /** Why nothing can be done. */
  #stuck: Error | undefined;
  /** Why something waits although all is done that may be. */
  #held: ChainError | undefined;

  constructor(
    options: SubmitterOptions & {
      readonly address: Address;
      readonly userName: string | undefined;
    },
    ports: AccountPorts,
  ) {
    this.#address = options.address;
    this.#userName = options.userName;
    this.#options = options;
    this.#ports = ports;
    const { payer } = ports;
    if (payer !== undefined)
      this.#signer = new Signer(options, { ...ports, payer });
    this.#counts = new Counts(options, ports);
    this.#repairs = new NonceRepairs(this.#counts);
    this.#outcomes = new Outcomes(options, {
      ...ports,
      reverts: () => this.#reverts,
      onFailed: (job, failed) => {
        this.#fail(job, failed);
      },
    });
    this.#refusals = new Refusals(options);
    this.#worker = new Worker({
      timers: ports.timers,
      work: async () => await this.#cycle(),
      idleMs: () => options.resendMs,
      onIdle: () => {
        this.#refusals.beat();
        for (const job of this.#jobs.values()) job.isSent = false;
      },
      onTrouble: (error) => {
        this.#stuck = error;
        ports.onTrouble(options.address, error ?? this.#held);
      },
    });
  }

  start(): void {
    this.#worker.start();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
  }

  wake(): void {
    this.#worker.wake();
  }

  add(saved: SavedSubmission): Job {
    const job = newJob(saved, this.#ports.height());
    this.#jobs.set(saved.sequence, job);
    return job;
  }

  has(sequence: number): boolean {
    return this.#jobs.has(sequence);
  }

  get isEmpty(): boolean {
    return this.#jobs.size === 0;
  }

  /** The indexer saw it happen. */
  confirm(job: Job, outcome: Outcome): void {
    job.outcome = outcome;
    job.failed = undefined;
    this.#ports.onEnd(job, false);
  }

  /** Blocks above the height never happened. What was in them is sent again, and so is all the rest: it may be lost. */
  revert(height: number): void {
    this.#reverts++;
    this.#counts.reset();
    for (const job of this.#jobs.values()) {
      if (job.outcome !== undefined && job.outcome.block > height) {
        job.outcome = undefined;
        if (!job.isDoomed) job.failed = undefined;
      }
      job.isSent = false;
      job.search = undefined;
      job.foreign = undefined;
      job.sentAt = Math.min(job.sentAt, height);
      job.raisedAt = Math.min(job.raisedAt, height);
    }
  }

  /** Looks after everything once; whether there is more to do at once. */
  async #cycle(): Promise<boolean> {
    const height = this.#ports.height();
    const reverts = this.#reverts;
    if (height < 0) return false;
    const isIdle = [...this.#jobs.values()].every(
      ({ outcome }) => outcome !== undefined,
    );
    this.#refusals.see(height);
    if (isIdle) {
      this.#settle(height);
      this.#tellHeld([]);
      return false;
    }
    const count = await this.#counts.at(height);
    const used = this.#signed(
      (job) => job.outcome === undefined && job.saved.signing.nonce < count,
    );
    const { foreign, unknown } = await this.#outcomes.find(used, height);
    if (reverts !== this.#reverts) return true;
    this.#unsign(foreign);
    this.#settle(height);
    this.#expire(count, height);
    const gaps = await this.#repair(count);
    const position = { address: this.#address, height, count };
    const isMoreToSign = await this.#sign(gaps, position);
    const isMoreToSend = await this.#send(position);
    this.#tellHeld(this.#signed((job) => isWaiting(job, count)));
    const [first] = unknown;
    if (first !== undefined)
      throw new ChainError("unreachable", explainUnknown(first));
    return isMoreToSign || isMoreToSend;
  }

  #settle(height: number): void {
    const { settleBlocks } = this.#options;
    // Blocks may be taken back already, without anybody having said so here.
    const final = Math.min(height, this.#ports.height()) - settleBlocks;
    this.#forget([...this.#jobs.values()].filter((job) => isOver(job, final)));
  }

  #forget(jobs: readonly Job[]): void {
    if (jobs.length === 0) return;
    // If they are there again after a loss of power, they are found to be over once more.
    this.#ports.database.write(() => {
      for (const job of jobs) this.#discard(job);
    });
    for (const job of jobs) {
      this.#jobs.delete(job.saved.sequence);
      this.#ports.onEnd(job, true);
    }
  }

  /** A user's transaction is kept for the day on which the chain takes its block back after all. */
  #discard({ saved, outcome }: Job): void {
    const { submissions } = this.#ports;
    if (saved.isPublic && outcome !== undefined)
      submissions.settle(saved.sequence, outcome.block);
    else submissions.delete(saved.sequence);
  }

  #expire(count: number, height: number): void {
    for (const job of this.#jobs.values()) {
      if (!isExpired(job, { count, height })) continue;
      const reason = `It could happen until block ${job.saved.validUntil}, and was not mined by then.`;
      job.isDoomed = true;
      this.#fail(job, { failure: "expired", reason, isRetryable: true });
    }
    this.#settle(height);
  }

  /** Renumbers what can no longer be reached; the nonces that nobody will use, to be filled up. */
  async #repair(count: number): Promise<readonly number[]> {
    const waiting = this.#signed((job) => isWaiting(job, count));
    const reverts = this.#reverts;
    const { fill, renumber } = await this.#repairs.find(waiting, count);
    if (reverts !== this.#reverts) return [];
    this.#unsign(renumber);
    // What was mined above the block that was asked about waits no longer, and still has its nonce.
    const taken = new Set(
      this.#signed(() => true).map(({ saved }) => saved.signing.nonce),
    );
    return fill.filter((nonce) => !taken.has(nonce));
  }

  /** They get other nonces; nothing is left of those that only used one up. */
  #unsign(jobs: readonly Job[]): void {
    if (jobs.length === 0) return;
    const { database, submissions } = this.#ports;
    database.write(() => {
      for (const { saved } of jobs) submissions.unsign(saved.sequence);
    });
    for (const job of jobs) {
      job.saved = { ...job.saved, signing: undefined };
      job.looks = 0;
      job.isSent = false;
      job.wasTaken = false;
    }
    const over = jobs.filter(({ isDoomed }) => isDoomed);
    for (const job of over) this.#outcomes.drop(job);
    this.#forget(over);
  }

  /** Signs what must be signed, and saves it all before anything of it is sent. Whether there is more to sign. */
  async #sign(gaps: readonly number[], position: Position): Promise<boolean> {
    const signer = this.#signer;
    if (signer === undefined) return false;
    const { chain, database, submissions, height } = this.#ports;
    const options = this.#options;
    const payer = { payer: this.#address, userName: this.#userName };
    const filled = gaps.slice(0, SIGNATURES_AT_ONCE);
    const fillers =
      filled.length === 0
        ? []
        : database.write(() =>
            filled.map((nonce) => ({
              nonce,
              saved: submissions.addFiller(payer, nonce),
            })),
          );
    for (const { saved } of fillers)
      this.#jobs.set(saved.sequence, newJob(saved, height()));
    const jobs = [...this.#jobs.values()].filter(
      ({ saved, isDoomed }) => !isDoomed || saved.signing !== undefined,
    );
    const ports = { options, chain, signer, counts: this.#counts };
    const orders = await takeOrders(jobs, fillers, position, ports);
    // Keys in this process sign all of them together, in another thread.
    const signings = await inParallel(
      orders,
      SIGNATURES_AT_ONCE,
      async (order) => await signer.sign(order),
    );
    if (signings.length === 0) return false;
    await database.commit(() => {
      for (const signing of signings) submissions.sign(signing);
    });
    for (const signing of signings) this.#takeSigning(signing);
    return orders.length >= SIGNATURES_AT_ONCE;
  }

  #takeSigning({ sequence, ...signing }: Signing): void {
    const job = this.#jobs.get(sequence);
    if (job === undefined) return;
    const isNew = !isSigned(job);
    const { hashes, emptyHashes } = signing;
    job.saved = { ...job.saved, hashes, emptyHashes, signing };
    job.isSent = false;
    job.raisedAt = this.#ports.height();
    this.#ports.onSigned(job);
    if (isNew) this.#tell(job, "nonce");
  }

  async #send({ count, height }: Position): Promise<boolean> {
    const waiting = this.#signed((job) => isWaiting(job, count));
    const unsent = this.#refusals
      .sendable(waiting)
      .filter(({ isSent }) => !isSent);
    return await sendAll(unsent, height, {
      ...this.#ports,
      options: this.#options,
      fund: async () => await this.#fund(waiting),
      onTaken: (job) => {
        if (!job.wasTaken) this.#tell(job, "submitted");
        job.wasTaken = true;
      },
      onUnderpriced: () => this.#signer?.forgetFees(),
      onRejected: (job, error) => {
        if (!this.#refusals.refuse(job, error)) return false;
        const { message: reason } = error;
        job.isDoomed = true;
        job.held = undefined;
        this.#fail(job, { failure: "rejected", reason, isRetryable: true });
        return true;
      },
    });
  }

  /** Somebody may have to change a limit. One that a user set for one transaction is that user's business. */
  #tellHeld(waiting: readonly SignedJob[]): void {
    const reason = waiting.find(
      ({ held, saved: { wanted } }) =>
        held !== undefined && !wanted.maxFee && !wanted.tip,
    )?.held;
    if (reason === this.#held?.message) return;
    this.#held =
      reason === undefined ? undefined : new ChainError("refused", reason);
    if (this.#stuck === undefined)
      this.#ports.onTrouble(this.#address, this.#held);
  }

  /** Where money is free, users get some, also after a reorganisation took theirs away. */
  async #fund(jobs: readonly SignedJob[]): Promise<boolean> {
    if (this.#userName === undefined) return false;
    const needed = jobs.reduce((sum, { saved }) => sum + costOf(saved), 0n);
    return await this.#ports.faucet(this.#address, needed);
  }

  #fail(job: Job, failed: Failed): void {
    job.failed = failed;
    const { digest } = job.saved;
    const { failure, reason, isRetryable } = failed;
    if (digest !== undefined)
      this.#ports.onFailed(digest, failure, reason, isRetryable);
    this.#ports.onEnd(job, false);
  }

  #tell({ saved }: Job, progress: "nonce" | "submitted"): void {
    if (saved.digest !== undefined)
      this.#ports.onProgress(saved.digest, progress);
  }

  #signed(holds: (job: SignedJob) => boolean): SignedJob[] {
    return [...this.#jobs.values()].filter(isSigned).filter(holds);
  }
}

function explainUnknown({ saved }: SignedJob): string {
  const { payer, signing } = saved;
  return `Nonce ${signing.nonce} of ${payer} is used, and the chain does not show yet by which transaction.`;
}
