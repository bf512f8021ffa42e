/** What is wrong with a value that came from outside. Tests and callers check the code, never the text. */
export type LedgerInputCode =
  | "INVALID_VALUE"
  | "LANE_EXHAUSTED"
  | "NO_INTENT"
  | "DUPLICATE_INTENT"
  | "SHARED_REGISTER"
  | "INPUTS_NOT_ASCENDING"
  | "INPUT_WITHOUT_SUCCESSOR"
  | "TRANSITION_TOO_LARGE"
  | "INVALID_COMMITTEE"
  | "INVALID_SIGNATURE"
  | "UNKNOWN_MEMBER"
  | "CONFLICTING_ENDORSEMENTS"
  | "MALFORMED_DATA";

/** A value that the ledger could never accept. The message names it and says what to do. */
export class LedgerInputError extends Error {
  override readonly name = "LedgerInputError";
  readonly code: LedgerInputCode;

  constructor(code: LedgerInputCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const SHOWN_CHARACTERS = 18;

/**
 * A short description of any value, for messages. It never runs code of the value, and shows only the
 * beginning of a string: what was passed by mistake may be a key, or a megabyte long.
 */
export function describe(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length <= SHOWN_CHARACTERS
        ? JSON.stringify(value)
        : `${JSON.stringify(value.slice(0, SHOWN_CHARACTERS))}… (${value.length} characters)`;
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
    case "bigint":
      return describeBigint(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? `a list of ${value.length}` : "an object";
    case "symbol":
    case "function":
      return `a ${typeof value}`;
  }
}

function describeBigint(value: bigint): string {
  // Printing a huge number takes quadratic time, so those are only named.
  const isShort = BigInt.asIntN(256, value) === value;
  return isShort ? `${value.toString()}n` : "a number beyond 256 bits";
}
