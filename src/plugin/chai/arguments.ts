import { inspect } from "node:util";

/** Says how values differ from those that are expected; undefined if they do not. */
export async function differenceOf(
  expected: readonly unknown[],
  actual: readonly unknown[],
): Promise<string | undefined> {
  if (expected.length !== actual.length)
    return `expected ${expected.length} arguments, but there are ${actual.length}: ${show(actual)}`;
  for (const [index, value] of expected.entries()) {
    const isSame = await isEqual(value, actual[index]);
    if (!isSame)
      return `argument ${index + 1} is ${show(actual[index])}, and not ${
        typeof value === "function" ? "what is asked for" : show(value)
      }`;
  }
  return undefined;
}

/** A value for messages. */
export function show(value: unknown): string {
  return inspect(value, { breakLength: Infinity, depth: 4 });
}

async function isEqual(expected: unknown, actual: unknown): Promise<boolean> {
  if (typeof expected === "function")
    return Reflect.apply(expected, undefined, [actual]) === true;
  if (isAddressable(expected))
    return await isEqual(await expected.getAddress(), actual);
  if (isIndexed(actual)) return await isPreimage(expected, actual.hash);
  if (expected instanceof Uint8Array)
    return actual === `0x${Buffer.from(expected).toString("hex")}`;
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      (await differenceOf(expected, Array.from(actual))) === undefined
    );
  if (typeof expected === "number" && typeof actual === "bigint")
    return Number.isSafeInteger(expected) && BigInt(expected) === actual;
  // Addresses and bytes are written in more than one way.
  if (isHex(expected) && isHex(actual))
    return expected.toLowerCase() === actual.toLowerCase();
  return Object.is(expected, actual);
}

function isAddressable(
  value: unknown,
): value is { getAddress(): Promise<string> } {
  return (
    typeof value === "object" &&
    value !== null &&
    "getAddress" in value &&
    typeof value.getAddress === "function"
  );
}

/** Texts and bytes that are indexed are on record only as their hash. */
function isIndexed(value: unknown): value is { readonly hash: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    "_isIndexed" in value &&
    "hash" in value
  );
}

async function isPreimage(expected: unknown, hash: string): Promise<boolean> {
  const { id, keccak256 } = await import("ethers");
  if (expected instanceof Uint8Array) return keccak256(expected) === hash;
  if (typeof expected !== "string") return false;
  return (
    id(expected) === hash || (isHex(expected) && keccak256(expected) === hash)
  );
}

function isHex(value: unknown): value is string {
  return typeof value === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(value);
}
