import {
  parseDigest,
  parseIntentId,
  parseNodeName,
  parsePlace,
  parseRequestKey,
  parseStateId,
  parseStepHash,
} from "./ids.ts";
import { limits } from "./limits.ts";
import type { AssembleOutcome, Message } from "./messages.ts";
import {
  count,
  countTo,
  digits,
  flag,
  listOf,
  maybe,
  object,
  oneOf,
  text,
  union,
  type Shape,
} from "./shape.ts";
import { lengthOfBundle } from "./size.ts";
import type {
  Bundle,
  Endorsement,
  Intent,
  Outline,
  SpeculativeView,
  Step,
} from "./transition.ts";
import { bundleFromWire, bundleToWire, fromWire, toWire } from "./wire-form.ts";

/** The version of the messages. A node answers none that it does not know. */
export const wireVersion = 3;

/** What came of reading a message: the message, or why it is dropped. */
export type Decoded =
  | { readonly type: "message"; readonly message: Message }
  | {
      readonly type: "dropped";
      readonly reason: "oversized" | "malformed" | "version" | "unknown";
    };

const reason = text(limits.reasonBytes);
const signature = text(1_024);
const ids = listOf(parseIntentId, limits.heartbeat);

const laneSalt = text(64);

const intent: Shape<Intent> = object({
  id: parseIntentId,
  laneSalt,
  payload: text(limits.contentBytes),
  dependsOn: listOf(parseIntentId, limits.dependsOn),
  touches: maybe(listOf(text(128), limits.states)),
  isPrepareOnly: flag,
});

const state = object({ id: parseStateId, content: text(limits.contentBytes) });

const placed = object({ id: parseStateId, place: parsePlace });

const calls = listOf(
  object({
    target: digits({ lengthMin: 40, lengthMax: 40 }),
    data: digits({ lengthMin: 0, lengthMax: limits.callDigits }),
    gasMin: countTo(limits.callsGas),
  }),
  limits.calls,
);

const step: Shape<Step> = object({
  intentId: parseIntentId,
  laneSalt,
  sender: parseNodeName,
  payload: text(limits.contentBytes),
  inputs: listOf(parseStateId, limits.states),
  reads: listOf(parseStateId, limits.states),
  outputs: listOf(state, limits.states),
  infos: listOf(state, limits.infos),
  calls,
  found: listOf(placed, 2 * limits.states),
  validUntil: count,
  salt: text(64),
  signature,
});

const bundle: Shape<Bundle> = object({
  steps: listOf(step, limits.bundle),
  places: listOf(placed, 2 * limits.bundle * limits.states),
  validUntil: count,
  digest: parseDigest,
});

const outline: Shape<Outline> = object({
  steps: listOf(
    object({
      intentId: parseIntentId,
      inputs: listOf(parseStateId, limits.states),
      reads: listOf(parseStateId, limits.states),
      outputs: listOf(object({ id: parseStateId }), limits.states),
      calls,
      hash: parseStepHash,
    }),
    limits.bundle,
  ),
  places: listOf(placed, 2 * limits.bundle * limits.states),
  validUntil: count,
  digest: parseDigest,
});

const endorsement: Shape<Endorsement> = object({
  endorser: parseNodeName,
  digest: parseDigest,
  signature,
});

const view: Shape<SpeculativeView> = object({
  created: listOf(state, limits.speculative * limits.states),
  spent: listOf(parseStateId, limits.speculative * limits.states),
});

const outcome: Shape<AssembleOutcome> = union({
  assembled: object({ type: oneOf("assembled"), id: parseIntentId, step }),
  reverted: object({ type: oneOf("reverted"), ...fieldsOfFailure() }),
  parked: object({ type: oneOf("parked"), ...fieldsOfFailure() }),
  postponed: object({ type: oneOf("postponed"), ...fieldsOfFailure() }),
  error: object({ type: oneOf("error"), ...fieldsOfFailure() }),
  unknown: object({ type: oneOf("unknown"), id: parseIntentId }),
});

