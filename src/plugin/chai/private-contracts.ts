import type { EventFragment } from "ethers";

import type { AnyPrivateContract } from "../domains/known-contracts.ts";
import type { Check, Fail } from "./chain.ts";
import { errorOf, eventsOf, outcomeOf } from "./outcome.ts";

/** The contract reverted with a custom error. */
export function checkCustomError(
  expected: unknown,
  contract: AnyPrivateContract,
  name: unknown,
): Check {
  return async (fail, isNegated) => {
    const { interface: abi } = contract;
    // Waited for in any case, so that its failure is nobody else's.
    const outcome = await outcomeOf(expected);
    if (typeof name !== "string" || !hasError(contract, name))
      return fail(`The contract has no custom error "${String(name)}".`);
    const wanted = `to revert with custom error "${name}"`;
    if (outcome.type !== "reverted")
      return isNegated
        ? []
        : fail(`Expected ${outcome.subject} ${wanted}, but it did not revert.`);
    const error = errorOf(outcome, abi);
    if (error?.name === name)
      return isNegated
        ? fail(`Expected ${outcome.subject} not ${wanted}, but it did.`)
        : [error.args];
    if (isNegated) return [];
    return fail(
      error === undefined
        ? `Expected ${outcome.subject} ${wanted}, but the reason is: ${outcome.reason}`
        : `Expected ${outcome.subject} ${wanted}, but it reverted with custom error "${error.name}".`,
    );
  };
}

/** The contract emitted an event in a private transaction. */
export function checkEvent(
  expected: unknown,
  contract: AnyPrivateContract,
  name: unknown,
): Check {
  return async (fail, isNegated) => {
    const { interface: abi, address } = contract;
    const outcome = await outcomeOf(expected);
    const { topicHash } = eventNamed(contract, name, fail);
    const wanted = `event "${String(name)}"`;
    if (outcome.type === "reverted")
      return fail(
        `Expected ${wanted} of ${outcome.subject}, but it reverted: ${outcome.reason}`,
      );
    const events =
      outcome.type === "confirmed" ? await eventsOf(outcome, abi) : undefined;
    if (events === undefined)
      return fail(
        `Expected a transaction of a private contract, but got ${outcome.subject}.`,
      );
    const lists = events
      .filter((event) => event.address === address)
      .filter(({ topics }) => topics[0] === topicHash)
      .map(
        (log): readonly unknown[] => abi.parseLog(log)?.args.toArray() ?? [],
      );
    if (lists.length === 0 && !isNegated)
      fail(`Expected ${wanted} to be emitted, but it was not.`);
    if (lists.length > 0 && isNegated)
      fail(`Expected ${wanted} not to be emitted, but it was.`);
    return lists;
  };
}

function hasError(
  { interface: abi }: AnyPrivateContract,
  name: string,
): boolean {
  let isKnown = false;
  abi.forEachError((error) => (isKnown ||= error.name === name));
  return isKnown;
}

function eventNamed(
  { interface: abi }: AnyPrivateContract,
  name: unknown,
  fail: Fail,
): EventFragment {
  const events: EventFragment[] = [];
  abi.forEachEvent((event) => {
    if (event.name === name || event.format("sighash") === name)
      events.push(event);
  });
  const [event] = events;
  if (event === undefined)
    return fail(`The contract has no event "${String(name)}".`);
  if (events.length > 1)
    return fail(
      `The contract has several events "${event.name}". Give the types too: ${events.map((one) => one.format("sighash")).join(", ")}.`,
    );
  if (event.anonymous)
    return fail(
      `Event "${event.name}" is anonymous, so nothing in a transaction says that it is this one.`,
    );
  return event;
}
