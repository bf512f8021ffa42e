import { packIds, packItems, unpackIds, unpackItems } from "./id-runs.ts";
import { limits } from "./limits.ts";
import type { AssembleOutcome, Message } from "./messages.ts";
import {
  packOutlines,
  packSteps,
  unpackOutlines,
  unpackSteps,
} from "./step-rows.ts";
import type { Bundle, Step } from "./transition.ts";

// Messages are shorter on the wire than in memory: ids are runs, and steps are rows.

/** A message as it is written. */
export function toWire(message: Message): object {
  if (message.type === "Heartbeat")
    return { ...message, transactions: packItems(message.transactions) };
  if (
    message.type === "EndorsementRequest" ||
    message.type === "TransactionPrepared"
  )
    return { ...message, bundle: bundleToWire(message.bundle) };
  if (message.type === "AssembleResponse")
    return { ...message, outcomes: outcomesToWire(message.outcomes) };
  if (message.type === "DispatchPermissionRequest") {
    const { ids, bundle } = message;
    const steps = packOutlines(bundle.steps);
    return { ...message, ids: packIds(ids), bundle: { ...bundle, steps } };
  }
  return "ids" in message ? { ...message, ids: packIds(message.ids) } : message;
}

/** A bundle as it is written. */
export function bundleToWire(bundle: Bundle): object {
  return { ...bundle, steps: packSteps(bundle.steps) };
}

/** Steps of an answer say themselves whose they are. */
function outcomesToWire(
  outcomes: readonly AssembleOutcome[],
): readonly object[] {
  const steps: Step[] = [];
  for (const outcome of outcomes)
    if (isPlain(outcome)) steps.push(outcome.step);
  const rows = packSteps(steps).values();
  return outcomes.map((outcome) =>
    isPlain(outcome)
      ? { type: outcome.type, step: rows.next().value }
      : outcome,
  );
}

function isPlain(
  outcome: AssembleOutcome,
): outcome is Extract<AssembleOutcome, { readonly type: "assembled" }> {
  return outcome.type === "assembled" && outcome.id === outcome.step.intentId;
}

/** Undoes `toWire`. Anything else is left as it is: it is still to be checked that this is a message. */
export function fromWire(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { type, ids, bundle, outcomes, transactions } = body;
  switch (type) {
    case "Heartbeat":
      return {
        ...body,
        transactions: unpackItems(transactions, limits.heartbeat),
      };
    case "EndorsementRequest":
    case "TransactionPrepared":
      return { ...body, bundle: bundleFromWire(bundle) };
    case "DispatchPermissionRequest":
      return {
        ...body,
        ids: unpackIds(ids, limits.heartbeat),
        bundle: isObject(bundle)
          ? { ...bundle, steps: unpackOutlines(bundle["steps"]) }
          : bundle,
      };
    case "AssembleResponse":
      return { ...body, outcomes: outcomesFromWire(outcomes) };
    default:
      return Object.hasOwn(body, "ids")
        ? { ...body, ids: unpackIds(ids, limits.heartbeat) }
        : body;
  }
}

/** Undoes `bundleToWire`, in the same way. */
export function bundleFromWire(bundle: unknown): unknown {
  return isObject(bundle)
    ? { ...bundle, steps: unpackSteps(bundle["steps"]) }
    : bundle;
}

function outcomesFromWire(outcomes: unknown): unknown {
  if (!Array.isArray(outcomes) || outcomes.length > limits.assembly)
    return outcomes;
  const isRow = (outcome: unknown): outcome is { readonly step: unknown } =>
    isObject(outcome) && Array.isArray(outcome["step"]);
  const steps = unpackSteps(outcomes.filter(isRow).map(({ step }) => step));
  if (!Array.isArray(steps)) return undefined;
  const read = (steps as readonly unknown[]).values();
  return outcomes.map((outcome: unknown): unknown => {
    if (!isRow(outcome)) return outcome;
    const step = read.next().value;
    const id = isObject(step) ? step["intentId"] : undefined;
    return { type: "assembled", id, step };
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
