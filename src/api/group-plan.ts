import { randomBytes } from "node:crypto";

import { type NodeName, parseNodeName } from "../protocol/ids.ts";
import type { NodeService } from "../node/service.ts";
import { sha256Hex } from "../keys/sha256.ts";
import type { UserGroup } from "../store/user-groups.ts";
import type { UserTransaction } from "../store/user-transactions.ts";
import { parseAbi } from "./abi/parse-abi.ts";
import { UserError } from "./errors.ts";
import { parseIdentity } from "./identity.ts";

/** What a user wants a group to be. */
export interface GroupInput {
  readonly domain: string;
  readonly members: readonly string[];
  readonly name?: string | null | undefined;
  readonly configuration?: Readonly<Record<string, string>> | null | undefined;
  readonly properties?: Readonly<Record<string, string>> | null | undefined;
  readonly idempotencyKey?: string | null | undefined;
}

/** Every group is created in the same way. */
export const genesisAbi = parseAbi([
  {
    type: "constructor",
    inputs: [
      { name: "id", type: "bytes32" },
      { name: "name", type: "string" },
      { name: "members", type: "string[]" },
    ],
  },
]);
export const genesisSchema = sha256Hex("hardhat-sequencer group 1");

/** Says what to keep for a group that a user wants. Throws if it makes no sense. */
export function planGroup(
  input: GroupInput,
  ports: {
    readonly service: NodeService;
    readonly transactionId: string;
    readonly created: string;
  },
): { readonly group: UserGroup; readonly transaction: UserTransaction } {
  const domain = ports.service.domains.get(input.domain);
  if (domain === undefined)
    throw new UserError(
      "PD011600",
      `There is no domain '${input.domain}'. There are: ${[...ports.service.domains.keys()].join(", ")}`,
    );
  const members = input.members.map((member) => requireMember(member));
  if (members.length === 0)
    throw new UserError("PD012501", "A group needs at least one member");
  const { threshold = "", ...configuration } = input.configuration ?? {};
  const nodes = nodesOf(members);
  domain.checkGroup({ members: nodes, configuration });
  const endorsers =
    domain.endorsersOf?.({ members: nodes, configuration }) ?? nodes;
  const wanted = {
    domain: input.domain,
    members: nodes,
    threshold: readThreshold(threshold, endorsers.length),
    configuration,
  };
  ports.service.checkGroup(wanted);
  const plan = {
    domain: input.domain,
    name: input.name ?? "",
    members,
    threshold: wanted.threshold,
    properties: input.properties ?? {},
    configuration,
    genesisSalt: `0x${randomBytes(32).toString("hex")}`,
    genesisSchema,
  };
  const { created, transactionId: id } = ports;
  const groupId = sha256Hex(JSON.stringify(plan));
  return {
    group: {
      ...plan,
      id: groupId,
      created,
      genesisTransaction: id,
      contractAddress: undefined,
      isOpen: true,
    },
    transaction: {
      id,
      idempotencyKey: input.idempotencyKey ?? undefined,
      group: undefined,
      intentId: undefined,
      created,
      submitMode: "auto",
      type: "private",
      domain: input.domain,
      from: members[0] ?? "",
      to: undefined,
      function: "constructor(bytes32,string,string[])",
      abiReference: genesisAbi.hash,
      data: { id: groupId, name: plan.name, members },
      dependsOn: [],
    },
  };
}

function requireMember(member: string): string {
  const node = parseNodeName(member.split("@")[1]);
  if (node === undefined)
    throw new UserError("PD020006", `'${member}' must say its node: name@node`);
  parseIdentity(member, node);
  return member;
}

/** The nodes of members, each once. */
export function nodesOf(members: readonly string[]): readonly NodeName[] {
  const nodes = members.map((member) => parseNodeName(member.split("@")[1]));
  return [...new Set(nodes.filter((node) => node !== undefined))];
}

/** All nodes must endorse unless the user says otherwise. */
function readThreshold(text: string, nodes: number): number {
  if (text === "") return nodes;
  const threshold = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (threshold < 1 || threshold > nodes)
    throw new UserError(
      "PD099009",
      `The threshold must be from 1 to ${nodes}, but is '${text}'`,
    );
  return threshold;
}
