import { id, ZeroAddress, ZeroHash } from "ethers";

import type { GroupRequest } from "../../src/plugin/deployment/addresses.ts";
import { parseAddress } from "../../src/plugin/deployment/parse-address.ts";
import { SequencerError } from "../../src/plugin/errors.ts";

/** What the user asks for, as typed. */
export interface DeployOptions {
  readonly members?: string | undefined;
  readonly threshold?: string | undefined;
  readonly externalCalls?: boolean;
  readonly salt?: string | undefined;
  readonly name?: string | undefined;
  readonly from?: string | undefined;
  readonly dryRun?: boolean;
  readonly verify?: boolean;
  readonly timeout?: number;
  readonly confirmations?: number;
}

/** What the user asks for, checked. */
export interface DeployRequest {
  readonly group: GroupRequest | undefined;
  readonly from: string | undefined;
  readonly dryRun: boolean;
  readonly verify: boolean;
  readonly timeoutMs: number;
  readonly confirmations: number;
}

/** Committees.sol: signers are the bits of one word, and the threshold is one byte. */
const membersMax = 255;
const timeoutSeconds = 300;

/** Checks everything that can be checked without a chain. */
export function parseOptions(options: DeployOptions): DeployRequest {
  return {
    group: parseGroup(options),
    from: options.from,
    dryRun: options.dryRun ?? false,
    verify: options.verify ?? false,
    timeoutMs:
      1000 * parseCount("--timeout", options.timeout ?? timeoutSeconds),
    confirmations: parseCount("--confirmations", options.confirmations ?? 1),
  };
}

function parseGroup(options: DeployOptions): GroupRequest | undefined {
  if (options.members === undefined) {
    requireNoGroupOptions(options);
    return undefined;
  }
  const members = parseMembers(options.members);
  return {
    name: parseName(options.name ?? "main"),
    config: {
      members,
      threshold: parseThreshold(options.threshold, members.length),
      externalCalls: options.externalCalls ?? false,
    },
    salt: parseSalt(options.salt),
  };
}

function requireNoGroupOptions(options: DeployOptions): void {
  const given = [
    options.threshold !== undefined ? "--threshold" : undefined,
    options.externalCalls === true ? "--external-calls" : undefined,
    options.salt !== undefined ? "--salt" : undefined,
    options.name !== undefined ? "--name" : undefined,
  ].find((option) => option !== undefined);
  if (given !== undefined)
    throw new SequencerError("MEMBERS_MISSING", { option: given });
}

/** Members in the order that the ledger wants: ascending. */
function parseMembers(text: string): string[] {
  const members = text
    .split(",")
    .map((member) => parseAddress("Member", member.trim()));
  if (members.length > membersMax)
    throw new SequencerError("MEMBERS_TOO_MANY", {
      count: members.length,
      max: membersMax,
    });
  if (members.includes(ZeroAddress))
    throw new SequencerError("MEMBER_ZERO", undefined);
  const duplicate = members.find((member, i) => members.indexOf(member) !== i);
  if (duplicate !== undefined)
    throw new SequencerError("MEMBER_DUPLICATE", { address: duplicate });
  return members.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
}

/**
 * By default a majority: any two majorities share a member, and a group outlives the loss of the others.
 */
function parseThreshold(text: string | undefined, count: number): number {
  if (text === undefined) return Math.floor(count / 2) + 1;
  const threshold = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (threshold < 1 || threshold > count)
    throw new SequencerError("THRESHOLD_INVALID", { value: text, count });
  return threshold;
}

/** 32 bytes are taken as they are; any other text is hashed. What only looks like bytes is a typing mistake. */
function parseSalt(text: string | undefined): string {
  if (text === undefined) return ZeroHash;
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase();
  if (text === "" || /^0x/i.test(text))
    throw new SequencerError("SALT_INVALID", { value: text });
  return id(text);
}

function parseName(name: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(name))
    throw new SequencerError("GROUP_NAME_INVALID", { value: name });
  return name;
}

function parseCount(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > 1_000_000)
    throw new SequencerError("COUNT_INVALID", { name, value: String(value) });
  return value;
}
