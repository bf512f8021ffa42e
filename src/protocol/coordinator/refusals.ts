import type { IntentId, NodeName } from "../ids.ts";
import type { MessageOf } from "../messages.ts";
import { ignore, nextTry, rangeOf, type Turn } from "../turn.ts";
import { dissolve, findBundle } from "./bundles.ts";
import type { BundleWork } from "./model.ts";
import { noteOffence } from "./offences.ts";
import { returnTo } from "./silence.ts";
import { tellTransaction } from "./tell.ts";

/** An endorser refused. */
export function receiveRefusal(
  turn: Turn,
  from: NodeName,
  message: MessageOf<"Refusal">,
): void {
  const { node } = turn;
  const { coordinator, config } = node;
  const work = findBundle(coordinator, message.key, message.digest);
  if (
    work === undefined ||
    work.isEndorsed ||
    !config.committee.includes(from)
  ) {
    ignore(turn, "stale refusal");
    return;
  }
  const { reason, detail, faults, height } = message;
  if (reason === "invalid") {
    work.endorsements.delete(from);
    work.refusals.set(from, { detail, faults });
    decide(turn, work);
    return;
  }
  // The endorser is ahead: the boundary will reach this node too. Behind, or busy: it is asked again soon.
  const isAhead = rangeOf(node, height) > rangeOf(node, node.height);
  work.dueTick = isAhead
    ? nextTry(turn, work.tries + 1, work.key)
    : Math.min(work.dueTick, nextTry(turn, work.tries, work.key));
}

/**
 * Once too few are left who may still endorse a bundle, it is taken apart. A step falls if more endorsers blame it than the
 * group can spare: then at least one of them is honest. As long as answers to come may show which, it waits for them.
 */
function decide(turn: Turn, work: BundleWork): void {
  const { committee, threshold } = turn.node.config;
  const spare = committee.length - threshold;
  const { refusals, endorsements } = work;
  if (refusals.size <= spare) return;
  const blame = blameOf(work);
  const most = Math.max(0, ...[...blame.values()].map((by) => by.length));
  const unheard = committee.length - refusals.size - endorsements.size;
  if (most > spare) rejectBlamed(turn, work, blame, spare);
  else if (most + unheard > spare) return;
  else separate(turn, work, blame);
  dissolve(turn, work);
}

/** Not enough endorsers answered in time, and some of those who did refused: what they blame is tried by itself. */
export function giveUpRefused(turn: Turn, work: BundleWork): void {
  const { refusals, endorsements, bundle } = work;
  if (refusals.size === 0) return;
  const [only, ...others] = bundle.steps;
  if (others.length > 0) {
    separate(turn, work, blameOf(work));
    return;
  }
  // The others may never answer: more of those who did are against it than for it. Nobody knows yet who is right.
  if (only === undefined || refusals.size <= endorsements.size) return;
  noteOffence(turn, only.sender);
  returnTo(turn, only.sender, [only.intentId]);
}

/** What endorsers say about the steps that they blame. A refusal of a single step means that step. */
function blameOf({
  refusals,
  bundle: { steps },
}: BundleWork): Map<IntentId, string[]> {
  const blame = new Map<IntentId, string[]>();
  const [only] = steps;
  for (const { detail, faults } of refusals.values()) {
    const said =
      only !== undefined && steps.length === 1
        ? new Map([[only.intentId, detail]])
        : new Map(faults.map((fault) => [fault.intentId, fault.detail]));
    for (const [id, why] of said) {
      const before = blame.get(id);
      if (before === undefined) blame.set(id, [why]);
      else before.push(why);
    }
  }
  return blame;
}

function rejectBlamed(
  turn: Turn,
  { bundle }: BundleWork,
  blame: ReadonlyMap<IntentId, readonly string[]>,
  spare: number,
): void {
  for (const { intentId, sender } of bundle.steps) {
    const said = blame.get(intentId) ?? [];
    const transaction = turn.node.coordinator.transactions.get(intentId);
    if (said.length <= spare || transaction === undefined) continue;
    const detail = mostCommon(said);
    // What was built on a step that fell has fallen with it, and is not to blame.
    if (
      tellTransaction(turn, transaction, { type: "EndorsedRejected", detail })
    )
      noteOffence(turn, sender);
  }
}

function mostCommon(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return texts.find((text) => counts.get(text) === most) ?? "";
}

/** Nobody knows which step is at fault: those that anybody blames go alone; if nobody blames any, half as many together. */
function separate(
  { node }: Turn,
  { bundle: { steps } }: BundleWork,
  blame: ReadonlyMap<IntentId, unknown>,
): void {
  const blamed = steps.filter(({ intentId }) => blame.has(intentId));
  const suspects = blamed.length === 0 ? steps : blamed;
  const companyMax = blamed.length === 0 ? Math.ceil(steps.length / 2) : 1;
  for (const { intentId } of suspects) {
    const transaction = node.coordinator.transactions.get(intentId);
    if (transaction !== undefined) transaction.companyMax = companyMax;
  }
}
