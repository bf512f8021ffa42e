import type { SignedJob } from "./job.ts";

/** What is wrong with the nonces of a payer whose next one, on the chain, is `count`. */
export function planNonces(
  nonces: readonly number[],
  count: number,
): {
  /** None of them can be mined: the first one is missing. */
  readonly hole: boolean;
  /** Missing between them. */
  readonly gaps: readonly number[];
} {
  const taken = new Set(nonces);
  const gaps: number[] = [];
  const [lowest, highest] = [Math.min(...nonces), Math.max(...nonces)];
  for (let nonce = lowest + 1; nonce < highest; nonce++)
    if (!taken.has(nonce)) gaps.push(nonce);
  return { hole: nonces.length > 0 && lowest > count, gaps };
}

/** The first nonce that is neither used nor ours. */
export function nextNonce(jobs: readonly SignedJob[], count: number): number {
  return jobs.reduce(
    (next, { saved }) => Math.max(next, saved.signing.nonce + 1),
    count,
  );
}
