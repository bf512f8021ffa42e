import type { Address } from "../../../ledger/index.ts";
import { inParallel } from "../parallel.ts";
import type { Failed, Outcome, SignedJob } from "./job.ts";
import { failureOf, findOutcome } from "./outcome.ts";
import type { AccountPorts, SubmitterOptions } from "./ports.ts";
import { type PublicEnd, publicEndOf, sentOf } from "./public-end.ts";

const RECEIPTS_AT_ONCE = 8;

/** What a look at the chain found out. */
export interface Findings {
  /** Somebody else used their nonces. */
  readonly foreign: readonly SignedJob[];
  /** Some nonce is used, and nobody knows yet by whom. */
  readonly areLooksLeft: boolean;
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

  /** Looks for those whose nonces are used. */
  async find(used: readonly SignedJob[], height: number): Promise<Findings> {
    const { chain, isIndexed, reverts } = this.#ports;
    const foreign: SignedJob[] = [];
    let areLooksLeft = false;
    await inParallel(used, RECEIPTS_AT_ONCE, async (job) => {
      const { hashes } = job.saved;
      const before = reverts();
      const found = await findOutcome(chain, hashes, { height, isIndexed });
      // The chain has moved: the next look is better.
      if (found === "later") return;
      if (found !== undefined) await this.#take(job, found, before);
      else if (++job.looks < this.#looksOf(job)) areLooksLeft = true;
      else foreign.push(job);
    });
    return { foreign, areLooksLeft };
  }

  /** Somebody else used the nonce of a user's transaction: it cannot happen, and is not tried with another nonce. */
  giveUp({ saved }: SignedJob): void {
    const { submissions } = this.#ports;
    const { digest, sequence, signing } = saved;
    if (digest === undefined) return;
    const reason = `Another transaction of ${this.#address} has its nonce, ${signing.nonce}. Send it again if it is still wanted.`;
    this.#tell({
      digest,
      transaction: sentOf(saved, submissions.dataOf(sequence)),
      place: undefined,
      contractAddress: undefined,
      failure: { type: "dropped", reason },
    });
  }

  #looksOf({ saved }: SignedJob): number {
    const { foreignLooks, foreignLooksPublic } = this.#options;
    return saved.isPublic ? foreignLooksPublic : foreignLooks;
  }

  async #take(job: SignedJob, outcome: Outcome, before: number): Promise<void> {
    const { chain, submissions, reverts } = this.#ports;
    const { saved, isDoomed } = job;
    const data = submissions.dataOf(saved.sequence);
    const { digest, to } = saved;
    const isGone = (): boolean =>
      before !== reverts() || job.outcome !== undefined;
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
    database.commit(() => {
      onPublicEnd(end);
    });
    onPublicEnded();
  }
}
