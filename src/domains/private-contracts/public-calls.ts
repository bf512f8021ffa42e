import { readAbi, toAddress } from "../../ledger/abi-reader.ts";
import { LedgerInputError, parseBytes32 } from "../../ledger/index.ts";
import { limits } from "../../protocol/limits.ts";
import type { PublicCall } from "../domain.ts";
import type { Log } from "./execution.ts";
import { hashOf } from "./values.ts";

const topic = hashOf("ExternalCall(address,bytes)");
const topicWithGas = hashOf("ExternalCall(address,bytes,uint64)");

/** Gas for a call whose event names none, if there is so much: several times that of a transfer or an exchange of tokens. */
const gasDefault = 1_000_000;

type Wanted = Omit<PublicCall, "gasMin"> & {
  readonly gasMin: number | undefined;
};

/**
 * The public calls that private contracts ask for, in order, by emitting `event ExternalCall(address target, bytes data)`, or the
 * same with a third argument, `uint64 gasMin`. The target may be indexed or not. Undefined if such an event has another shape.
 */
export function publicCallsOf(logs: readonly Log[]): PublicCall[] | undefined {
  try {
    return withGas(
      logs.flatMap((log) => {
        const [kind] = log.topics;
        if (kind === topic) return [readEvent(log, false)];
        return kind === topicWithGas ? [readEvent(log, true)] : [];
      }),
    );
  } catch (error) {
    if (error instanceof LedgerInputError) return undefined;
    throw error;
  }
}

function readEvent(
  { topics: [, indexed], data }: Log,
  namesGas: boolean,
): Wanted {
  const read = readAbi(data);
  const target =
    indexed === undefined ? read.address() : toAddress(parseBytes32(indexed));
  return {
    target,
    data: read.bytes(),
    gasMin: namesGas ? Number(read.uint64()) : undefined,
  };
}

/** Calls that name no gas share evenly what the others leave, up to the default. */
function withGas(wanted: readonly Wanted[]): PublicCall[] {
  const named = wanted.reduce((sum, { gasMin = 0 }) => sum + gasMin, 0);
  const others = wanted.filter(({ gasMin }) => gasMin === undefined).length;
  const left = Math.max(0, limits.callsGas - named);
  const share = Math.min(gasDefault, Math.floor(left / others));
  return wanted.map((call) => ({ ...call, gasMin: call.gasMin ?? share }));
}
