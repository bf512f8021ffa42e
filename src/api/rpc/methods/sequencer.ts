import { z } from "zod/v4";

import {
  type IntentId,
  parseGroupAddress,
  parseIntentId,
  parseNodeName,
} from "../../../protocol/ids.ts";
import { NodeRefusal } from "../../../node/service.ts";
import { UserError } from "../../errors.ts";
import { digestOfId } from "../../transaction-digest.ts";
import { type Context, method, type Method } from "../method.ts";
import { address, hex32, texts, uuid, word } from "../schemas/basics.ts";

const counts = z.record(z.string(), z.int().nonnegative()).readonly();

export const groupStatus = z
  .strictObject({
    address,
    name: word,
    domain: word,
    isMember: z.boolean(),
    epoch: z.string(),
    endorsers: z.array(z.string()).readonly(),
    threshold: z.int(),
    trouble: z.string().optional(),
    sender: z.string(),
    coordinator: z.string(),
    active: z.string().optional(),
    heartbeatAgeMs: z.number().optional(),
    ranking: z.array(z.string()).readonly(),
    range: z.int(),
    rangeStart: z.int(),
    rangeEnd: z.int(),
    own: counts,
    coordinated: counts,
    blocked: z
      .array(z.strictObject({ id: hex32, why: z.string() }).readonly())
      .readonly(),
    missingStates: z.int().nonnegative(),
  })
  .readonly()
  .meta({ id: "GroupStatus" });

const status = z
  .strictObject({
    name: z.string(),
    height: z.int(),
    boot: z.int(),
    groups: z.array(groupStatus).readonly(),
    groupsAside: z.int().nonnegative(),
    rejoining: z
      .array(
        z
          .strictObject({ group: address.optional(), why: z.string() })
          .readonly(),
      )
      .readonly(),
    openTransactions: z.int().nonnegative(),
    dropped: counts,
    draining: z
      .strictObject({
        isDone: z.boolean(),
        reasons: z.array(z.string()).readonly(),
      })
      .readonly()
      .optional(),
  })
  .readonly()
  .meta({ id: "NodeStatus" });

const importedGroup = z
  .strictObject({
    address,
    id: hex32,
    name: word,
    domain: word,
    members: z.array(word).min(1).max(255),
    threshold: z.int().min(1).max(255),
    policy: z.enum(["sticky", "rotating"]),
    configuration: texts,
  })
  .meta({ id: "DescribedGroup" });

/** A transaction as users know it, or an intent as the protocol does. */
const anyId = z.union([uuid, hex32]);

export const sequencerMethods: readonly Method[] = [
  method({
    name: "sequencer_status",
    summary: "This node at a glance",
    params: {},
    result: status,
    run: (_, { api }) => api.service.status(),
  }),
  method({
    name: "sequencer_drain",
    summary:
      "Leaves the role of the coordinator to other members, or takes part again; `draining` of the status says when the node can be stopped",
    params: { isDraining: z.boolean() },
    result: z.boolean(),
    run: ({ isDraining }, { api }) => {
      api.service.drain(isDraining);
      return isDraining;
    },
  }),
  method({
    name: "sequencer_explain",
    summary:
      "What a transaction waits for, in one sentence; null if it does not wait here",
    params: { id: anyId },
    result: z.string().nullable(),
    run: ({ id }, context) => {
      const { service } = context.api;
      const intentId = intentOf(id, context);
      const reason =
        intentId === undefined
          ? service.explainSent(digestOfId(id))
          : service.explain(intentId);
      return reason ?? null;
    },
  }),
  method({
    name: "sequencer_importGroup",
    summary:
      "Takes part in a group that was created without a node, as its description says and the ledger proves",
    params: { group: importedGroup },
    result: z.strictObject({ address, id: hex32, name: word }).readonly(),
    run: async (params, { api }) => {
      const { address, id, name } = await api.service.importGroup(
        readImported(params.group),
      );
      return { address, id, name };
    },
  }),
  method({
    name: "sequencer_resume",
    summary:
      "Takes a parked transaction up again; false if it is not parked here",
    params: { id: anyId },
    result: z.boolean(),
    run: async ({ id }, context) => {
      const intentId = intentOf(id, context);
      return intentId === undefined
        ? false
        : await context.api.service.resume(intentId);
    },
  }),
];

function readImported(
  group: z.output<typeof importedGroup>,
): Parameters<Context["api"]["service"]["importGroup"]>[0] {
  const place = parseGroupAddress(group.address.toLowerCase());
  const members = group.members.map((member) => {
    const name = parseNodeName(member);
    if (name === undefined)
      throw new NodeRefusal(`"${member}" is not the name of a node.`);
    return name;
  });
  if (place === undefined)
    throw new NodeRefusal(`"${group.address}" is not an address.`);
  const id = group.id.toLowerCase().replace(/^(0x)?/, "0x");
  return { ...group, address: place, id, members };
}

/** Undefined for a transaction that has none. */
function intentOf(id: string, { api }: Context): IntentId | undefined {
  if (!id.includes("-")) return parseIntentId(id.toLowerCase());
  const transaction = api.records.transaction(id);
  if (transaction === undefined)
    throw new UserError("PD012244", `There is no transaction ${id}`);
  return parseIntentId(transaction.intentId);
}
