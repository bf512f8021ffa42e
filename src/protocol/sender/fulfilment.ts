import type { Effect } from "../effects.ts";
import type { Digest, IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import type { MessageOf } from "../messages.ts";
import { hashingFor, outlineInItsEpoch } from "../outline.ts";
import type { Fulfilment } from "../records.ts";
import { trust } from "../suspicion.ts";
import type { Bundle } from "../transition.ts";
import {
  ignore,
  isMember,
  nextRequest,
  send,
  type Sequencer,
  type Turn,
} from "../turn.ts";
import { freeDependants } from "./dependencies.ts";
import { tell } from "./tell.ts";
import type { SenderTransaction } from "./transaction/model.ts";

type EffectOf<Type extends Effect["type"]> = Extract<
  Effect,
  { readonly type: Type }
>;

// Endorsers sign a step only for the node that owns the intent's id. A sender does not rely on that: it says "confirmed" only if
// the bundle on the ledger holds a step that it signed itself. It knows the bundles that it permitted, coordinated or endorsed;
// for any other bundle it asks the members, and checks their answer against the digest on the ledger.

const notOwnStep =
  "The ledger has the intent's id in a bundle without a step of this node";

/** The ledger has an intent that may be one of this node's own. */
export function seeFulfilled(
  turn: Turn,
  id: IntentId,
  fulfilment: Fulfilment,
): void {
  const transaction = turn.node.sender.transactions.get(id);
  if (transaction !== undefined) {
    const { permission } = transaction;
    if (permission?.digest === fulfilment.digest)
      trust(turn.node, permission.coordinator);
    const verdict = judge(turn.node, transaction, fulfilment.digest);
    if (verdict !== "own")
      tell(turn, transaction, { type: "FulfilledUnseen", fulfilment });
    if (verdict === "unseen") ask(turn, transaction);
    else settle(turn, transaction, fulfilment, verdict);
  }
  freeDependants(turn, id);
}

/** It is known whose step the ledger has. */
function settle(
  turn: Turn,
  transaction: SenderTransaction,
  { block }: Fulfilment,
  verdict: "own" | "foreign",
): void {
  if (verdict === "own")
    tell(turn, transaction, { type: "ConfirmedSuccess", block });
  else
    tell(turn, transaction, { type: "FulfilledByOther", reason: notOwnStep });
}

/** Whose step a bundle holds for an intent of this node, as far as it has seen the bundle. */
function judge(
  node: Sequencer,
  { id, permission, permitted, prepared }: SenderTransaction,
  digest: Digest,
): "own" | "foreign" | "unseen" {
  const isPermitted =
    permission?.digest === digest ||
    prepared?.bundle.digest === digest ||
    permitted.includes(digest);
  // Nothing is endorsed here whose sender does not own the id, and this node owns it.
  if (isPermitted || node.endorser.signed.byDigest.has(digest)) return "own";
  const step = bundleOf(node, digest)?.steps.find(
    ({ intentId }) => intentId === id,
  );
  if (step === undefined) return "unseen";
  return step.sender === node.config.self ? "own" : "foreign";
}

/** A bundle that this node dispatched. Its steps were checked before. */
function bundleOf(
  { coordinator }: Sequencer,
  digest: Digest,
): Bundle | undefined {
  return coordinator.dispatched.get(digest)?.record.bundle;
}

/** Asks all members what was in the bundle. */
function ask(turn: Turn, { id, fulfilment }: SenderTransaction): void {
  const { sender, config } = turn.node;
  const work = sender.unproven.get(id);
  if (work === undefined || fulfilment === undefined) return;
  work.dueTick = nextRequest(turn, work.tries, id);
  work.tries += 1;
  const { digest } = fulfilment;
  for (const member of config.members)
    if (member !== config.self)
      send(turn, member, { type: "FulfilmentQuery", id, digest });
}

/** Asks again, less and less often, for what nobody has shown. */
export function askForProofs(turn: Turn): void {
  const { sender, tick } = turn.node;
  for (const [id, { dueTick }] of sender.unproven) {
    const transaction = sender.transactions.get(id);
    if (transaction !== undefined && tick >= dueTick) ask(turn, transaction);
  }
}

/** A member wants to know whose step a bundle holds. The content of what this node endorsed is on its disk. */
export function receiveFulfilmentQuery(
  turn: Turn,
  from: NodeName,
  { id, digest }: MessageOf<"FulfilmentQuery">,
): void {
  const { endorser, tick } = turn.node;
  const last = endorser.shown.get(from);
  const shown = last?.tick === tick ? last : { tick, count: 0 };
  if (shown.count >= limits.shown) {
    ignore(turn, "too many questions");
    return;
  }
  shown.count += 1;
  endorser.shown.set(from, shown);
  turn.effects.push({ type: "ShowStep", to: from, id, digest });
}

/** The answer to such a question: the step, for the node that it names as its sender and for nobody else. */
export function proofFor(
  { config }: Pick<Sequencer, "config">,
  bundle: Bundle | undefined,
  { to, id }: Pick<EffectOf<"ShowStep">, "to" | "id">,
): MessageOf<"FulfilmentProof"> | undefined {
  const step = bundle?.steps.find(({ intentId }) => intentId === id);
  if (bundle === undefined || step?.sender !== to) return undefined;
  const outline = outlineInItsEpoch(config, bundle);
  return outline && { type: "FulfilmentProof", bundle: outline, step };
}

/** A member shows what was in the bundle. The runtime has checked the signature of a step that names this node as its sender. */
export function receiveFulfilmentProof(
  turn: Turn,
  from: NodeName,
  { bundle, step }: MessageOf<"FulfilmentProof">,
): void {
  const { node } = turn;
  const { config } = node;
  const { digest, steps } = bundle;
  const transaction = node.sender.transactions.get(step.intentId);
  const { fulfilment } = transaction ?? {};
  const isAsked = isMember(node, from) && fulfilment?.digest === digest;
  const hashing = isAsked ? hashingFor(config, bundle) : undefined;
  const isProof =
    hashing !== undefined &&
    steps.some(
      ({ intentId, hash }) =>
        intentId === step.intentId && hash === hashing.stepHash(step),
    );
  if (!isProof || transaction === undefined || fulfilment === undefined) {
    ignore(turn, "stale proof");
    return;
  }
  const verdict = step.sender === config.self ? "own" : "foreign";
  settle(turn, transaction, fulfilment, verdict);
}
