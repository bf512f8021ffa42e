import type { Address } from "../../ledger/index.ts";
import type { Digest } from "../../protocol/ids.ts";
import type { IndexedBlock } from "../ports.ts";
import type { Payer } from "../../keys/ports.ts";
import { type SavedSubmission, Submissions } from "../../store/submissions.ts";
import { Chain } from "../chain.ts";
import { Account } from "./account.ts";
import { explainJob } from "./explain-job.ts";
import { isSigned, type Job } from "./job.ts";
import type {
  PublicSubmission,
  Submission,
  SubmissionEnd,
  SubmitterOptions,
  SubmitterPorts,
} from "./ports.ts";
import { type PublicEnd, sentOf, type SentTransaction } from "./public-end.ts";

interface Known {
  readonly job: Job;
  readonly account: Account;
}

/**
 * Gets calls mined: those of one group in order, from one paying address, so that they may build on each other. What it has
 * taken on it pursues until a block has it, over restarts too; what can no longer succeed is replaced by a transfer of
 * nothing, so that no nonce is missing. That costs 21,000 gas, less than the calldata of a call that reverts, and makes
 * sure that what was given up does not happen after all.
 */
export class Submitter {
  readonly #options: SubmitterOptions;
  readonly #ports: SubmitterPorts;
  readonly #chain: Chain;
  readonly #submissions: Submissions;
  readonly #accounts = new Map<string, Account>();
  readonly #byDigest = new Map<Digest, Known>();
  readonly #byHash = new Map<string, Known>();
  /** Why addresses get nothing mined. */
  readonly #troubles = new Map<Address, string>();
  readonly #waiting = new Map<Digest, ((end: SubmissionEnd) => void)[]>();
  #loaded = 0;
  #isStarted = false;

  constructor(options: SubmitterOptions, ports: SubmitterPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#chain = new Chain(ports.client);
    this.#submissions = new Submissions(ports.database);
  }