function fieldsOfFailure(): {
  id: typeof parseIntentId;
  reason: typeof reason;
} {
  return { id: parseIntentId, reason };
}

const stage = oneOf(
  "pooled",
  "assembling",
  "endorsing",
  "confirming",
  "prepared",
  "dispatched",
  "sequenced",
  "submitted",
  "confirmed",
  "reverted",
);

/** The shape of every message, by its type. */
const shapes = {
  DelegationRequest: object({
    type: oneOf("DelegationRequest"),
    key: parseRequestKey,
    height: count,
    intents: listOf(intent, limits.delegation),
  }),
  DelegationAccepted: object({
    type: oneOf("DelegationAccepted"),
    key: parseRequestKey,
    ids,
    height: count,
  }),
  DelegationRejected: object({
    type: oneOf("DelegationRejected"),
    key: parseRequestKey,
    ids,
    height: count,
    reason: oneOf(
      "not-coordinator",
      "coordinator-behind",
      "sender-behind",
      "busy",
      "not-owner",
    ),
    active: maybe(parseNodeName),
  }),
  DelegationReturned: object({
    type: oneOf("DelegationReturned"),
    ids,
    height: count,
  }),
  AssembleRequest: object({
    type: oneOf("AssembleRequest"),
    key: parseRequestKey,
    ids: listOf(parseIntentId, limits.assembly),
    height: count,
    view,
  }),
  AssembleResponse: object({
    type: oneOf("AssembleResponse"),
    key: parseRequestKey,
    outcomes: listOf(outcome, limits.assembly),
  }),
  EndorsementRequest: object({
    type: oneOf("EndorsementRequest"),
    key: parseRequestKey,
    coordinator: parseNodeName,
    height: count,
    bundle,
    view,
  }),
  Endorsement: object({
    type: oneOf("Endorsement"),
    key: parseRequestKey,
    digest: parseDigest,
    signature,
  }),
  Refusal: object({
    type: oneOf("Refusal"),
    key: parseRequestKey,
    digest: parseDigest,
    height: count,
    reason: oneOf("not-coordinator", "busy", "invalid"),
    detail: reason,
    faults: listOf(
      object({ intentId: parseIntentId, detail: reason }),
      limits.bundle,
    ),
  }),
  DispatchPermissionRequest: object({
    type: oneOf("DispatchPermissionRequest"),
    key: parseRequestKey,
    ids: listOf(parseIntentId, limits.bundle),
    bundle: outline,
  }),
  DispatchPermission: object({
    type: oneOf("DispatchPermission"),
    key: parseRequestKey,
    digest: parseDigest,
    ids,
  }),
  DispatchDenial: object({
    type: oneOf("DispatchDenial"),
    key: parseRequestKey,
    digest: parseDigest,
    denied: listOf(
      object({
        id: parseIntentId,
        reason: oneOf(
          "not-delegate",
          "unknown",
          "settled",
          "changed",
          "prepare-only",
        ),
      }),
      limits.bundle,
    ),
  }),
  Dispatched: object({ type: oneOf("Dispatched"), digest: parseDigest, ids }),
  DispatchedAck: object({
    type: oneOf("DispatchedAck"),
    digest: parseDigest,
    ids,
  }),
  TransactionPrepared: object({
    type: oneOf("TransactionPrepared"),
    key: parseRequestKey,
    bundle,
    endorsements: listOf(endorsement, limits.endorsements),
  }),
  TransactionPreparedAck: object({
    type: oneOf("TransactionPreparedAck"),
    key: parseRequestKey,
    digest: parseDigest,
  }),
  TransactionReverted: object({
    type: oneOf("TransactionReverted"),
    digest: parseDigest,
    ids,
    reason,
  }),
  TransactionRefused: object({
    type: oneOf("TransactionRefused"),
    key: parseRequestKey,
    id: parseIntentId,
    reason,
  }),
  DependencyQuery: object({ type: oneOf("DependencyQuery"), ids }),
  DependencyFailed: object({ type: oneOf("DependencyFailed"), ids }),
  FulfilmentQuery: object({
    type: oneOf("FulfilmentQuery"),
    id: parseIntentId,
    digest: parseDigest,
  }),
  FulfilmentProof: object({
    type: oneOf("FulfilmentProof"),
    bundle: outline,
    step,
  }),
  Heartbeat: object({
    type: oneOf("Heartbeat"),
    state: oneOf("Elect", "Prepared", "Active", "Flush", "Closing"),
    boot: count,
    beat: count,
    height: count,
    transactions: listOf(
      object({ id: parseIntentId, stage }),
      limits.heartbeat,
    ),
    isComplete: flag,
  }),
  Suspicion: object({
    type: oneOf("Suspicion"),
    key: parseRequestKey,
    of: parseNodeName,
  }),
  Leaving: object({ type: oneOf("Leaving"), isOver: flag }),
  HandoverRequest: object({ type: oneOf("HandoverRequest"), height: count }),
  Handover: object({
    type: oneOf("Handover"),
    key: parseRequestKey,
    height: count,
    context: view,
    places: listOf(placed, limits.speculative * limits.states),
    flush: listOf(parseIntentId, limits.speculative),
    digests: listOf(parseDigest, limits.speculative),
    flushUntil: count,
  }),
  HandoverAck: object({ type: oneOf("HandoverAck"), key: parseRequestKey }),
} satisfies Readonly<Record<Message["type"], Shape<Message>>>;

