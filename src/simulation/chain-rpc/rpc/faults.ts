import type { Random } from "../../random.ts";

/** How likely each fault is, for one request that it can hit. */
export interface ChainFaults {
  /** `eth_getLogs` finds nothing. */
  readonly hideLogs: number;
  /** There is no receipt. */
  readonly loseReceipts: number;
  /** There is no such block. */
  readonly loseBlocks: number;
  /** A transaction is taken and forgotten. */
  readonly dropTransactions: number;
  /** Too many requests: HTTP status 429, or code -32005. */
  readonly rateLimit: number;
  /** The node answers that something went wrong inside it. */
  readonly fail: number;
  /** The request never arrives. */
  readonly loseRequests: number;
  /** The request has its effect, but the answer never arrives. */
  readonly loseAnswers: number;
  /** Nothing happens until the client gives up. */
  readonly hang: number;
  /** A number that cannot be true, as the head, a nonce, a fee or a balance. */
  readonly absurd: number;
  /** An answer that makes no sense. */
  readonly garble: number;
}

export type ChainFault = keyof ChainFaults;

export const noChainFaults: ChainFaults = {
  hideLogs: 0,
  loseReceipts: 0,
  loseBlocks: 0,
  dropTransactions: 0,
  rateLimit: 0,
  fail: 0,
  loseRequests: 0,
  loseAnswers: 0,
  hang: 0,
  absurd: 0,
  garble: 0,
};

const names: readonly ChainFault[] = [
  "hideLogs",
  "loseReceipts",
  "loseBlocks",
  "dropTransactions",
  "rateLimit",
  "fail",
  "loseRequests",
  "loseAnswers",
  "hang",
  "absurd",
  "garble",
];

const numbers: ReadonlySet<string> = new Set([
  "eth_blockNumber",
  "eth_estimateGas",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getTransactionCount",
  "eth_maxPriorityFeePerGas",
]);

/** Draws what goes wrong with a request; mostly nothing. */
export function drawFault(
  faults: ChainFaults,
  method: string,
  random: Random,
): ChainFault | undefined {
  return names.find(
    (fault) => canHit(fault, method) && random.chance(faults[fault]),
  );
}

function canHit(fault: ChainFault, method: string): boolean {
  switch (fault) {
    case "hideLogs":
      return method === "eth_getLogs";
    case "loseReceipts":
      return /Receipts?$/.test(method);
    case "loseBlocks":
      return method.startsWith("eth_getBlockBy");
    case "dropTransactions":
      return method === "eth_sendRawTransaction";
    case "absurd":
      return numbers.has(method);
    case "rateLimit":
    case "fail":
    case "loseRequests":
    case "loseAnswers":
    case "hang":
    case "garble":
      return true;
  }
}

export const ABSURD_NUMBER = `0x${(10n ** 10n).toString(16)}`;

/** No empty list among them: a node that says that there are no logs must be believed. */
export const garbage: readonly unknown[] = [
  "0x",
  "nonsense",
  7,
  {},
  [{}],
  { number: "0x", hash: null },
  true,
];