  /** Takes up what was left of earlier runs. */
  start(): void {
    this.#isStarted = true;
    this.#load();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    await Promise.all(
      [...this.#accounts.values()].map(async (account) => {
        await account.stop();
      }),
    );
  }

  /** Takes a submission on, inside the commit that is under way. One that it has already stays as it is. */
  reserve(submission: Submission): void {
    const { group } = submission;
    this.#submissions.add({
      ...submission,
      isPublic: false,
      payer: submission.payer ?? this.payerOf(group),
      userName: undefined,
      value: 0n,
      gasLimit: submission.gasLimit,
      wanted: { maxFee: undefined, tip: undefined },
    });
  }

  /** The same for a user's transaction. */
  reservePublic(submission: PublicSubmission): void {
    this.#submissions.add({
      ...submission,
      group: "",
      isPublic: true,
      validUntil: 0,
    });
  }

  /** After the commit: goes to work. Of one that it has already, it tells again how far it is. */
  submit(digest: Digest): void {
    const known = this.#byDigest.get(digest);
    if (known !== undefined) this.#tellAgain(known.job);
    this.#load();
  }

  /** After blocks were committed: what happened in them is done, and what did not is looked after. */
  onBlocks(blocks: readonly IndexedBlock[]): void {
    for (const { number: block, transitions } of blocks)
      for (const { transactionHash, transactionIndex } of transitions) {
        const known = this.#byHash.get(transactionHash);
        // How a user's transaction ended is not told by what it did to a group.
        if (known === undefined || known.job.saved.isPublic) continue;
        known.account.confirm(known.job, {
          block,
          transactionHash,
          transactionIndex,
          isSuccess: true,
          hasLogs: true,
          contractAddress: undefined,
        });
      }
    this.#wake();
  }

  /** Inside the commit that erases blocks above a height: what was settled in them is on its way again. */
  reopenAbove(height: number): void {
    this.#submissions.reopenAbove(height);
  }

  /** After that commit. */
  onRevert(height: number): void {
    for (const account of this.#accounts.values()) account.revert(height);
    this.#loaded = 0;
    this.#load();
  }

  /** Resolves when a submission that was reserved is mined or failed. It may still turn out otherwise, if the chain does. */
  async ended(digest: Digest): Promise<SubmissionEnd> {
    return await new Promise((resolve) => {
      const waiting = this.#waiting.get(digest) ?? [];
      this.#waiting.set(digest, [...waiting, resolve]);
      const known = this.#byDigest.get(digest);
      if (known !== undefined) this.#end(known.job);
    });
  }

  /** What is known of a user's transaction that is on its way, or ended not long ago. */
  sent(digest: Digest): SentTransaction | undefined {
    const saved = this.#submissions.byDigest(digest);
    return saved?.isPublic === true
      ? sentOf(saved, this.#submissions.dataOf(saved.sequence))
      : undefined;
  }

  /** What a submission waits for, in one sentence; undefined if it has ended. */
  explain(digest: Digest): string | undefined {
    const job = this.#byDigest.get(digest)?.job;
    return job && explainJob(job, this.#troubles.get(job.saved.payer));
  }

  /** How many transactions of users have not ended. */
  get publicOpen(): number {
    let count = 0;
    for (const { job } of this.#byDigest.values())
      if (job.saved.isPublic && job.outcome === undefined) count++;
    return count;
  }

  /** Who pays for a group: whoever does already, otherwise the one that its address names. */
  payerOf(group: string): Address {
    const current = this.#submissions.payerOf(group);
    const { payers } = this.#ports;
    const chosen =
      payers.find(({ address }) => address === current) ??
      payers[Number.parseInt(group.slice(-8), 16) % payers.length] ??
      payers[0];
    if (chosen === undefined) throw new Error("There is nobody who pays.");
    return chosen.address;
  }

  #load(): void {
    if (!this.#isStarted) return;
    for (const saved of this.#submissions.after(this.#loaded)) {
      this.#loaded = saved.sequence;
      if (this.#isHopeless(saved)) this.#drop(saved);
      else if (!this.#isTaken(saved)) this.#take(this.#withPayer(saved));
    }
    this.#wake();
  }

  /** One that is not signed yet need not wait for a key that is gone, unless only that key will do. */
  #withPayer(saved: SavedSubmission): SavedSubmission {
    const hasKey = this.#payer(saved) !== undefined;
    if (hasKey || saved.signing !== undefined || saved.isPublic) return saved;
    const [payer] = this.#ports.payers;
    if (payer === undefined) return saved;
    this.#ports.database.write(() => {
      this.#submissions.move(saved.sequence, payer.address);
    });
    return { ...saved, payer: payer.address };
  }

  /** Only one key will do, and it is gone. */
  #isHopeless(saved: SavedSubmission): boolean {
    const { isPublic, signing } = saved;
    return isPublic && signing === undefined && !this.#payer(saved);
  }

  #drop(saved: SavedSubmission): void {
    const { digest, payer, sequence } = saved;
    if (digest === undefined) return;
    const end: PublicEnd = {
      digest,
      transaction: sentOf(saved, this.#submissions.dataOf(sequence)),
      place: undefined,
      contractAddress: undefined,
      failure: {
        type: "dropped",
        reason: `This node does not have the key of ${payer} any more.`,
      },
    };
    this.#ports.database.write(() => {
      this.#ports.onPublicEnd(end);
      this.#submissions.delete(sequence);
    });
    this.#ports.onPublicEnded();
  }

  #isTaken({ payer, sequence }: SavedSubmission): boolean {
    return this.#accounts.get(payer)?.has(sequence) === true;
  }

  #take(saved: SavedSubmission): void {
    const account = this.#accountOf(saved);
    const known = { job: account.add(saved), account };
    if (saved.digest !== undefined) this.#byDigest.set(saved.digest, known);
    for (const hash of saved.hashes) this.#byHash.set(hash, known);
  }

  #accountOf(saved: SavedSubmission): Account {
    const { payer: address, userName } = saved;
    const existing = this.#accounts.get(address);
    if (existing !== undefined) return existing;
    const account: Account = new Account(
      { ...this.#options, address, userName },
      {
        ...this.#ports,
        chain: this.#chain,
        submissions: this.#submissions,
        payer: this.#payer(saved),
        onTrouble: (payer, error) => {
          if (error === undefined) this.#troubles.delete(payer);
          else this.#troubles.set(payer, error.message);
          this.#ports.onTrouble(payer, error);
        },
        onSigned: (job) => {
          for (const hash of job.saved.hashes)
            this.#byHash.set(hash, { job, account });
        },
        onEnd: (job, isForgotten) => {
          this.#end(job);
          if (!isForgotten) return;
          this.#forget(job);
          // There are many users, and few of them have something to do.
          if (!account.isEmpty || userName === undefined) return;
          this.#accounts.delete(address);
          if (this.#troubles.delete(address))
            this.#ports.onTrouble(address, undefined);
          void account.stop();
        },
      },
    );
    this.#accounts.set(address, account);
    account.start();
    return account;
  }

  #payer({ payer: address, userName }: SavedSubmission): Payer | undefined {
    const { payers, wallet } = this.#ports;
    const known =
      userName === undefined
        ? payers.find((payer) => payer.address === address)
        : wallet.keyOf(userName);
    return known?.address === address ? known : undefined;
  }

  #wake(): void {
    for (const account of this.#accounts.values()) account.wake();
  }

  #tellAgain(job: Job): void {
    const { digest } = job.saved;
    if (digest === undefined) return;
    const { onProgress, onFailed } = this.#ports;
    if (isSigned(job)) onProgress(digest, "nonce");
    if (job.wasTaken) onProgress(digest, "submitted");
    if (job.failed === undefined) return;
    const { failure, reason, isRetryable } = job.failed;
    onFailed(digest, failure, reason, isRetryable);
  }

  #end({ saved, outcome, failed }: Job): void {
    if (saved.digest === undefined) return;
    const waiting = this.#waiting.get(saved.digest);
    if (waiting === undefined) return;
    const end: SubmissionEnd | undefined =
      failed !== undefined
        ? { type: "failed", reason: failed.reason }
        : outcome?.isSuccess === true
          ? { type: "mined", ...outcome }
          : undefined;
    if (end === undefined) return;
    this.#waiting.delete(saved.digest);
    for (const resolve of waiting) resolve(end);
  }

  #forget({ saved }: Job): void {
    if (saved.digest !== undefined) this.#byDigest.delete(saved.digest);
    for (const hash of saved.hashes) this.#byHash.delete(hash);
  }
}
