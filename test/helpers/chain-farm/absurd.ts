import type { Random } from "../random.ts";
import type { Answer } from "./record.ts";

const HUGE = `0x${(10n ** 10n).toString(16)}`;
/** Too large to count with. */
const ENORMOUS = `0x${(2n ** 200n).toString(16)}`;

/** Methods that are answered with one number. */
const numberMethods: ReadonlySet<string> = new Set([
  "eth_chainId",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getTransactionCount",
  "eth_estimateGas",
  "eth_maxPriorityFeePerGas",
]);

/** Of each kind of object the numbers that may be wrong. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  eth_getBlockByNumber: ["number", "timestamp", "baseFeePerGas"],
  eth_getBlockByHash: ["number", "timestamp"],
  eth_getTransactionReceipt: ["blockNumber", "transactionIndex"],
};

/** Answers that are no answers. */
const nonsense: readonly unknown[] = ["banana", "0x", 7, {}, []];

/** Whether there are absurd answers to a method. */
export function canBeAbsurd(method: string): boolean {
  return (
    numberMethods.has(method) || method in fieldsOf || method === "eth_getLogs"
  );
}

/** What a backend that has gone mad answers instead: nonsense, or a number that cannot be true. */
export function absurdAnswer(
  method: string,
  answer: unknown,
  random: Random,
): unknown {
  const junk = random.pick(nonsense);
  const isNonsense = random.chance(0.3);
  const number = random.pick([HUGE, ENORMOUS]);
  const field = random.below(3);
  // Nothing found is no nonsense.
  if (method === "eth_getLogs") return junk === nonsense[4] ? {} : junk;
  if (isNonsense) return junk;
  if (numberMethods.has(method)) return number;
  const names = fieldsOf[method] ?? [];
  const name = names[field % names.length];
  return answer === null || name === undefined
    ? answer
    : { ...(answer as Answer), [name]: number };
}
