import type { Digest, IntentId } from "../ids.ts";
import { raise, type Turn } from "../turn.ts";
import type { BundleWork, Coordinator } from "./model.ts";
import { tellTransaction } from "./tell.ts";
import type {
  CoordinatorTransaction,
  CoordinatorTransactionEvent,
} from "./transaction/model.ts";

/** The bundle that an answer is for. */
export function findBundle(
  { bundles, preparations }: Coordinator,
  key: string,
  digest: Digest,
): BundleWork | undefined {
  const isMeant = (work: BundleWork): boolean =>
    work.key === key && work.bundle.digest === digest;
  return bundles.find(isMeant) ?? preparations.find(isMeant);
}

/** Gives an event to every transaction in a bundle. */
export function tellAll(
  turn: Turn,
  { bundle }: BundleWork,
  event: CoordinatorTransactionEvent,
): void {
  for (const { intentId } of bundle.steps) {
    const transaction = turn.node.coordinator.transactions.get(intentId);
    if (transaction !== undefined) tellTransaction(turn, transaction, event);
  }
}

/** Too few blocks are left for it to be mined with certainty. */
export function isExpiring(turn: Turn, { bundle }: BundleWork): boolean {
  return !lastsForBundle(turn, bundle);
}

/** Whether enough blocks are left for a bundle to be endorsed, permitted and mined. */
export function lastsForBundle(
  { node }: Turn,
  { validUntil }: { readonly validUntil: number },
): boolean {
  const marginBlocks = Math.floor(node.config.validForBlocks / 4);
  return validUntil > node.height + marginBlocks;
}

/**
 * Takes a bundle apart, and those behind it, which may build on it. Steps that are still good are bundled again, in the
 * same order.
 */
export function dissolve(turn: Turn, work: BundleWork): void {
  const { coordinator } = turn.node;
  const { bundles, preparations, toPrepare } = coordinator;
  const bundled = work.isForUser ? preparations : bundles;
  const index = bundled.indexOf(work);
  if (index === -1) return;
  raise(turn, "BundleDissolved");
  const dissolved = bundled.splice(index, work.isForUser ? 1 : Infinity);
  const ids = dissolved.flatMap(({ bundle }) =>
    bundle.steps.map(({ intentId, signature }) => ({ intentId, signature })),
  );
  const good = ids.flatMap(
    ({ intentId, signature }): CoordinatorTransaction[] => {
      const transaction = coordinator.transactions.get(intentId);
      return transaction?.step?.signature === signature ? [transaction] : [];
    },
  );
  if (work.isForUser) for (const { id } of good) toPrepare.add(id);
  else
    coordinator.assembled = new Set([
      ...good.map(({ id }) => id),
      ...coordinator.assembled,
    ]);
  for (const transaction of good)
    tellTransaction(turn, transaction, { type: "Unbundled" });
}

/** Takes the bundle apart in which a transaction is that falls. */
export function dissolveBundleOf(turn: Turn, id: IntentId): void {
  const { bundles, preparations } = turn.node.coordinator;
  const holds = ({ ids }: BundleWork): boolean => ids.has(id);
  const work = bundles.find(holds) ?? preparations.find(holds);
  if (work !== undefined) dissolve(turn, work);
}
