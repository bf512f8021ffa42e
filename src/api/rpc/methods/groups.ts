import { z } from "zod/v4";

import type { UserGroup } from "../../../store/user-groups.ts";
import { parseFormat } from "../../abi/format.ts";
import { method, type Method } from "../method.ts";
import {
  abiEntryInput,
  address,
  hex,
  hex32,
  identity,
  json,
  list,
  texts,
  textsInput,
  timestamp,
  uuid,
  word,
} from "../schemas/basics.ts";
import { query } from "../schemas/query.ts";

const groupInput = z
  .object({
    domain: word,
    members: list(identity, { max: 256 }),
    name: word.nullish(),
    configuration: textsInput.nullish(),
    properties: textsInput.nullish(),
    transactionOptions: z
      .object({ idempotencyKey: word.min(1).nullish() })
      .nullish(),
  })
  .meta({ id: "PrivacyGroupInput" });

const group = z
  .strictObject({
    id: hex32,
    domain: word,
    created: timestamp,
    name: word,
    members: z.array(identity).readonly(),
    properties: texts.readonly(),
    configuration: texts.readonly(),
    genesisSalt: hex32,
    genesisSchema: hex32,
    genesisTransaction: uuid.nullable(),
    contractAddress: address.nullable(),
  })
  .readonly()
  .meta({ id: "PrivacyGroup" });

const callFields = {
  domain: word.nullish(),
  group: hex32.nullish(),
  from: identity,
  to: address.nullish(),
  input: z.unknown().optional(),
  function: z.union([abiEntryInput, z.string().max(1_024)]).nullish(),
  bytecode: hex.nullish(),
};

const groupTransaction = z
  .object({ ...callFields, idempotencyKey: word.min(1).nullish() })
  .meta({ id: "PrivacyGroupTransactionInput" });

const groupCall = z
  .object({
    ...callFields,
    block: z.union([z.number(), z.string().max(80)]).nullish(),
    dataFormat: z.string().max(256).nullish(),
  })
  .meta({ id: "PrivacyGroupCallInput" });

export const groupMethods: readonly Method[] = [
  method({
    name: "pgroup_createGroup",
    summary: "Begins to create a group; its receipt has the address",
    params: { group: groupInput },
    result: group,
    run: async (params, { api }) =>
      view(
        await api.groups.create({
          ...params.group,
          idempotencyKey: params.group.transactionOptions?.idempotencyKey,
        }),
      ),
  }),
  method({
    name: "pgroup_getGroupById",
    summary: "A group by its id",
    params: { domain: word, id: hex32 },
    result: group.nullable(),
    run: ({ domain, id }, { api }) => orNull(api.groups.byId(domain, id)),
  }),
  method({
    name: "pgroup_getGroupByAddress",
    summary: "A group by the address of its contract",
    params: { address },
    result: group.nullable(),
    run: (params, { api }) => orNull(api.groups.byAddress(params.address)),
  }),
  method({
    name: "pgroup_queryGroups",
    summary: "Groups, newest first",
    params: { query },
    result: z.array(group).readonly(),
    run: async (params, { api }) =>
      (await api.groups.find(params.query)).map(view),
  }),
  method({
    name: "pgroup_queryGroupsWithMember",
    summary: "Groups that somebody is a member of, newest first",
    params: { member: identity, query },
    result: z.array(group).readonly(),
    run: async (params, { api }) =>
      (await api.groups.find(params.query, params.member)).map(view),
  }),
  method({
    name: "pgroup_sendTransaction",
    summary: "Takes a transaction of a group; gives its id once it is durable",
    params: { transaction: groupTransaction },
    result: uuid,
    run: async ({ transaction }, { api }) =>
      await api.groupCalls.send(transaction),
  }),
  method({
    name: "pgroup_call",
    summary: "Asks a group without a transaction; gives the outputs by name",
    params: { call: groupCall },
    result: json,
    run: async ({ call }, { api }) =>
      await api.groupCalls.call(call, parseFormat(call.dataFormat)),
  }),
];

function view(found: UserGroup): z.input<typeof group> {
  const { id, domain, created, name, members } = found;
  return {
    id,
    domain,
    created,
    name,
    members,
    properties: found.properties,
    configuration: found.configuration,
    genesisSalt: found.genesisSalt,
    genesisSchema: found.genesisSchema,
    genesisTransaction: found.genesisTransaction ?? null,
    contractAddress: found.contractAddress ?? null,
  };
}

function orNull(found: UserGroup | undefined): z.input<typeof group> | null {
  return found === undefined ? null : view(found);
}
