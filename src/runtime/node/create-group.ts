import { keccak_256 } from "@noble/hashes/sha3.js";

import {
  buildGroupConfig,
  decodeLog,
  encodeCreateGroup,
  parseAddress,
  parseBytes32,
  toBytes,
  toHex,
} from "../../ledger/index.ts";
import {
  type GroupAddress,
  parseDigest,
  parseGroupAddress,
} from "../../protocol/ids.ts";
import type { Submission } from "../ledger/submitter/ports.ts";
import type { SubmissionEnd } from "../ledger/submitter/ports.ts";
import type { ChainClient } from "../ports.ts";
import { NodeRefusal } from "../service.ts";
import { isLog } from "./group-facts.ts";

/** A group to be created on the ledger. */
export interface GroupPlan {
  readonly members: readonly string[];
  readonly threshold: number;
  readonly salt: string;
}

/** The call of the factory, as the submitter takes it. */
export function creationOf(plan: GroupPlan, factory: string): Submission {
  const config = buildGroupConfig({
    members: plan.members.map((member) => parseAddress(member)),
    threshold: plan.threshold,
    externalCalls: false,
  });
  const data = encodeCreateGroup(config, parseBytes32(plan.salt));
  const digest = parseDigest(toHex(keccak_256(toBytes(data))));
  const group = parseGroupAddress(factory);
  if (digest === undefined || group === undefined)
    throw new NodeRefusal(`${factory} is no address of a factory.`);
  return { digest, group, to: parseAddress(group), data, validUntil: 0 };
}

/** The group that the call created. */
export async function createdGroup(
  client: ChainClient,
  end: SubmissionEnd,
): Promise<{ readonly address: GroupAddress; readonly block: number }> {
  if (end.type === "failed")
    throw new NodeRefusal(`The group was not created: ${end.reason}.`);
  const receipt = await client.request("eth_getTransactionReceipt", [
    end.transactionHash,
  ]);
  for (const log of logsOf(receipt)) {
    const event = isLog(log) ? decodeLog(log) : undefined;
    if (event?.type !== "GroupCreated") continue;
    const address = parseGroupAddress(event.group);
    if (address !== undefined) return { address, block: end.block };
  }
  throw new NodeRefusal(
    `Transaction ${end.transactionHash} created no group. Is the factory's address right?`,
  );
}

function logsOf(receipt: unknown): readonly unknown[] {
  if (typeof receipt !== "object" || receipt === null) return [];
  const { logs } = receipt as { readonly logs?: unknown };
  return Array.isArray(logs) ? (logs as unknown[]) : [];
}
