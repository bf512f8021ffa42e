import type { Assembly, DomainState, DomainStep, NewState } from "../domain.ts";
import type { Pace } from "./evm/pace.ts";
import { type Lookup, StateMissing } from "./reader.ts";
import { transact } from "./transaction.ts";

/** Executes a step again, on nothing but the states that it names; undefined if it comes to exactly the same. */
export async function findFault(
  step: DomainStep,
  pace: Pace,
): Promise<string | undefined> {
  const { group, intentId: id, sender, payload, inputs, reads } = step;
  const lookup = lookupIn([...inputs, ...reads]);
  if (lookup === undefined) return "two states of one name";
  let assembly: Assembly;
  try {
    assembly = await transact({ group, id, sender, payload }, { lookup, pace });
  } catch (error) {
    if (error instanceof StateMissing)
      return `a state that the transaction needs: ${error.message}`;
    throw error;
  }
  if (assembly.type !== "assembled") return assembly.reason;
  return findDifference(step, assembly);
}

/** What is different about a step that should be the same. */
function findDifference(
  step: DomainStep,
  assembly: Extract<Assembly, { readonly type: "assembled" }>,
): string | undefined {
  const idsOf = (states: readonly DomainState[]) => states.map(({ id }) => id);
  const parts: Readonly<Record<string, readonly [unknown, unknown]>> = {
    spends: [idsOf(step.inputs), assembly.inputs],
    reads: [idsOf(step.reads), assembly.reads],
    creates: [contentsOf(step.outputs), contentsOf(assembly.outputs)],
    tells: [contentsOf(step.infos), contentsOf(assembly.infos ?? [])],
    calls: [callsOf(step.calls), callsOf(assembly.calls ?? [])],
  };
  const different = Object.entries(parts).find(
    ([, [told, found]]) => JSON.stringify(told) !== JSON.stringify(found),
  );
  return (
    different && `what it ${different[0]} is not what the transaction does`
  );
}

/** Finds states by name; undefined if a name stands for two. */
function lookupIn(states: readonly DomainState[]): Lookup | undefined {
  const keyOf = (schema: string, label: string) =>
    JSON.stringify([schema, label]);
  const named = new Map(
    states.map((state) => [keyOf(state.schema, state.label), state]),
  );
  if (named.size !== states.length) return undefined;
  return (schema, label) => named.get(keyOf(schema, label));
}

function contentsOf(states: readonly NewState[]): unknown[] {
  return states.map(({ schema, label, data }) => [schema, label, data]);
}

function callsOf(calls: DomainStep["calls"]): unknown[] {
  return calls.map(({ target, data, gasMin }) => [target, data, gasMin]);
}
