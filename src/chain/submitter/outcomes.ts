import type { Address } from "../../ledger/index.ts";
import { inParallel } from "../parallel.ts";
import type { Failed, Job, Outcome, SignedJob } from "./job.ts";
import { isIndexedBlock } from "./indexed.ts";
import { findNonceUse, type NonceUse, searchFrom } from "./nonce-search.ts";
import { failureOf, findOutcome } from "./outcome.ts";
import type { AccountPorts, SubmitterOptions } from "./ports.ts";
import {
  foreignEndOf,
  type PublicEnd,
  publicEndOf,
  sentOf,
} from "./public-end.ts";

const RECEIPTS_AT_ONCE = 8;
/** Each search costs several requests. */
const SEARCHES_AT_ONCE = 4;
/** Receipts that come a moment later save a search. */
const LOOKS_BEFORE_SEARCH = 2;

/** What a look at the chain found out. */
export interface Findings {
  /** Somebody else used their nonces; they may get others. */
  readonly foreign: readonly SignedJob[];
  /** Their nonces are used, and it is not known yet by which transactions. */
  readonly unknown: readonly SignedJob[];
}

interface OutcomesPorts extends Omit<AccountPorts, "onFailed"> {
  readonly onFailed: (job: SignedJob, failed: Failed) => void;
  /** How often blocks were taken back. What was found before that may not hold after it. */
  readonly reverts: () => number;
}

/** Finds out what became of the transactions of one address. */
export class Outcomes {
  readonly #address: Address;
  readonly #options: SubmitterOptions;
  readonly #ports: OutcomesPorts;

  constructor(
    options: SubmitterOptions & { readonly address: Address },
    ports: OutcomesPorts,
  ) {
    this.#address = options.address;
    this.#options = options;
    this.#ports = ports;
  }

  /**
   * Looks for those whose nonces are used. A receipt that is not there proves nothing: only a transaction of somebody else,
   * in the block in which the nonce was used, does.
   */
  async find(used: readonly SignedJob[], height: number): Promise<Findings> {
    const { chain, isIndexed, reverts } = this.#ports;
    const missing: SignedJob[] = [];
    const before = reverts();
    await inParallel(used, RECEIPTS_AT_ONCE, async (job) => {
      const { hashes } = job.saved;
      const found = await findOutcome(chain, hashes, { height, isIndexed });
      // The chain has moved: the next look is better.
      if (found === "later") return;
      if (found === undefined) missing.push(job);
      else await this.#take(job, found, before);
    });
    const searched = missing
      .filter((job) => ++job.looks > LOOKS_BEFORE_SEARCH)
      .slice(0, SEARCHES_AT_ONCE);
    const foreign: SignedJob[] = [];
    await inParallel(searched, SEARCHES_AT_ONCE, async (job) => {
      const use = await this.#search(job, height);
      if (use === undefined || before !== reverts()) return;
      if (job.saved.isPublic && use !== "none") this.#giveUp(job, use);
      else foreign.push(job);
    });
    const isUnknown = (job: SignedJob): boolean =>
      job.outcome === undefined && !foreign.includes(job);
    return { foreign, unknown: missing.filter(isUnknown) };
  }

  /** Who else used the nonce, once that was found often enough; "none" if no transaction did, and it does not matter. */
  async #search(
    job: SignedJob,
    height: number,
  ): Promise<NonceUse | "none" | undefined> {
    const { chain, isIndexed } = this.#ports;
    const { hashes, signing, isPublic } = job.saved;
    job.search ??= searchFrom(height);
    const wanted = { address: this.#address, nonce: signing.nonce };
    const use = await findNonceUse(job.search, wanted, this.#ports);
    if (use === "more") return undefined;
    job.search = undefined;
    if (use === "none")
      return this.#isSure(job, use) && !isPublic ? use : undefined;
    const { block, blockHash, transactionHash } = use;
    const isOurs = hashes.includes(transactionHash);
    const place = { number: block, hash: blockHash };
    const index = { height, isIndexed };
    if (isOurs || !(await isIndexedBlock(chain, place, index))) {
      job.foreign = undefined;
      return undefined;
    }
    const found = `${transactionHash} ${blockHash}`;
    return this.#isSure(job, found) ? use : undefined;
  }

  /** One backend may be late or on another fork: the same must be found several times. */
  #isSure(job: SignedJob, found: string): boolean {
    const times = job.foreign?.found === found ? job.foreign.times + 1 : 1;
    job.foreign = { found, times };
    return times >= this.#options.foreignLooks;
  }

  /** Somebody else used the nonce of a user's transaction: it cannot happen, and is not tried with another nonce. */
  #giveUp(job: SignedJob, use: NonceUse): void {
    const { submissions, height } = this.#ports;
    const { digest, sequence } = job.saved;
    if (job.outcome !== undefined || use.block > height()) return;
    if (digest !== undefined)
      this.#tell(
        foreignEndOf(digest, job.saved, submissions.dataOf(sequence), use),
      );
    job.outcome = {
      ...use,
      isSuccess: false,
      hasLogs: false,
      contractAddress: undefined,
    };
    this.#ports.onEnd(job, false);
  }

  /** A user's transaction that no node took, and that has no nonce to be used up. */
  drop({ saved, failed }: Job): void {
    const { digest, sequence, isPublic } = saved;
    if (digest === undefined || !isPublic) return;
    const reason = failed?.reason ?? "No node took it.";
    this.#tell({
      digest,
      transaction: sentOf(saved, this.#ports.submissions.dataOf(sequence)),
      place: undefined,
      contractAddress: undefined,
      failure: { type: "dropped", reason },
    });
  }

  async #take(job: SignedJob, outcome: Outcome, before: number): Promise<void> {
    const { chain, submissions, reverts, height } = this.#ports;
    const { saved, isDoomed } = job;
    const data = submissions.dataOf(saved.sequence);
    const { digest, to } = saved;
    const isGone = (): boolean =>
      before !== reverts() ||
      job.outcome !== undefined ||
      outcome.block > height();
    if (saved.isPublic && digest !== undefined) {
      const wanted = { digest, saved, data, reason: job.failed?.reason };
      const end = await publicEndOf(chain, wanted, outcome);
      if (isGone()) return;
      this.#tell(end);
      job.outcome = outcome;
    } else {
      const call = { from: this.#address, to, data };
      const failed =
        job.failed ?? (await failureOf(chain, call, outcome, isDoomed));
      if (isGone()) return;
      job.outcome = outcome;
      if (failed !== undefined && job.failed === undefined)
        this.#ports.onFailed(job, failed);
    }
    this.#ports.onEnd(job, false);
  }

  #tell(end: PublicEnd): void {
    const { database, onPublicEnd, onPublicEnded } = this.#ports;
    database.write(() => {
      onPublicEnd(end);
    });
    onPublicEnded();
  }
}
