import {
  bitmapWordOf,
  type Hex,
  type Transition,
} from "../../../ledger/index.ts";

// An upper bound of what `execute` costs, from the shape of the transition alone: no question to the node, and right also
// when it builds on what is not mined yet. Each number is the worst case of the EVM's prices (Osaka) for what the
// contract does, rounded up; a test compares it with real gas. What is not used is not paid.

/** The chain refuses transactions with more (EIP-7825). */
export const TRANSACTION_GAS_MAX = 16_777_216n;

const TRANSACTION = 21_000;
/** Proxy, committee, epoch, hashing of what has a fixed size, and the frame of the last event. */
const FIXED = 21_000;
/** `ecrecover` and the work around it. */
const SIGNATURE = 4_600;
/** One bit of the bitmap of signers, set or not, and the member in the code of the committee. */
const MEMBER = 150;
/** Hashing an intent, testing and setting its bit, and its event. */
const INTENT = 1_600;
/** A word of the bitmap that nobody used before; neighbours share one. */
const INTENT_WORD = 22_400;
const READ = 2_700;
/** An output in the place of an input: one slot that is in use, and both ids in the event. */
const REPLACED = 6_600;
/** An output in a register of its own: one new slot, and its id in the event. */
const OPENED = 23_600;

/** Gas that a transition without external calls can never exceed; undefined for one that has some: ask the node. */
export function executeGasMax(
  transition: Transition,
  { data, signers }: { readonly data: Hex; readonly signers: bigint },
): bigint | undefined {
  const { intents, inputs, reads, outputs, calls } = transition;
  if (calls.length > 0) return undefined;
  const words = intents.filter((id, i) => {
    const before = intents[i - 1];
    return before === undefined || bitmapWordOf(before) !== bitmapWordOf(id);
  }).length;
  const members = signers.toString(2);
  const signatures = members.replaceAll("0", "").length;
  const run =
    FIXED +
    SIGNATURE * signatures +
    MEMBER * members.length +
    INTENT * intents.length +
    INTENT_WORD * words +
    READ * reads.length +
    REPLACED * inputs.length +
    OPENED * (outputs.length - inputs.length) +
    memoryGas(data);
  // The proxy passes on 63 of 64 parts.
  const execution = Math.ceil((run * 64) / 63);
  return capped(TRANSACTION + calldataGas(data, execution));
}

/** A limit with room above an estimate: the chain may have moved on when the transaction runs. */
export function withMargin(estimate: bigint): bigint {
  const limit = estimate + estimate / 4n;
  return limit < TRANSACTION_GAS_MAX ? limit : TRANSACTION_GAS_MAX;
}

/** Calldata and execution together (EIP-7623): who runs little pays more for data. */
function calldataGas(data: Hex, execution: number): number {
  let zeroes = 0;
  for (let i = 2; i < data.length; i += 2)
    if (data.startsWith("00", i)) zeroes++;
  const tokens = zeroes + 4 * ((data.length - 2) / 2 - zeroes);
  return Math.max(4 * tokens + execution, 10 * tokens);
}

/** Memory for copies of the lists: hashes, events, and outputs come to less than three times the call. */
function memoryGas(data: Hex): number {
  const words = Math.ceil((3 * (data.length - 2)) / 64);
  return 3 * words + Math.ceil(words ** 2 / 512);
}

function capped(gas: number): bigint {
  const limit = BigInt(gas);
  return limit < TRANSACTION_GAS_MAX ? limit : TRANSACTION_GAS_MAX;
}
