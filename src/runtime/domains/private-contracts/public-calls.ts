import { readAbi, toAddress } from "../../../ledger/abi-reader.ts";
import { LedgerInputError, parseBytes32 } from "../../../ledger/index.ts";
import type { PublicCall } from "../domain.ts";
import type { Log } from "./execution.ts";
import { hashOf } from "./values.ts";

const topic = hashOf("ExternalCall(address,bytes)");

/**
 * The public calls that private contracts ask for by emitting `event ExternalCall(address target, bytes data)`, in order. The
 * target may be indexed or not. Undefined if such an event has another shape.
 */
export function publicCallsOf(logs: readonly Log[]): PublicCall[] | undefined {
  try {
    return logs.filter(({ topics }) => topics[0] === topic).map(readEvent);
  } catch (error) {
    if (error instanceof LedgerInputError) return undefined;
    throw error;
  }
}

function readEvent({ topics: [, indexed], data }: Log): PublicCall {
  const read = readAbi(data);
  const target =
    indexed === undefined ? read.address() : toAddress(parseBytes32(indexed));
  return { target, data: read.bytes() };
}
