import { ChainMoved } from "../worker.ts";
import type { Counts } from "./counts.ts";
import type { SignedJob } from "./job.ts";

/** So many missing nonces in a row are filled up at most: each costs a transaction. */
const MISSING_MAX = 1_024;
/** So often nonces must be seen to be missing below ours before something is done: a node may be late. */
const HOLE_LOOKS = 5;

/** What is wrong with the nonces of a payer whose next one, on the chain, is `count`. */
export interface NoncePlan {
  /** Missing before the first of them: none can be mined. */
  readonly hole: readonly number[];
  /** Missing between them. */
  readonly gaps: readonly number[];
  /** From this nonce on, more are missing than can be filled up. */
  readonly adriftFrom: number | undefined;
}

export function planNonces(
  nonces: readonly number[],
  count: number,
): NoncePlan {
  const hole: number[] = [];
  const gaps: number[] = [];
  let next = count;
  for (const nonce of nonces.toSorted((a, b) => a - b)) {
    if (nonce - next > MISSING_MAX) return { hole, gaps, adriftFrom: nonce };
    const missing = next === count ? hole : gaps;
    for (; next < nonce; next++) missing.push(next);
    next = Math.max(next, nonce + 1);
  }
  return { hole, gaps, adriftFrom: undefined };
}

/** What to do about nonces that are missing. */
export interface Repair {
  /** To be used up by transfers of nothing. */
  readonly fill: readonly number[];
  /** To get other nonces. */
  readonly renumber: readonly SignedJob[];
}

const NOTHING: Repair = { fill: [], renumber: [] };

/** Finds nonces that nobody will use. Below ours none is missing, unless the chain lost transactions. */
export class NonceRepairs {
  readonly #counts: Counts;
  #looks = 0;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  async find(waiting: readonly SignedJob[], count: number): Promise<Repair> {
    const nonces = waiting.map(({ saved }) => saved.signing.nonce);
    const plan = planNonces(nonces, count);
    const { hole, gaps, adriftFrom = Infinity } = plan;
    const first = hole.length > 0 ? Math.min(...nonces) : adriftFrom;
    const isWhole = first === Infinity;
    // Transactions of somebody else with this key may be on their way.
    if (isWhole || (await this.#counts.pending(count)) >= first) {
      this.#looks = 0;
      return { ...NOTHING, fill: gaps };
    }
    if (++this.#looks < HOLE_LOOKS)
      throw new ChainMoved(
        `Nonces from ${hole[0] ?? count} on are missing before nonce ${first}.`,
      );
    this.#looks = 0;
    const adrift = waiting.filter(
      ({ saved }) => saved.signing.nonce >= adriftFrom,
    );
    if (hole.length === 0) return { fill: gaps, renumber: adrift };
    // What is signed may still be somewhere. What must not happen twice keeps its nonce, if that can ever be reached.
    const mustKeep = waiting.some(
      (job) => job.saved.isPublic && !adrift.includes(job),
    );
    return mustKeep
      ? { fill: [...hole, ...gaps], renumber: adrift }
      : { fill: [], renumber: waiting };
  }
}

/** The first nonce that is neither used nor ours. */
export function nextNonce(jobs: readonly SignedJob[], count: number): number {
  return jobs.reduce(
    (next, { saved }) => Math.max(next, saved.signing.nonce + 1),
    count,
  );
}
