import type { Policy } from "../../protocol/config.ts";
import {
  type GroupAddress,
  type NodeName,
  parseGroupAddress,
  parseNodeName,
} from "../../protocol/ids.ts";
import {
  count,
  listOf,
  object,
  oneOf,
  type Shape,
  text,
} from "../../protocol/shape.ts";

/** Members that a group can have, as the contract counts them. */
const MEMBERS_MAX = 255;
const SETTINGS_MAX = 64;

/** Groups that one answer about groups names. */
export const GROUPS_TOLD_MAX = 256;

/** A group, as its creator describes it to the members. They compare with the ledger what the ledger knows. */
export interface GroupOffer {
  readonly id: string;
  readonly address: GroupAddress;
  readonly name: string;
  readonly domain: string;
  readonly members: readonly NodeName[];
  readonly threshold: number;
  readonly policy: Policy;
  readonly configuration: Readonly<Record<string, string>>;
  readonly createdBlock: number;
}

const word: Shape<string> = (value) =>
  typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value)
    ? value
    : undefined;

const configuration: Shape<Readonly<Record<string, string>>> = (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return undefined;
  const entries = Object.entries(value);
  if (entries.length > SETTINGS_MAX) return undefined;
  const read: [string, string][] = [];
  for (const [name, setting] of entries) {
    if (typeof setting !== "string" || setting.length > 4_096) return undefined;
    read.push([name, setting]);
  }
  return Object.fromEntries(read);
};

export const offerShape: Shape<GroupOffer> = object({
  id: word,
  address: parseGroupAddress,
  name: text(128),
  domain: text(64),
  members: listOf(parseNodeName, MEMBERS_MAX),
  threshold: count,
  policy: oneOf("sticky", "rotating"),
  configuration,
  createdBlock: count,
});
