import { type Bytes32, keccak256Hex } from "../../ledger/index.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { Domain, GroupPlan } from "../domains/domain.ts";
import type { GroupOffer } from "./offer.ts";

/**
 * The salt with which the factory creates a group. It commits to all that its creator says about it, so that nobody can
 * tell two members different things about the group at one address.
 */
export function genesisSalt(
  group: Omit<GroupOffer, "address" | "createdBlock">,
): Bytes32 {
  const { id, name, domain, members, threshold, policy, configuration } = group;
  const settings = Object.entries(configuration).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const text = JSON.stringify([
    id,
    name,
    domain,
    members,
    threshold,
    policy,
    settings,
  ]);
  return keccak256Hex(text);
}

/** The members whose endorsements count. */
export function endorsersOf(
  domain: Domain,
  plan: GroupPlan,
): readonly NodeName[] {
  return domain.endorsersOf?.(plan) ?? plan.members;
}
