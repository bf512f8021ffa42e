import { parseHex } from "../../../ledger/index.ts";
import { type GroupAddress, parseGroupAddress } from "../../../protocol/ids.ts";
import { readStep } from "../../chain-rpc/contracts/read-calls.ts";
import type { ChainTransaction } from "../../chain-rpc/transaction.ts";
import type { SimulatedLedger } from "../../chain-rpc/ledger.ts";

/** What a transaction carries out. */
export interface Executed {
  readonly hash: string;
  readonly group: GroupAddress;
  readonly intents: readonly string[];
  readonly validUntil: number;
}

/** What a raw transaction carries out in a group; undefined if it does something else. */
export function executedBy(
  ledger: SimulatedLedger,
  raw: string,
): Executed | undefined {
  return executionIn(ledger.decode(parseHex(raw)));
}

/** The same for a transaction that waits. */
export function executionIn({
  hash,
  to,
  data,
  from,
}: Pick<ChainTransaction, "hash" | "to" | "data" | "from">):
  Executed | undefined {
  const group = parseGroupAddress(to);
  if (group === undefined) return undefined;
  const step = readStep(data, from);
  if (step?.type !== "Execute") return undefined;
  const { intents, validUntil } = step.transition;
  return { hash, group, intents, validUntil: Number(validUntil) };
}
