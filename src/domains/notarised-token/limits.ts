/** What one intent may be at most. A bundle that is full of the largest ones fits a message and the ledger's calldata. */
export const tokenLimits = {
  /** Coins that one step spends. */
  inputs: 16,
  /** Accounts that one lock pays. */
  recipients: 16,
  /** Bytes that a user adds to what he asks. */
  dataBytes: 1_024,
  /** Characters of the name and the symbol: for people to read. */
  nameLength: 64,
} as const;

/** What fits a `uint256`. */
export const AMOUNT_MAX = 2n ** 256n - 1n;
