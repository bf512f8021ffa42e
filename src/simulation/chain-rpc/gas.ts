import type { Hex } from "../../ledger/index.ts";
import type { EmittedLog } from "./block.ts";

// Gas is an estimate: no EVM runs here. It is right for plain transfers, and for the calls of the ledger it is between what the
// contract needs and the bound that submitters offer (`src/chain/submitter/gas.ts`).

const TRANSACTION = 21_000;
const CREATION = 32_000;
/** Proxy, committee, epoch, and hashing: what a call of a group costs whatever is in it. */
const CALL = 8_000;
/** Hashing and copying a word of calldata. */
const CALL_WORD = 6;
const LOG = 375;
const LOG_TOPIC = 375;
/** A state in a log was written too, to a slot that is in use. */
const LOG_WORD = 2_500;

/** What a chain charges before anything runs (EIP-2028), and the least that it charges at all (EIP-7623). */
export function intrinsicGas(
  data: Hex,
  isCreation: boolean,
): { readonly gas: bigint; readonly floor: bigint } {
  let zeroes = 0;
  for (let i = 2; i < data.length; i += 2)
    if (data.startsWith("00", i)) zeroes++;
  const bytes = (data.length - 2) / 2;
  const tokens = zeroes + 4 * (bytes - zeroes);
  const words = isCreation ? 2 * Math.ceil(bytes / 32) + CREATION : 0;
  return {
    gas: BigInt(TRANSACTION + 4 * tokens + words),
    floor: BigInt(TRANSACTION + 10 * tokens),
  };
}

/** What running a call costs, from its size and its logs. */
export function runGas(data: Hex, logs: readonly EmittedLog[]): bigint {
  const words = Math.ceil((data.length - 10) / 64);
  let gas = CALL + CALL_WORD * words;
  for (const { topics, data: logData } of logs)
    gas +=
      LOG + LOG_TOPIC * topics.length + LOG_WORD * ((logData.length - 2) / 64);
  return BigInt(gas);
}
