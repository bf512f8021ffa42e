import type { Address } from "../../../ledger/index.ts";
import { ChainError } from "../../ports.ts";
import type { SavedSubmission, Signing } from "../../store/submissions.ts";
import { inParallel } from "../parallel.ts";
import { Worker } from "../worker.ts";
import {
  type Failed,
  isSigned,
  isWaiting,
  type Job,
  newJob,
  type Outcome,
  type SignedJob,
} from "./job.ts";
import { planNonces } from "./nonces.ts";
import { type Position, SIGNATURES_AT_ONCE, takeOrders } from "./orders.ts";
import { failureOf, findOutcome } from "./outcome.ts";
import type { AccountPorts, SubmitterOptions } from "./ports.ts";
import { sendAll } from "./sending.ts";
import { Signer } from "./signer.ts";

const RECEIPTS_AT_ONCE = 8;

/** One signing address and its transactions, one after the other. */
export class Account {
  readonly #address: Address;
  readonly #options: SubmitterOptions;
  readonly #ports: AccountPorts;
  readonly #signer: Signer | undefined;
  readonly #worker: Worker;
  readonly #jobs = new Map<number, Job>();
  #reverts = 0;

  constructor(
    options: SubmitterOptions & { readonly address: Address },
    ports: AccountPorts,
  ) {
    this.#address = options.address;
    this.#options = options;
    this.#ports = ports;
    const { payer } = ports;
    if (payer !== undefined)
      this.#signer = new Signer(options, { ...ports, payer });
    this.#worker = new Worker(
      { idleMs: options.resendMs },
      {
        timers: ports.timers,
        work: async () => await this.#cycle(),
        onIdle: () => {
          for (const job of this.#jobs.values()) job.isSent = false;
        },
        onTrouble: (error) => ports.onTrouble(options.address, error),
      },
    );
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

  /** The indexer saw it happen. */
  confirm(job: Job, outcome: Outcome): void {
    job.outcome = outcome;
    job.failed = undefined;
    this.#ports.onEnd(job, false);
  }

  /** Blocks above the height never happened. What was in them is sent again, and so is all the rest: it may be lost. */
  revert(height: number): void {
    this.#reverts++;
    for (const job of this.#jobs.values()) {
      if (job.outcome !== undefined && job.outcome.block > height) {
        job.outcome = undefined;
        if (!job.isDoomed) job.failed = undefined;
      }
      job.isSent = false;
      job.sentAt = Math.min(job.sentAt, height);
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
    if (isIdle) {
      this.#settle(height);
      return false;
    }
    // As of the indexed block: a node that does not have it refuses, and so never misleads.
    const count = await this.#ports.chain.transactionCount(
      this.#address,
      height,
    );
    const areLooksLeft = await this.#findOutcomes(count, height);
    if (reverts !== this.#reverts) return true;
    this.#settle(height);
    this.#expire(count, height);
    const position = { address: this.#address, height, count };
    const isMoreToSign = await this.#sign(
      await this.#findGaps(count),
      position,
    );
    const isMoreToSend = await this.#send(position);
    if (areLooksLeft)
      throw new ChainError(
        "unreachable",
        `A nonce of ${this.#address} is used, and no receipt is there.`,
      );
    return isMoreToSign || isMoreToSend;
  }

  /** Whether some nonce is used and nobody knows yet by whom. */
  async #findOutcomes(count: number, height: number): Promise<boolean> {
    const { chain } = this.#ports;
    const used = this.#signed(
      (job) => job.outcome === undefined && job.saved.signing.nonce < count,
    );
    let areLooksLeft = false;
    await inParallel(used, RECEIPTS_AT_ONCE, async (job) => {
      const reverts = this.#reverts;
      const found = await findOutcome(chain, job.saved.hashes, height);
      // Above the height means that the chain has moved: the next look is better.
      if (found === "later") return;
      if (found !== undefined) await this.#takeOutcome(job, found, reverts);
      else if (++job.looks < this.#options.foreignLooks) areLooksLeft = true;
      else this.#unsign([job]);
    });
    return areLooksLeft;
  }

  async #takeOutcome(
    job: SignedJob,
    outcome: Outcome,
    reverts: number,
  ): Promise<void> {
    const { chain, submissions } = this.#ports;
    const { to, sequence } = job.saved;
    const data = submissions.dataOf(sequence);
    const call = { from: this.#address, to, data };
    const failed =
      job.failed ?? (await failureOf(chain, call, outcome, job.isDoomed));
    if (reverts !== this.#reverts || job.outcome !== undefined) return;
    job.outcome = outcome;
    if (failed !== undefined && job.failed === undefined)
      this.#fail(job, failed);
    this.#ports.onEnd(job, false);
  }

  /** Forgets what no reorganisation brings back, and what failed without ever having had a nonce. */
  #settle(height: number): void {
    const old = [...this.#jobs.values()].filter(({ outcome, failed, saved }) =>
      outcome === undefined
        ? saved.signing === undefined &&
          (failed !== undefined || saved.digest === undefined)
        : outcome.block + this.#options.settleBlocks <= height,
    );
    this.#forget(old);
  }

  #forget(jobs: readonly Job[]): void {
    if (jobs.length === 0) return;
    this.#ports.database.commit(() => {
      for (const { saved } of jobs)
        this.#ports.submissions.delete(saved.sequence);
    });
    for (const job of jobs) {
      this.#jobs.delete(job.saved.sequence);
      this.#ports.onEnd(job, true);
    }
  }

  /** No block after this one takes it. */
  #expire(count: number, height: number): void {
    for (const job of this.#jobs.values()) {
      const { validUntil, signing } = job.saved;
      const isOpen =
        job.outcome === undefined && job.failed === undefined && validUntil > 0;
      const isUnused = signing === undefined || signing.nonce >= count;
      if (!isOpen || !isUnused || height < validUntil) continue;
      const reason = `It could happen until block ${validUntil}, and was not mined by then.`;
      job.isDoomed = true;
      this.#fail(job, { failure: "expired", reason, isRetryable: true });
    }
    this.#settle(height);
  }

  /** The nonces between ours that nobody will use. Below ours there are none, unless the chain lost what was there. */
  async #findGaps(count: number): Promise<readonly number[]> {
    const waiting = this.#signed((job) => isWaiting(job, count));
    const nonces = waiting.map(({ saved }) => saved.signing.nonce);
    const { hole, gaps } = planNonces(nonces, count);
    if (!hole) return gaps;
    const { chain } = this.#ports;
    const pending = await chain.transactionCount(this.#address, "pending");
    // Transactions of somebody else with this key may be on their way.
    if (pending >= Math.min(...nonces)) return gaps;
    this.#unsign(waiting);
    return [];
  }

  /** They get other nonces; nothing is left of those that only used one up. */
  #unsign(jobs: readonly Job[]): void {
    const { database, submissions } = this.#ports;
    database.commit(() => {
      for (const { saved } of jobs) submissions.unsign(saved.sequence);
    });
    for (const job of jobs) {
      job.saved = { ...job.saved, signing: undefined };
      job.looks = 0;
      job.isSent = false;
      job.wasTaken = false;
    }
    this.#forget(jobs.filter(({ isDoomed }) => isDoomed));
  }

  /** Signs what must be signed, and saves it all before anything of it is sent. Whether there is more to sign. */
  async #sign(gaps: readonly number[], position: Position): Promise<boolean> {
    const signer = this.#signer;
    if (signer === undefined) return false;
    const { chain, database, submissions, height } = this.#ports;
    const options = this.#options;
    const fillers = gaps.map((nonce) => {
      const saved = submissions.addFiller(this.#address, nonce);
      this.#jobs.set(saved.sequence, newJob(saved, height()));
      return { nonce, saved };
    });
    const jobs = [...this.#jobs.values()].filter(
      ({ saved }) => saved.digest !== undefined || saved.signing !== undefined,
    );
    const ports = { options, chain, signer };
    const orders = await takeOrders(jobs, fillers, position, ports);
    const signings: Signing[] = [];
    for (const order of orders) signings.push(await signer.sign(order));
    if (signings.length === 0) return false;
    database.commit(() => {
      for (const signing of signings) submissions.sign(signing);
    });
    for (const signing of signings) this.#takeSigning(signing);
    return orders.length >= SIGNATURES_AT_ONCE;
  }

  #takeSigning({ sequence, ...signing }: Signing): void {
    const job = this.#jobs.get(sequence);
    if (job === undefined) return;
    const isNew = !isSigned(job);
    job.saved = { ...job.saved, hashes: signing.hashes, signing };
    job.isSent = false;
    this.#ports.onSigned(job);
    if (isNew) this.#tell(job, "nonce");
  }

  async #send({ count, height }: Position): Promise<boolean> {
    const unsent = this.#signed((job) => isWaiting(job, count) && !job.isSent);
    return await sendAll(unsent, height, {
      ...this.#ports,
      options: this.#options,
      onTaken: (job) => {
        if (!job.wasTaken) this.#tell(job, "submitted");
        job.wasTaken = true;
      },
      onRejected: (job, { message: reason }) => {
        job.isDoomed = true;
        this.#fail(job, { failure: "rejected", reason, isRetryable: true });
      },
    });
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
