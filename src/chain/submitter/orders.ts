import type { Address } from "../../ledger/index.ts";
import type { SavedSubmission } from "../../store/submissions.ts";
import type { Chain } from "../chain.ts";
import type { Counts } from "./counts.ts";
import {
  bumpFees,
  capsOf,
  type Fees,
  firstFees,
  isOutbid,
  raiseCaps,
} from "./fees.ts";
import { explainHeld } from "./held.ts";
import {
  isSigned,
  isWaiting,
  type Job,
  mustBeEmptied,
  type SignedJob,
} from "./job.ts";
import { nextNonce } from "./nonces.ts";
import type { SubmitterOptions } from "./ports.ts";
import type { Order, Signer } from "./signer.ts";

/** How many new transactions are signed before they are saved and sent. */
export const SIGNATURES_AT_ONCE = 128;

/** The state of an account, as of the indexed block. */
export interface Position {
  readonly address: Address;
  readonly height: number;
  /** How many transactions it has sent. */
  readonly count: number;
}

/** What is to be signed now: replacements, fillers of gaps, and what is new, in this order. */
export async function takeOrders(
  jobs: readonly Job[],
  gaps: readonly { readonly nonce: number; readonly saved: SavedSubmission }[],
  { address, height, count }: Position,
  ports: {
    readonly options: SubmitterOptions;
    readonly chain: Chain;
    readonly signer: Signer;
    readonly counts: Counts;
  },
): Promise<readonly Order[]> {
  const { options, chain, signer } = ports;
  const signed = jobs.filter(isSigned);
  const waiting = signed.filter((job) => isWaiting(job, count));
  const room = Math.min(
    options.inFlightMax - waiting.length,
    SIGNATURES_AT_ONCE,
  );
  const fresh = jobs
    .filter((job) => !isSigned(job) && job.failed === undefined)
    .slice(0, Math.max(0, room));
  const stale = waiting.filter((job) => isStale(job, height, options));
  const replaced = [...new Set([...stale, ...waiting.filter(mustBeEmptied)])];
  if (fresh.length + replaced.length + gaps.length === 0) return [];

  const fees = await signer.feesAt(height);
  // Above the indexed block some may be mined already.
  const latest =
    replaced.length === 0
      ? count
      : await chain.transactionCount(address, "latest");
  const orders = replace(replaced, { fees, latest, height, options });
  for (const { nonce, saved } of gaps)
    orders.push({ saved, nonce, fees, isEmpty: true });
  if (fresh.length === 0) return orders;
  let nonce = nextNonce(signed, count);
  if (waiting.length === 0) {
    const pending = await ports.counts.pending(nonce);
    nonce = Math.max(nonce, pending);
  }
  for (const { saved } of fresh)
    orders.push({
      saved,
      nonce: nonce++,
      fees: firstFees(saved, fees),
      isEmpty: false,
    });
  return orders;
}

/** It was sent long ago, or a node wants more for it. */
function isStale(
  job: SignedJob,
  height: number,
  options: SubmitterOptions,
): boolean {
  return job.isUnderpriced || isDue(job, height, options);
}

function isDue(
  job: SignedJob,
  height: number,
  { resubmitBlocks }: SubmitterOptions,
): boolean {
  return job.isSent && height - job.sentAt >= resubmitBlocks;
}

/** The first in line always offers more; those behind it only if what they offer is less than what is usual. */
function replace(
  jobs: readonly SignedJob[],
  now: {
    readonly fees: Fees;
    readonly latest: number;
    readonly height: number;
    readonly options: SubmitterOptions;
  },
): Order[] {
  const orders: Order[] = [];
  const open = jobs.filter(({ saved }) => saved.signing.nonce >= now.latest);
  const first = Math.min(...open.map(({ saved }) => saved.signing.nonce));
  for (const job of open) {
    const { saved, isDoomed: isEmpty } = job;
    const { nonce } = saved.signing;
    const isOutbidNow = isOutbid(saved.signing, now.fees);
    const isNewEmpty = mustBeEmptied(job);
    const mustBump =
      job.isUnderpriced || isNewEmpty || nonce === first || isOutbidNow;
    // At most one raise for each block, unless it offers less than what is usual.
    const mayBump = job.raisedAt < now.height || isOutbidNow || isNewEmpty;
    if (mustBump && !mayBump) continue;
    const fees = mustBump ? raise(job, now) : undefined;
    if (fees !== undefined) {
      job.isUnderpriced = false;
      job.sentAt = now.height;
      orders.push({ saved, nonce, fees, isEmpty });
    } else if (isDue(job, now.height, now.options)) {
      // Without room for more it is sent again as it is, in case that it got lost.
      job.isUnderpriced = false;
      job.sentAt = now.height;
      job.isSent = false;
    }
  }
  return orders;
}

/** The fees of a replacement; undefined if something holds them back. */
function raise(
  job: SignedJob,
  {
    fees: usual,
    options,
  }: { readonly fees: Fees; readonly options: SubmitterOptions },
): Fees | undefined {
  const { saved, isDoomed: isEmpty } = job;
  const { signing } = saved;
  const caps = capsOf(saved, options.caps, { isEmpty });
  const limit = mustBeEmptied(job) ? caps : raiseCaps(caps, usual, options);
  const fees = bumpFees(signing, usual, limit);
  job.held = fees === undefined ? explainHeld(job, caps, limit) : undefined;
  return fees;
}
