import type { FunctionFragment } from "ethers";
import { z } from "zod/v4";

import { parseGroupAddress } from "../../../protocol/ids.ts";
import type { NodeGroup } from "../../../node/service.ts";
import { parseAbi } from "../../abi/parse-abi.ts";
import { functionsOf } from "../../abi/pick-function.ts";
import type { Api } from "../api.ts";
import { method, type Method } from "../method.ts";
import { abiEntry, address, hex32, texts, word } from "../schemas/basics.ts";
import { groupStatus } from "./sequencer.ts";

const groupView = z
  .strictObject({
    id: hex32,
    address,
    name: word,
    domain: word,
    members: z.array(z.string()).readonly(),
    endorsers: z.array(z.string()).readonly(),
    threshold: z.int(),
    configuration: texts.readonly(),
    status: groupStatus.nullable(),
  })
  .readonly()
  .meta({ id: "Group" });

const abiParams = z.array(abiEntry).readonly();

const abiFunction = z
  .object({
    type: z.literal("function"),
    name: z.string(),
    stateMutability: z.enum(["pure", "view", "nonpayable", "payable"]),
    inputs: abiParams,
    outputs: abiParams,
  })
  .readonly()
  .meta({ id: "AbiFunction" });

export const groupViewMethods: readonly Method[] = [
  method({
    name: "sequencer_group",
    summary: "A group as this node sees it; null if it is in no such group",
    params: { address },
    result: groupView.nullable(),
    run: (params, { api }) => {
      const group = groupOf(params.address, api);
      return group === undefined ? null : viewOf(group, api);
    },
  }),
  method({
    name: "sequencer_functions",
    summary:
      "The functions of a group's domain, as entries of an ABI; null if this node is in no such group",
    params: { address },
    result: z.array(abiFunction).readonly().nullable(),
    run: (params, { api }) => {
      const group = groupOf(params.address, api);
      if (group === undefined) return null;
      return functionsOf(parseAbi(group.domain.abi)).map(entryOf);
    },
  }),
];

function groupOf(address: string, { service }: Api): NodeGroup | undefined {
  const parsed = parseGroupAddress(address.toLowerCase());
  return parsed && service.group(parsed);
}

function viewOf(group: NodeGroup, { service }: Api): z.input<typeof groupView> {
  const { address, id, name, domain, members, endorsers, threshold } = group;
  const { configuration } = group;
  return {
    id,
    address,
    name,
    domain: domain.name,
    members,
    endorsers,
    threshold,
    configuration,
    status:
      service.status().groups.find((one) => one.address === address) ?? null,
  };
}

/** With the mutability, which entries of an ABI may leave out. */
function entryOf(fragment: FunctionFragment): z.input<typeof abiFunction> {
  const entry: unknown = JSON.parse(fragment.format("json"));
  const { stateMutability } = fragment;
  return abiFunction.parse({ ...Object(entry), stateMutability });
}
