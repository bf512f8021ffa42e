import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import { printable } from "../../src/view/text.ts";
import type { RpcClient } from "./rpc-client.ts";

export const groupType = z.object({
  id: z.string(),
  domain: z.string(),
  name: z.string(),
  created: z.string(),
  members: z.array(z.string()),
  contractAddress: z.string().nullable(),
  genesisTransaction: z.string().nullable(),
});

/** A group, as its node tells of it. Without an address it is being created. */
export type ToldGroup = z.infer<typeof groupType>;

/** A group that can be used. */
export interface ReadyGroup extends ToldGroup {
  readonly contractAddress: string;
}

/** Groups that one answer of a node may have. */
export const groupsMax = 1_000;
/** Groups that an error lists. */
const listedMax = 20;

/** The group that the user means with `--group`: by address, id or name; without it, the only group of the node. */
export async function findGroup(
  client: RpcClient,
  asked: string | undefined,
): Promise<ReadyGroup> {
  const url = client.name;
  if (asked === undefined) {
    const groups = (await askGroups(client)).filter(isReady);
    const [only] = groups;
    if (only === undefined) throw new SequencerError("GROUP_NONE", { url });
    if (groups.length > 1)
      throw new SequencerError("GROUP_MISSING", {
        url,
        known: linesOf(groups),
      });
    return only;
  }
  // Many groups have no name, and an empty one does not mean them.
  const found = asked === "" ? [] : await askGroups(client, queryFor(asked));
  const exact = found.filter(
    ({ id, contractAddress }) =>
      id === asked.toLowerCase() || contractAddress === asked.toLowerCase(),
  );
  const meant = exact.length > 0 ? exact : found;
  const ready = meant.filter(isReady);
  const [first] = ready;
  if (ready.length > 1)
    throw new SequencerError("GROUP_AMBIGUOUS", {
      group: asked,
      url,
      known: linesOf(ready),
    });
  if (first !== undefined) return first;
  const [pending] = meant;
  if (pending !== undefined)
    throw new SequencerError("GROUP_PENDING", {
      group: asked,
      transaction: pending.genesisTransaction ?? pending.id,
    });
  const others = (await askGroups(client)).filter(isReady);
  throw new SequencerError("GROUP_UNKNOWN", {
    group: asked,
    url,
    known: others.length === 0 ? " none" : linesOf(others),
  });
}

/** The groups of a node: those of which it heard last come first. */
export async function askGroups(
  client: RpcClient,
  query: object = {},
): Promise<readonly ToldGroup[]> {
  const method = "pgroup_queryGroups";
  const limited = { ...query, limit: groupsMax };
  return await client.ask(z.array(groupType), method, limited);
}

function isReady(group: ToldGroup): group is ToldGroup & ReadyGroup {
  return group.contractAddress !== null;
}

function queryFor(asked: string): object {
  const equal = (field: string): object => ({
    equal: [{ field, value: asked }],
  });
  if (/^0x[\da-f]{40}$/i.test(asked))
    return { or: [equal("contractAddress"), equal("name")] };
  if (/^0x[\da-f]{64}$/i.test(asked))
    return { or: [equal("id"), equal("name")] };
  return equal("name");
}

/** One line for each group, for an error. Names come from other nodes. */
function linesOf(groups: readonly ReadyGroup[]): string {
  const shown = groups
    .slice(0, listedMax)
    .map(
      ({ name, domain, contractAddress }) =>
        `\n  ${printable(JSON.stringify(name))} (${printable(domain)}) ${contractAddress}`,
    );
  const left = groups.length - shown.length;
  return shown.join("") + (left > 0 ? `\n  and ${left} more` : "");
}
