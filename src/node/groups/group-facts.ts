import {
  decodeLog,
  parseAddress,
  privacyGroupInterface,
  topicOf,
} from "../../ledger/index.ts";
import type { GroupAddress } from "../../protocol/ids.ts";
import { Chain } from "../../chain/chain.ts";
import type { ChainClient } from "../../chain/ports.ts";
import type { LedgerCommittee, LedgerGroupFacts } from "./joining.ts";

/** What the factory says about a group that it created in a block; undefined if it did not. */
export async function findGroupFacts(
  client: ChainClient,
  {
    factory,
    group,
    block,
  }: {
    readonly factory: string;
    readonly group: GroupAddress;
    readonly block: number;
  },
): Promise<LedgerGroupFacts | undefined> {
  const height = `0x${block.toString(16)}`;
  const logs = await client.request("eth_getLogs", [
    {
      address: factory,
      fromBlock: height,
      toBlock: height,
      topics: [
        topicOf("GroupCreated"),
        `0x${group.slice(2).padStart(64, "0")}`,
      ],
    },
  ]);
  const [log] = Array.isArray(logs) ? (logs as unknown[]) : [];
  if (!isLog(log)) return undefined;
  const event = decodeLog(log);
  if (event?.type !== "GroupCreated" || event.group !== parseAddress(group))
    return undefined;
  const { members, threshold, externalCalls, creator, salt } = event;
  return {
    members,
    threshold,
    externalCalls,
    creator,
    salt,
    transactionHash: log.transactionHash,
    block,
  };
}

/** Who endorses in a group at the head of the chain; undefined if there is no such group. */
export async function findCommittee(
  client: ChainClient,
  group: GroupAddress,
): Promise<LedgerCommittee | undefined> {
  const data = privacyGroupInterface.encodeFunctionData("committee");
  const answer = await new Chain(client).call({ to: group, data }, "latest");
  if (answer === "0x") return undefined;
  const [, members, threshold] = privacyGroupInterface.decodeFunctionResult(
    "committee",
    answer,
  ) as unknown as readonly [bigint, readonly string[], bigint];
  return {
    members: members.map((member) => parseAddress(member.toLowerCase())),
    threshold: Number(threshold),
  };
}

/** Whether this is a log, as nodes give them. */
export function isLog(
  value: unknown,
): value is Parameters<typeof decodeLog>[0] {
  if (typeof value !== "object" || value === null) return false;
  const { address, topics, data, transactionHash } = value as Readonly<
    Record<string, unknown>
  >;
  return (
    typeof address === "string" &&
    Array.isArray(topics) &&
    typeof data === "string" &&
    typeof transactionHash === "string"
  );
}
