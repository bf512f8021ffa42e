import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import { nodeAt } from "../shared/ask-node.ts";
import { findGroup } from "../shared/find-group.ts";
import type { GroupDetailsFact } from "./facts.ts";

/** What the user asks for, as typed. */
export interface ShowOptions {
  readonly url?: string | undefined;
  readonly group?: string | undefined;
}

const viewType = z.object({
  endorsers: z.array(z.string()),
  threshold: z.number(),
  configuration: z.record(z.string()),
  status: z
    .object({
      isMember: z.boolean(),
      epoch: z.string(),
      active: z.string().optional(),
      ranking: z.array(z.string()),
      trouble: z.string().optional(),
    })
    .nullable(),
});

/** A group with all that its node knows about it. */
export async function showGroup(
  options: ShowOptions,
): Promise<GroupDetailsFact> {
  const client = nodeAt(options.url);
  const group = await findGroup(client, options.group);
  const { id, name, domain, contractAddress: address, members } = group;
  const view = await client.ask(
    viewType.nullable(),
    "sequencer_group",
    address,
  );
  if (view === null)
    throw new SequencerError("GROUP_LEFT", {
      group: address,
      url: client.name,
    });
  const { endorsers, threshold, configuration, status } = view;
  return {
    type: "group-details",
    url: client.name,
    id,
    name,
    domain,
    address,
    members,
    endorsers,
    threshold,
    configuration,
    coordinator: status?.active ?? null,
    ranking: status?.ranking ?? [],
    epoch: status?.epoch ?? null,
    isMember: status?.isMember ?? false,
    trouble: status?.trouble ?? null,
  };
}
