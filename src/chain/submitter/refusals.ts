import type { ChainError } from "../ports.ts";
import type { SignedJob } from "./job.ts";

/** A chain that mines on request may have no block for long. After so many idle times, each further one counts as a block. */
const QUIET_BEATS = 3;

/**
 * Which refusals are final. One message proves little: a node may refuse for the moment what it takes a block later. So the
 * same must be heard at several heights.
 */
export class Refusals {
  readonly #refusalsMax: number;
  #height = -1;
  #beats = 0;
  #epoch = 0;

  constructor({ refusalsMax }: { readonly refusalsMax: number }) {
    this.#refusalsMax = refusalsMax;
  }

  see(height: number): void {
    if (height === this.#height) return;
    this.#height = height;
    this.#beats = 0;
    this.#epoch++;
  }

  /** Nothing happened for a while. */
  beat(): void {
    if (++this.#beats >= QUIET_BEATS) this.#epoch++;
  }

  /** Whether a refusal is final. */
  refuse(job: SignedJob, { message }: ChainError): boolean {
    const times = (job.refusal?.times ?? 0) + 1;
    job.refusal = { epoch: this.#epoch, times };
    const { nonce } = job.saved.signing;
    job.held = `A node refuses nonce ${nonce} of ${job.saved.payer}: ${message}`;
    return times >= this.#refusalsMax;
  }

  /** Those that can be sent now: nothing behind a nonce that was refused at this height is mined before it. */
  sendable(jobs: readonly SignedJob[]): readonly SignedJob[] {
    const refused = jobs
      .filter(({ refusal }) => refusal?.epoch === this.#epoch)
      .filter(({ isDoomed }) => !isDoomed)
      .map(({ saved }) => saved.signing.nonce);
    const first = Math.min(...refused);
    return jobs.filter(({ saved }) => saved.signing.nonce < first);
  }
}
