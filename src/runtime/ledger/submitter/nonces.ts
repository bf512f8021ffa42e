import type { Chain } from "../chain.ts";
import type { SignedJob } from "./job.ts";
import type { Position } from "./orders.ts";

/** What is wrong with the nonces of a payer whose next one, on the chain, is `count`. */
export function planNonces(
  nonces: readonly number[],
  count: number,
): {
  /** Missing before the first of them: none can be mined. */
  readonly hole: readonly number[];
  /** Missing between them. */
  readonly gaps: readonly number[];
} {
  const taken = new Set(nonces);
  const gaps: number[] = [];
  const [lowest, highest] = [Math.min(...nonces), Math.max(...nonces)];
  for (let nonce = lowest + 1; nonce < highest; nonce++)
    if (!taken.has(nonce)) gaps.push(nonce);
  const missing = nonces.length === 0 ? 0 : Math.max(0, lowest - count);
  return { hole: Array.from({ length: missing }, (_, i) => count + i), gaps };
}

/**
 * The nonces that are missing so that none of these can be mined, or not all; "lost" if they had better get others. Below
 * ours none is missing, unless the chain lost what was there.
 */
export async function findGaps(
  waiting: readonly SignedJob[],
  { address, count }: Pick<Position, "address" | "count">,
  chain: Chain,
): Promise<readonly number[] | "lost"> {
  const nonces = waiting.map(({ saved }) => saved.signing.nonce);
  const { hole, gaps } = planNonces(nonces, count);
  if (hole.length === 0) return gaps;
  const pending = await chain.transactionCount(address, "pending");
  // Transactions of somebody else with this key may be on their way.
  if (pending >= Math.min(...nonces)) return gaps;
  // What is signed may still be somewhere. What must not happen twice keeps its nonce.
  const mustKeep = waiting.some(({ saved }) => saved.isPublic);
  return mustKeep ? [...hole, ...gaps] : "lost";
}

/** The first nonce that is neither used nor ours. */
export function nextNonce(jobs: readonly SignedJob[], count: number): number {
  return jobs.reduce(
    (next, { saved }) => Math.max(next, saved.signing.nonce + 1),
    count,
  );
}
