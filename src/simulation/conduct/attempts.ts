import type { Effect } from "../../protocol/effects.ts";
import type {
  Digest,
  IntentId,
  NodeName,
  RequestKey,
} from "../../protocol/ids.ts";
import type { MessageOf } from "../../protocol/messages.ts";
import type { IntentRecord } from "../../protocol/records.ts";
import { intentOn } from "../disk.ts";
import type { SimulatedNode } from "../node.ts";
import { Violation } from "../violation.ts";

/** What a sender has tried last with its intents, since it started. */
export interface Attempts {
  /** The last request with which an intent was delegated; it may be repeated. */
  readonly delegated: Map<IntentId, RequestKey>;
  /** The request that an intent was assembled for, until it is delegated again. */
  readonly assembled: Map<IntentId, RequestKey>;
  /** The bundle that it permitted; undefined if that failed, or it is assembled anew. */
  readonly permitted: Map<IntentId, Digest | undefined>;
}

export function startAttempts(): Attempts {
  return {
    delegated: new Map(),
    assembled: new Map(),
    permitted: new Map(),
  };
}

/** Takes note of what a node does, after it is checked. */
export function noteAttempts(
  { delegated, assembled, permitted }: Attempts,
  { disk }: SimulatedNode,
  effects: readonly Effect[],
): void {
  for (const effect of effects) {
    if (effect.type === "Assemble")
      for (const { id } of effect.intents) permitted.set(id, undefined);
    if (effect.type === "Save" && effect.record.kind === "intent") {
      const { intent, permission, isDispatched } = effect.record;
      const before = intentOn(disk.records, intent.id);
      if (
        permission !== undefined &&
        // What was dispatched is open again, whatever was assembled since; the disk may not have that yet.
        (isDispatched || permission.attempt !== before?.permission?.attempt)
      )
        permitted.set(intent.id, permission.digest);
      if (hasFailed(before, effect.record)) permitted.set(intent.id, undefined);
    }
    if (effect.type !== "Send") continue;
    const { message } = effect;
    if (message.type === "DelegationRequest")
      for (const { id } of message.intents) {
        // What a node sends when it starts is not seen here: then this is the same one again.
        const before = delegated.get(id) ?? message.key;
        if (before !== message.key) assembled.delete(id);
        delegated.set(id, message.key);
      }
    // A late request may have had it assembled again since, which changed nothing.
    if (message.type === "DispatchPermission")
      for (const id of message.ids) permitted.set(id, message.digest);
    if (message.type === "AssembleResponse")
      for (const { type, id } of message.outcomes)
        if (type === "assembled") assembled.set(id, message.key);
  }
}

/** S41: a failure counts against the attempt that it speaks of, and only once. */
export function checkBlamed(
  node: SimulatedNode,
  from: NodeName,
  message: MessageOf<"TransactionReverted" | "TransactionRefused">,
  effects: readonly Effect[],
  { assembled, permitted }: Attempts,
): void {
  for (const effect of effects) {
    if (effect.type !== "Save" || effect.record.kind !== "intent") continue;
    const { id } = effect.record.intent;
    const before = intentOn(node.disk.records, id);
    if (!hasFailed(before, effect.record)) continue;
    if (message.type === "TransactionRefused") {
      if (message.id !== id || assembled.get(id) === message.key) continue;
    } else {
      if (!message.ids.includes(id)) continue;
      const { permission, isDispatched } = before ?? {};
      const { digest } = message;
      const isOpen =
        isDispatched === true ||
        !permitted.has(id) ||
        permitted.get(id) === digest;
      if (
        isOpen &&
        permission?.digest === digest &&
        permission.coordinator === from
      )
        continue;
    }
    throw new Violation(
      "S41",
      `${node.name} blames ${id.slice(0, 10)} for what failed before`,
    );
  }
}

/** Whether a failure was counted, or ends it. */
function hasFailed(
  before: IntentRecord | undefined,
  { retries, isDoomed, receipt }: IntentRecord,
): boolean {
  if (before === undefined) return false;
  return (
    retries > before.retries ||
    (isDoomed && !before.isDoomed) ||
    (receipt?.type === "Reverted" && before.receipt === undefined)
  );
}
