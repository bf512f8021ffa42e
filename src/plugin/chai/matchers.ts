import { isPrivateContract } from "../domains/known-contracts.ts";
import { differenceOf, show } from "./arguments.ts";
import {
  assertLater,
  type ChaiParts,
  failAt,
  finishWith,
  foundBefore,
} from "./chain.ts";
import { checkConfirmed, checkReason } from "./intents.ts";
import { checkCustomError, checkEvent } from "./private-contracts.ts";

type Method = (this: Chai.AssertionStatic, ...args: unknown[]) => unknown;

/** Our methods, as they are in chai. */
const ours = new Map<string, unknown>();

/** Adds the matchers to chai, unless they are there. */
export function addMatchers(chai: ChaiParts): void {
  const { Assertion, util } = chai;
  const subjectOf = (assertion: object): unknown =>
    util.flag(assertion, "object");

  if (!("confirmed" in Assertion.prototype))
    Assertion.addProperty("confirmed", function () {
      const matcher = { name: "confirmed", what: "intent" };
      return assertLater(chai, this, matcher, checkConfirmed(subjectOf(this)));
    });

  addMethod("revertedWithReason", function (reason) {
    const matcher = { name: "revertedWithReason", what: "reason" };
    if (typeof reason !== "string" && !(reason instanceof RegExp))
      return failAt(
        chai,
        this,
      )(
        `revertedWithReason takes a text or a regular expression, and not ${show(reason)}.`,
      );
    const check = checkReason(subjectOf(this), reason);
    return assertLater(chai, this, matcher, check);
  });

  addMethod("revertedWithCustomError", function (contract, name) {
    if (!isPrivateContract(contract)) return undefined;
    const matcher = {
      name: "revertedWithCustomError",
      what: `custom error "${String(name)}"`,
    };
    const check = checkCustomError(subjectOf(this), contract, name);
    return assertLater(chai, this, matcher, check);
  });

  addMethod("emit", function (contract, name) {
    if (!isPrivateContract(contract)) return undefined;
    const matcher = { name: "emit", what: `event "${String(name)}"` };
    const check = checkEvent(subjectOf(this), contract, name);
    return assertLater(chai, this, matcher, check);
  });

  addMethod("withArgs", function (...expected) {
    const found = foundBefore(chai, this);
    if (found === undefined) return undefined;
    const fail = failAt(chai, this);
    const { what, lists } = found;
    if (util.flag(this, "negate") === true) {
      // Nobody waits for the matcher before any more.
      lists.catch(() => undefined);
      fail("withArgs cannot be combined with not.");
    }
    const compare = async (): Promise<void> => {
      const differences: string[] = [];
      for (const actual of await lists) {
        const difference = await differenceOf(expected, actual);
        if (difference === undefined) return;
        differences.push(difference);
      }
      const [first = "there is none", ...more] = differences;
      fail(
        more.length === 0
          ? `Expected ${what} with other arguments: ${first}.`
          : `Expected ${what} with arguments ${show(expected)}, but none of ${differences.length} has them: ${differences.join("; ")}.`,
      );
    };
    return finishWith(chai, this, compare());
  });

  /** Adds a method that handles what is ours, and gives everything else to the method that was there before. */
  function addMethod(name: string, method: Method): void {
    const present: unknown = Reflect.get(Assertion.prototype, name);
    if (present !== undefined && present === ours.get(name)) return;
    Assertion.overwriteMethod(
      name,
      (before: Method) =>
        function (this: Chai.AssertionStatic, ...args: unknown[]) {
          const handled = Reflect.apply(method, this, args);
          if (handled !== undefined) return handled;
          if (present !== undefined) return Reflect.apply(before, this, args);
          return failAt(
            chai,
            this,
          )(
            `"${name}" of hardhat-sequencer/chai takes private contracts only. For public ones, add @nomicfoundation/hardhat-ethers-chai-matchers to plugins in hardhat.config.ts.`,
          );
        },
    );
    ours.set(name, Reflect.get(Assertion.prototype, name));
  }
}
