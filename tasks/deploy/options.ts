import { id, ZeroHash } from "ethers";

import type { GroupRequest } from "../../src/plugin/deployment/addresses.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { PeersConfig } from "../../src/plugin/peers-config.ts";
import { describeGroup } from "./describe-group.ts";
import { parseMembers, parseThreshold } from "./members.ts";

/** What the user asks for, as typed. */
export interface DeployOptions {
  readonly members?: string | undefined;
  readonly domain?: string | undefined;
  readonly configuration?: string | undefined;
  readonly policy?: string | undefined;
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

const timeoutSeconds = 300;

/** Checks everything that can be checked without a chain. `peers` are the nodes of the configuration. */
export function parseOptions(
  options: DeployOptions,
  peers: PeersConfig = {},
): DeployRequest {
  return {
    group: parseGroup(options, peers),
    from: options.from,
    dryRun: options.dryRun ?? false,
    verify: options.verify ?? false,
    timeoutMs:
      1000 * parseCount("--timeout", options.timeout ?? timeoutSeconds),
    confirmations: parseCount("--confirmations", options.confirmations ?? 1),
  };
}

function parseGroup(
  options: DeployOptions,
  peers: PeersConfig,
): GroupRequest | undefined {
  if (options.members === undefined) {
    requireNoGroupOptions(options);
    return undefined;
  }
  const name = parseName(options.name ?? "main");
  if (options.domain !== undefined) {
    if (options.externalCalls === true)
      throw new SequencerError("EXTERNAL_CALLS_BY_DOMAIN", {
        domain: options.domain,
      });
    const { members, domain, threshold, policy, configuration, salt } = options;
    const given = { members, domain, threshold, policy, configuration, salt };
    return describeGroup({ name, ...given }, peers);
  }
  requireNoDomainOptions(options);
  const members = parseMembers(options.members);
  return {
    name,
    config: {
      members,
      threshold: parseThreshold(options.threshold, members.length),
      externalCalls: options.externalCalls ?? false,
    },
    salt: parseSalt(options.salt),
    description: undefined,
  };
}

function requireNoDomainOptions(options: DeployOptions): void {
  const given = [
    options.configuration !== undefined ? "--configuration" : undefined,
    options.policy !== undefined ? "--policy" : undefined,
  ].find((option) => option !== undefined);
  if (given !== undefined)
    throw new SequencerError("DOMAIN_MISSING", { option: given });
}

function requireNoGroupOptions(options: DeployOptions): void {
  const given = [
    options.domain !== undefined ? "--domain" : undefined,
    options.configuration !== undefined ? "--configuration" : undefined,
    options.policy !== undefined ? "--policy" : undefined,
    options.threshold !== undefined ? "--threshold" : undefined,
    options.externalCalls === true ? "--external-calls" : undefined,
    options.salt !== undefined ? "--salt" : undefined,
    options.name !== undefined ? "--name" : undefined,
  ].find((option) => option !== undefined);
  if (given !== undefined)
    throw new SequencerError("MEMBERS_MISSING", { option: given });
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
