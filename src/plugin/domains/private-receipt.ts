import { getAddress, type Interface } from "ethers";

import type { Log } from "../../runtime/domains/private-contracts/execution.ts";
import { readInfo } from "../../runtime/domains/private-contracts/info.ts";
import type { ConfirmedReceipt, SentIntent } from "../connection/types.ts";

/** A private transaction that happened. */
export interface PrivateReceipt extends ConfirmedReceipt {
  /** The private address of who sent it. */
  readonly from: string;
  /** Undefined for a new contract. */
  readonly to: string | undefined;
  /** The new contract. */
  readonly contractAddress: string | undefined;
  readonly gasUsed: bigint;
  readonly events: readonly PrivateEvent[];
}

/** What a private contract emitted. */
export interface PrivateEvent {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  /** Undefined if the ABI does not have it. */
  readonly name: string | undefined;
  /** By name; those without one by position. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a confirmed intent did, read with an ABI. */
export function readReceipt(
  confirmed: ConfirmedReceipt,
  intent: SentIntent,
  abi: Interface,
): PrivateReceipt {
  const read = readInfo(intent.effect()?.infos ?? []);
  if (read === undefined)
    throw new Error(`${intent.node} has no record of its own intent.`);
  return {
    ...confirmed,
    from: getAddress(read.from),
    to: read.to && getAddress(read.to),
    contractAddress: read.created && getAddress(read.created),
    gasUsed: read.gasUsed,
    events: read.logs.map((log) => readEvent(log, abi)),
  };
}

function readEvent(
  { address, topics, data }: Log,
  abi: Interface,
): PrivateEvent {
  const parsed = parseLog({ topics, data }, abi);
  const nameAt = (index: number): string => {
    const { name } = parsed?.fragment.inputs[index] ?? {};
    return name === undefined || name === "" ? String(index) : name;
  };
  const values: readonly unknown[] = parsed?.args.toArray() ?? [];
  return {
    address: getAddress(address),
    topics,
    data,
    name: parsed?.name,
    args: Object.fromEntries(
      values.map((value, index) => [nameAt(index), value]),
    ),
  };
}

/** Another contract may have an event with the same topic, and something else in it. */
function parseLog(
  log: Pick<Log, "topics" | "data">,
  abi: Interface,
): ReturnType<Interface["parseLog"]> {
  try {
    return abi.parseLog(log);
  } catch {
    return null;
  }
}
