import { type Bytes32, keccak256Hex } from "../../ledger/index.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { Domain, GroupPlan } from "../../domains/domain.ts";
import type { GroupOffer } from "./offer.ts";

/** All that makes a group, apart from where and when it was created. */
export type GroupDescription = Omit<GroupOffer, "address" | "createdBlock">;

/**
 * The salt with which the factory creates a group. It commits to all that its creator says about it, so that nobody can
 * tell two members different things about the group at one address.
 */
export function genesisSalt({ id, ...group }: GroupDescription): Bytes32 {
  return keccak256Hex(JSON.stringify([id, ...partsOf(group)]));
}

/**
 * The id of a group that is described before any node takes part in it. The same description is the same group, unless `seed`
 * tells them apart.
 */
export function describedId(
  group: Omit<GroupDescription, "id">,
  seed: string,
): Bytes32 {
  return keccak256Hex(JSON.stringify(["group", seed, ...partsOf(group)]));
}

/** In an order that is always the same. */
function partsOf(group: Omit<GroupDescription, "id">): readonly unknown[] {
  const { name, domain, members, threshold, policy, configuration } = group;
  const settings = Object.entries(configuration).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return [name, domain, members, threshold, policy, settings];
}

/** The members whose endorsements count. */
export function endorsersOf(
  domain: Domain,
  plan: GroupPlan,
): readonly NodeName[] {
  return domain.endorsersOf?.(plan) ?? plan.members;
}
