import { nodeAt } from "../shared/ask-node.ts";
import { askGroups, type ToldGroup } from "../shared/find-group.ts";
import type { GroupFact } from "./facts.ts";

/** What the user asks for, as typed. */
export interface ListOptions {
  readonly url?: string | undefined;
}

/** The groups of a node: at most as many as a node gives in one answer. */
export async function listGroups({
  url,
}: ListOptions): Promise<readonly GroupFact[]> {
  return (await askGroups(nodeAt(url))).map(factOf);
}

export function factOf(group: ToldGroup): GroupFact {
  const { id, name, domain, contractAddress: address, members } = group;
  const { created } = group;
  return { type: "group", id, name, domain, address, members, created };
}
