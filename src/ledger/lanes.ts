import { type Brand, type Hex, toHex } from "./hex.ts";
import { type IntentId, parseIntentId, UINT64_MAX } from "./ids.ts";
import { describe, LedgerInputError } from "./input-error.ts";

// An intent id is a lane of 192 random bits followed by a series number of 64 bits. The ledger keeps one
// bit for each intent, 256 of them in a word of storage, and the word is the id without its last byte. So 256
// ids in a row, starting at a multiple of 256, share one word: the first pays 22,100 gas to open it, the
// others 5,000 or less. 192 bits keep two senders, who draw without asking each other, from ever meeting
// (2^96 lanes for an even chance), and say nothing about who drew them. Ids of one lane do have the same sender, as
// everybody can see: a sender that does not want to show that changes lanes, at the price of one new word.

/** The upper 192 bits of intent ids that one sender counts up in one group. */
export type Lane = Hex & Brand<`0x${string}`, "Lane">;

export const LANE_BYTES = 24;
const LANE_CHARACTERS = 2 + 2 * LANE_BYTES;

/** A lane from fresh random bytes, for example `crypto.getRandomValues(new Uint8Array(LANE_BYTES))`. */
export function laneFrom(randomBytes: Uint8Array): Lane {
  if (randomBytes.length !== LANE_BYTES) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `A lane needs ${LANE_BYTES} random bytes, but got ${randomBytes.length}.`,
    );
  }
  if (randomBytes.every((byte) => byte === 0)) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      "A lane of zeroes is not random. Pass bytes from a random source.",
    );
  }
  return toHex(randomBytes) as Lane;
}

/** A lane that was stored. */
export function parseLane(value: unknown, name = "lane"): Lane {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{48}$/.test(value)) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `${name} must be ${2 * LANE_BYTES} hexadecimal digits after "0x", but is ${describe(value)}.`,
    );
  }
  return value.toLowerCase() as Lane;
}

/** The id with number `series` in a lane. */
export function intentIdAt(lane: Lane, series: bigint): IntentId {
  if (series > UINT64_MAX) {
    throw new LedgerInputError(
      "LANE_EXHAUSTED",
      `Lane ${lane} has no number ${describe(series)}: its last is 2^64 - 1. Draw a new lane.`,
    );
  }
  if (series < 0n) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `A series number counts from 0, but is ${describe(series)}.`,
    );
  }
  return parseIntentId(lane + series.toString(16).padStart(16, "0"));
}

/** The lane of an id that was made by {@link intentIdAt}. */
export function laneOf(intentId: IntentId): Lane {
  return intentId.slice(0, LANE_CHARACTERS) as Lane;
}

/** The series number of an id that was made by {@link intentIdAt}. */
export function seriesOf(intentId: IntentId): bigint {
  return BigInt(`0x${intentId.slice(LANE_CHARACTERS)}`);
}

/** The word of the ledger's bitmap in which an intent has its bit. Put neighbours next to each other in a batch. */
export function bitmapWordOf(intentId: IntentId): Hex {
  return intentId.slice(0, 64) as Hex;
}
