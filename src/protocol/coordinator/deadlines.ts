import { nextRequest, type Turn } from "../turn.ts";
import { dissolve, isExpiring } from "./bundles.ts";
import { sendPermissionRequests } from "./dispatch.ts";
import { askEndorsers } from "./endorsements.ts";
import type { BundleWork } from "./model.ts";
import { noteOffence } from "./offences.ts";
import { sendPrepared } from "./preparation.ts";
import { giveUpRefused } from "./refusals.ts";
import { noteSilence } from "./silence.ts";
import { tellTransaction } from "./tell.ts";

/** Repeats what was not answered; gives up what takes too long. */
export function watchBundles(turn: Turn): void {
  const { coordinator, tick } = turn.node;
  const isOpen = (work: BundleWork): boolean =>
    coordinator.bundles.includes(work) ||
    coordinator.preparations.includes(work);
  for (const work of [...coordinator.bundles, ...coordinator.preparations]) {
    if (!isOpen(work)) continue;
    // What is permitted waits for nobody but those in front of it.
    const isWaiting =
      !work.isEndorsed || (work.isAsking && work.unpermitted.size > 0);
    const isOver = isExpiring(turn, work);
    if (isWaiting && (isOver || tick >= work.deadlineTick)) {
      // Blocks may come so fast that it never lasts until its deadline: then, too, those who hold it up leave it.
      giveUpOnBundle(turn, work);
    } else if (isOver) {
      dissolve(turn, work);
    } else if (isWaiting && tick >= work.dueTick) {
      work.tries += 1;
      work.dueTick = nextRequest(turn, work.tries, work.key);
      if (!work.isAsking) askEndorsers(turn, work);
      else if (work.isForUser) sendPrepared(turn, work);
      else sendPermissionRequests(turn, work);
    }
  }
}

/** Transactions of senders that do not answer go back to them; the others are bundled again. */
function giveUpOnBundle(turn: Turn, work: BundleWork): void {
  if (work.isAsking && turn.node.tick >= work.deadlineTick) {
    for (const sender of [...work.unpermitted]) {
      noteOffence(turn, sender);
      noteSilence(turn, sender, "permission");
    }
  } else if (work.isAsking) {
    for (const { intentId, sender } of work.bundle.steps) {
      const transaction = turn.node.coordinator.transactions.get(intentId);
      if (transaction !== undefined && work.unpermitted.has(sender)) {
        tellTransaction(turn, transaction, {
          type: "DispatchConfirmationRejected",
        });
      }
    }
  } else giveUpRefused(turn, work);
  dissolve(turn, work);
}