const envelopeShape = object({ version: count });

/** A bundle as it is written, and whatever is around it. */
const bundleTextShape = object({
  message: object({
    bundle: (written: unknown) => bundle(bundleFromWire(written)),
  }),
});

const namedShape = object({ type: text(64) });

/** The shape of a message. */
export const messageShape: Shape<Message> = union(shapes);

/** Texts of bundles that went through this node, for those who keep them: to write a bundle down again is expensive. */
const texts = new WeakMap<Bundle, string>();

/** A message as text for the wire. */
export function encodeMessage(value: Message): string {
  const message = toWire(value);
  const wire = JSON.stringify({ version: wireVersion, message });
  if (value.type === "EndorsementRequest") texts.set(value.bundle, wire);
  return wire;
}

/** A bundle as text for the disk: the message in which it travelled, if there is little else in that. To be asked for once. */
export function bundleText(value: Bundle): string {
  const wire = texts.get(value);
  texts.delete(value);
  return wire !== undefined && wire.length <= 2 * lengthOfBundle(value)
    ? wire
    : JSON.stringify({ message: { bundle: bundleToWire(value) } });
}

/** Reads what `bundleText` gave; undefined if it is something else. */
export function decodeBundle(value: string): Bundle | undefined {
  const read = bundleTextShape(parse(value));
  return read?.message.bundle;
}

/** Reads a step that was written as JSON; undefined if it is something else. */
export function decodeStep(value: string): Step | undefined {
  return step(parse(value));
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Reads a message from the wire. It never throws: what is no message is dropped, with a reason to count. */
export function decodeMessage(wire: string): Decoded {
  if (wire.length > limits.messageBytes) return dropped("oversized");
  let parsed: unknown;
  try {
    parsed = JSON.parse(wire);
  } catch {
    return dropped("malformed");
  }
  const envelope = envelopeShape(parsed);
  if (envelope === undefined) return dropped("malformed");
  if (envelope.version !== wireVersion) return dropped("version");
  const body = (parsed as { readonly message?: unknown }).message;
  const read = messageShape(fromWire(body));
  if (read?.type === "EndorsementRequest") texts.set(read.bundle, wire);
  if (read !== undefined) return { type: "message", message: read };
  return dropped(isKnownType(body) ? "malformed" : "unknown");
}

function isKnownType(body: unknown): boolean {
  const named = namedShape(body);
  return named === undefined || Object.hasOwn(shapes, named.type);
}

function dropped(
  why: Extract<Decoded, { type: "dropped" }>["reason"],
): Decoded {
  return { type: "dropped", reason: why };
}
