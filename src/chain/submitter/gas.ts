import {
  bitmapWordOf,
  executeBytes,
  type Hex,
  type Transition,
} from "../../ledger/index.ts";

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

/** An external call: its hash, the code of its target and of what that delegates to, and the call itself. */
const CALL = 12_000;

/**
 * Gas that carrying out a transition can never exceed, as long as external calls need no more than they were signed for. Never
 * more than a transaction may have; endorsers refuse what needs more.
 */
export function executeGasMax(
  transition: Transition,
  { data, signers }: { readonly data: Hex; readonly signers: bigint },
): bigint {
  const members = signers.toString(2);
  return atMostTransaction(
    BigInt(
      gasOf(transition, {
        signatures: members.replaceAll("0", "").length,
        members: members.length,
        bytes: (data.length - 2) / 2,
        zeroes: zeroesIn(data),
      }),
    ),
  );
}

/** The same before anybody has signed: all members may, and every byte may be the expensive kind. There is no cap. */
export function executeGasWorst(
  transition: Transition,
  members: number,
): bigint {
  const bytes = executeBytes(transition, members);
  const gas = gasOf(transition, {
    signatures: members,
    members,
    bytes,
    zeroes: 0,
  });
  return BigInt(gas);
}

function gasOf(
  { intents, inputs, reads, outputs, calls }: Transition,
  {
    signatures,
    members,
    bytes,
    zeroes,
  }: {
    readonly signatures: number;
    readonly members: number;
    readonly bytes: number;
    readonly zeroes: number;
  },
): number {
  const words = intents.filter((id, i) => {
    const before = intents[i - 1];
    return before === undefined || bitmapWordOf(before) !== bitmapWordOf(id);
  }).length;
  // A call passes on 63 of 64 parts, and the ledger checks that this is enough.
  const called = calls.reduce(
    (sum, { gasMin }) => sum + CALL + partsOf64(Number(gasMin)),
    0,
  );
  const run =
    FIXED +
    SIGNATURE * signatures +
    MEMBER * members +
    INTENT * intents.length +
    INTENT_WORD * words +
    READ * reads.length +
    REPLACED * inputs.length +
    OPENED * (outputs.length - inputs.length) +
    called +
    memoryGas(bytes);
  // The proxy passes on 63 of 64 parts too.
  return TRANSACTION + calldataGas({ bytes, zeroes }, partsOf64(run));
}

/** The gas to have if 63 of 64 parts of it must be so much. */
function partsOf64(gas: number): number {
  return Math.ceil((gas * 64) / 63);
}

/** A limit with room above an estimate: the chain may have moved on when the transaction runs. */
export function withMargin(estimate: bigint): bigint {
  return atMostTransaction(estimate + estimate / 4n);
}

/** Calldata and execution together (EIP-7623): who runs little pays more for data. */
function calldataGas(
  { bytes, zeroes }: { readonly bytes: number; readonly zeroes: number },
  execution: number,
): number {
  const tokens = zeroes + 4 * (bytes - zeroes);
  return Math.max(4 * tokens + execution, 10 * tokens);
}

function zeroesIn(data: Hex): number {
  let zeroes = 0;
  for (let i = 2; i < data.length; i += 2)
    if (data.startsWith("00", i)) zeroes++;
  return zeroes;
}

/** Memory for copies of the lists: hashes, events, and outputs come to less than three times the call. */
function memoryGas(bytes: number): number {
  const words = Math.ceil((3 * bytes) / 32);
  return 3 * words + Math.ceil(words ** 2 / 512);
}

/** No more than the chain takes. */
export function atMostTransaction(gas: bigint): bigint {
  return gas < TRANSACTION_GAS_MAX ? gas : TRANSACTION_GAS_MAX;
}
