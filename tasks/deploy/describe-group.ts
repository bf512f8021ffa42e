import type { GroupRequest } from "../../src/plugin/deployment/addresses.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { PeersConfig } from "../../src/plugin/peers-config.ts";
import { type NodeName, parseNodeName } from "../../src/protocol/ids.ts";
import { builtInDomains } from "../../src/domains/built-in.ts";
import {
  type Domain,
  DomainRefusal,
  type GroupPlan,
} from "../../src/domains/domain.ts";
import {
  describedId,
  endorsersOf,
  genesisSalt,
} from "../../src/node/groups/genesis.ts";
import { parseThreshold, sorted } from "./members.ts";

/** What the user says of a group for nodes, as typed. */
export interface DescribedGroupOptions {
  readonly name: string;
  readonly domain: string;
  readonly members: string;
  readonly threshold: string | undefined;
  readonly policy: string | undefined;
  readonly configuration: string | undefined;
  readonly salt: string | undefined;
}

/**
 * A group for nodes: its address commits to everything that they have to agree on. The domain decides who of the members endorses,
 * and whether transitions may call public contracts.
 */
export function describeGroup(
  options: DescribedGroupOptions,
  peers: PeersConfig,
): GroupRequest {
  const domain = parseDomain(options.domain);
  const members = parseNodes(options.members, peers);
  const configuration = parseConfiguration(options.configuration);
  const plan = { members, configuration };
  checkPlan(domain, plan);
  const endorsers = endorsersOf(domain, plan);
  const threshold = parseThreshold(options.threshold, endorsers.length);
  const parts = {
    name: options.name,
    domain: domain.name,
    members,
    threshold,
    policy: parsePolicy(options.policy),
    configuration,
  };
  const description = { id: describedId(parts, options.salt ?? ""), ...parts };
  return {
    name: options.name,
    config: {
      members: sorted(endorsers.map((name) => endorserOf(name, peers))),
      threshold,
      externalCalls: domain.allowsCalls?.(plan) ?? false,
    },
    salt: genesisSalt(description),
    description,
  };
}

function parseDomain(name: string): Domain {
  const domain = builtInDomains.find((one) => one.name === name);
  if (domain === undefined)
    throw new SequencerError("CHOICE_INVALID", {
      name: "--domain",
      value: name,
      choices: builtInDomains.map((one) => one.name).join(", "),
    });
  return domain;
}

/** Nodes of the configuration, by name or by the address with which they endorse. Their order does not matter. */
function parseNodes(text: string, peers: PeersConfig): readonly NodeName[] {
  const names = text.split(",").map((member) => {
    const value = member.trim();
    const [found] =
      Object.entries(peers).find(
        ([name, { endorser }]) =>
          name === value || endorser.toLowerCase() === value.toLowerCase(),
      ) ?? [];
    const name = parseNodeName(found);
    if (name === undefined)
      throw new SequencerError("MEMBER_NOT_A_PEER", {
        value,
        known: Object.keys(peers),
      });
    return name;
  });
  const duplicate = names.find((name, i) => names.indexOf(name) !== i);
  if (duplicate !== undefined)
    throw new SequencerError("MEMBER_DUPLICATE", { address: duplicate });
  return names.sort();
}

function parseConfiguration(
  text: string | undefined,
): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject =
      typeof value === "object" && value !== null && !Array.isArray(value);
    const entries = isObject ? Object.entries(value) : undefined;
    const settings = entries?.filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    if (settings !== undefined && settings.length === entries?.length)
      return Object.fromEntries(settings);
  } catch {
    // It is said below.
  }
  throw new SequencerError("CONFIGURATION_INVALID", { value: text });
}

function parsePolicy(text = "sticky"): "sticky" | "rotating" {
  if (text === "sticky" || text === "rotating") return text;
  throw new SequencerError("CHOICE_INVALID", {
    name: "--policy",
    value: text,
    choices: "sticky, rotating",
  });
}

function checkPlan(domain: Domain, plan: GroupPlan): void {
  try {
    domain.checkGroup(plan);
  } catch (error) {
    if (error instanceof DomainRefusal)
      throw new SequencerError("GROUP_REFUSED", {
        domain: domain.name,
        reason: error.message,
      });
    throw error;
  }
}

function endorserOf(name: NodeName, peers: PeersConfig): string {
  const endorser = peers[name]?.endorser;
  if (endorser === undefined)
    throw new SequencerError("MEMBER_NOT_A_PEER", {
      value: name,
      known: Object.keys(peers),
    });
  return endorser;
}
