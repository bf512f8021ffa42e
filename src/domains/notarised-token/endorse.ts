import type { DomainState, DomainStep, NewState } from "../domain.ts";
import { carryOut } from "./carry-out.ts";
import { readPayload } from "./intent.ts";
import { findForbidden } from "./rules.ts";
import { nodeOf } from "./words.ts";

/** Carries out a step again with the states that its sender chose. Only exactly the same will do. */
export function findFault(step: DomainStep): string | undefined {
  const { group, intentId, sender, payload } = step;
  const intent = readPayload(payload);
  if (intent === undefined) return "the intent makes no sense";
  if (nodeOf(intent.by) !== sender)
    return `${intent.by} is no identity of ${sender}`;
  if (step.reads.length > 0) return "a token reads nothing";
  if (step.calls.length > 0) return "a token calls nothing";
  const forbidden = findForbidden(intent, group);
  if (forbidden !== undefined) return forbidden;
  const result = carryOut(intent, step.inputs, intentId);
  if (result.type === "wrong") return result.reason;
  if (!areSame(step.outputs, result.outputs))
    return "it creates something else than its intent says";
  if (!areSame(step.infos, result.infos)) return "it notes something else";
  return undefined;
}

/** Everything but the ids, which are for the runtime to check. */
function areSame(
  given: readonly DomainState[],
  expected: readonly NewState[],
): boolean {
  return write(given) === write(expected);
}

function write(states: readonly NewState[]): string {
  return JSON.stringify(
    states.map(({ schema, label, data }) => [schema, label, data]),
  );
}
