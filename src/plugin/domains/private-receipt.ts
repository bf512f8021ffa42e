import { getAddress, type Interface, type InterfaceAbi } from "ethers";

import type { Log } from "../../domains/private-contracts/execution.ts";
import { readInfo } from "../../domains/private-contracts/info.ts";
import type { ConfirmedReceipt, SentIntent } from "../connection/types.ts";
import type { AnyAbi, NamedArgs } from "./private-abi.ts";

/** A private transaction that happened. */
export interface PrivateReceipt<
  Abi extends InterfaceAbi = AnyAbi,
> extends ConfirmedReceipt {
  /** The private address of who sent it. */
  readonly from: string;
  /** Undefined for a new contract. */
  readonly to: string | undefined;
  /** The new contract. */
  readonly contractAddress: string | undefined;
  readonly gasUsed: bigint;
  readonly events: readonly PrivateEvent<Abi>[];
}

/** What a private contract emitted: `name` is undefined if the ABI does not have it, `args` are by name or else by position. */
export type PrivateEvent<Abi extends InterfaceAbi = AnyAbi> = NamedArgs<Abi> & {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
};

/** What a confirmed intent did, read with an ABI. */
export function readReceipt<Abi extends InterfaceAbi>(
  confirmed: ConfirmedReceipt,
  intent: SentIntent,
  abi: Interface,
): PrivateReceipt<Abi> {
  const read = readInfo(intent.effect()?.infos ?? []);
  if (read === undefined)
    throw new Error(`${intent.node} has no record of its own intent.`);
  return {
    ...confirmed,
    from: getAddress(read.from),
    to: read.to && getAddress(read.to),
    contractAddress: read.created && getAddress(read.created),
    gasUsed: read.gasUsed,
    events: read.logs.map((log) => readEvent<Abi>(log, abi)),
  };
}

function readEvent<Abi extends InterfaceAbi>(
  { address, topics, data }: Log,
  abi: Interface,
): PrivateEvent<Abi> {
  const parsed = parseLog({ topics, data }, abi);
  const nameAt = (index: number): string => {
    const { name } = parsed?.fragment.inputs[index] ?? {};
    return name === undefined || name === "" ? String(index) : name;
  };
  const values: readonly unknown[] = parsed?.args.toArray() ?? [];
  const event: PrivateEvent = {
    address: getAddress(address),
    topics,
    data,
    name: parsed?.name,
    args: Object.fromEntries(
      values.map((value, index) => [nameAt(index), value]),
    ),
  };
  // Name and arguments are those of the ABI with which they were read.
  return event as PrivateEvent<Abi>;
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
