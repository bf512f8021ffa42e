/**
 * Mutants that change nothing anybody can observe but gas, so that no test can kill them. Each was looked at by a person
 * and carries its reason. An entry that fits no mutant any more fails the run.
 */
export interface Equivalent {
  readonly id: string;
  /** What the mutant replaces, so that an entry cannot drift to another mutant when lines move. */
  readonly original: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    id: "PrivacyGroup.sol:185:== to >=",
    original: "==",
    reason:
      "The count starts at zero, grows by one, and stops here as soon as it equals the length.",
  },
  {
    id: "PrivacyGroup.sol:192:!= to <",
    original: "!=",
    reason: "The loop never lets the count exceed the length.",
  },
  {
    id: "libraries/Committees.sol:12:2 to 1",
    original: "2",
    reason:
      "An encoding has two bytes more than whole words, so the division drops one more or less.",
  },
  {
    id: "libraries/Committees.sol:57:- to +",
    original: "-",
    reason:
      "An encoding has two bytes more than whole words, so the division drops four as it drops none.",
  },
  {
    id: "libraries/Committees.sol:44:0x3f to 0x40",
    original: "0x3f",
    reason:
      "An encoding has two bytes more than whole words, so both round up to the same word.",
  },
  {
    id: "libraries/ExternalCalls.sol:14:3000 to 2999",
    original: "3000",
    reason:
      "A call costs 2,700 and a few instructions; the number is that, rounded up, and any other above it does too.",
  },
  {
    id: "libraries/ExternalCalls.sol:14:3000 to 3001",
    original: "3000",
    reason:
      "A call costs 2,700 and a few instructions; the number is that, rounded up, and any other above it does too.",
  },
  {
    id: "libraries/IntentBitmap.sol:22:>> to <<",
    original: ">>",
    reason:
      "The loop sees that the word is not that of the first id, writes back what it read, and loads the right one.",
  },
  {
    id: "libraries/IntentBitmap.sol:22:8 to 7",
    original: "8",
    reason:
      "The loop sees that the word is not that of the first id, writes back what it read, and loads the right one.",
  },
  {
    id: "libraries/IntentBitmap.sol:22:8 to 9",
    original: "8",
    reason:
      "The loop sees that the word is not that of the first id, writes back what it read, and loads the right one.",
  },
  {
    id: "libraries/IntentBitmap.sol:26:if-true",
    original: "uint256(intentId) >> 8 != word",
    reason:
      "Writing a word back and loading it again changes nothing but the cost.",
  },
  {
    id: "libraries/TypedData.sol:73:if-false",
    original: "calls.length == 0",
    reason: "The hash of an empty list is the same; this only saves gas.",
  },
];
