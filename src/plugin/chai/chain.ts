/** As much of chai as matchers need. */
export interface ChaiParts {
  readonly Assertion: Chai.AssertionStatic;
  readonly AssertionError: new (message: string) => Error;
  readonly util: Pick<Chai.ChaiUtils, "flag">;
}

/** Ends an assertion with a message. */
export type Fail = (message: string) => never;

/** What is asserted: resolves with lists of arguments, one of which `withArgs` must find. */
export type Check = (
  fail: Fail,
  isNegated: boolean,
) => Promise<readonly Arguments[]>;

type Arguments = readonly unknown[];

/** What `withArgs` needs to know of the matcher before it. */
export interface Found {
  /** For messages: `event "Transfer"`. */
  readonly what: string;
  readonly lists: Promise<readonly Arguments[]>;
}

const FOUND = "hardhat-sequencer:found";
const DONE = "hardhat-sequencer:done";
/** The flag by which `@nomicfoundation/hardhat-ethers-chai-matchers` knows that an assertion has a matcher already. */
const MATCHER = "previousMatcherName";

/** Makes an assertion wait for a check, after those that are in the chain before it. */
export function assertLater(
  chai: ChaiParts,
  assertion: object,
  matcher: { readonly name: string; readonly what: string },
  check: Check,
): object {
  const { util } = chai;
  const fail = failAt(chai, assertion);
  const before: unknown = util.flag(assertion, MATCHER);
  // Events may be listed: each looks at the same transaction.
  if (
    typeof before === "string" &&
    (before !== matcher.name || before !== "emit")
  ) {
    // Nobody waits for it any more.
    doneBefore(chai, assertion).catch(() => undefined);
    fail(
      `"${matcher.name}" cannot follow "${before}" in one expectation. Write two expectations.`,
    );
  }
  util.flag(assertion, MATCHER, matcher.name);
  const isNegated = util.flag(assertion, "negate") === true;
  const lists = doneBefore(chai, assertion).then(
    async () => await check(fail, isNegated),
  );
  const found: Found = { what: matcher.what, lists };
  util.flag(assertion, FOUND, found);
  return finishWith(chai, assertion, lists);
}

/** What the matcher before found, if it is one of ours. */
export function foundBefore(
  { util }: ChaiParts,
  assertion: object,
): Found | undefined {
  return util.flag(assertion, FOUND) as Found | undefined;
}

/** Whoever awaits the assertion awaits this. */
export function finishWith(
  { util }: ChaiParts,
  assertion: object,
  promise: Promise<unknown>,
): object {
  const done = promise.then(() => undefined);
  util.flag(assertion, DONE, done);
  return Object.assign(assertion, {
    then: done.then.bind(done),
    catch: done.catch.bind(done),
  });
}

/** Failures come later, and still show the line of the assertion. */
export function failAt(
  { util, AssertionError }: ChaiParts,
  assertion: object,
): Fail {
  const caller: unknown = util.flag(assertion, "ssfi");
  const place: { stack?: string } = {};
  Error.captureStackTrace(
    place,
    typeof caller === "function" ? caller : undefined,
  );
  const frames = (place.stack ?? "").split("\n").slice(1);
  return (message) => {
    const error = new AssertionError(message);
    error.stack = [`${error.name}: ${message}`, ...frames].join("\n");
    throw error;
  };
}

async function doneBefore(
  { util }: ChaiParts,
  assertion: object,
): Promise<void> {
  await (util.flag(assertion, DONE) as Promise<void> | undefined);
}
