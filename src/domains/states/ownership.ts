import {
  LANE_BYTES,
  type Lane,
  type LedgerDomain,
  laneOf,
  parseIntentId as parseLedgerIntentId,
  parseLane,
} from "../../ledger/index.ts";
import type { Hashing, IntentClaim } from "../../protocol/config.ts";
import type { IntentId, NodeName } from "../../protocol/ids.ts";
import { createRecent, recall, remember } from "../../protocol/recent.ts";
import { sha256Hex } from "../../keys/sha256.ts";

// An intent id is a lane followed by a number (see `ledger/lanes.ts`). A lane is a hash over the chain, the group, the name of
// the node and a random salt. On the chain it says nothing about the node. Whoever is told the salt can check whose it is, and
// nobody finds a salt that turns the lane of another node into their own.

/** The intent with which a group begins. Any member may send it, with exactly this payload. */
export interface Genesis {
  readonly id: IntentId;
  readonly payload: string;
}

/** Lanes whose owners are remembered: a lane has 256 ids in a row, so a coordinator hashes about once for each of them. */
const LANES_KNOWN = 1_024;

/** The lane that belongs to a node, for one salt. */
export function laneOfSender(
  { chainId, group }: Pick<LedgerDomain, "chainId" | "group">,
  { sender, salt }: { readonly sender: NodeName; readonly salt: string },
): Lane {
  const text = JSON.stringify(["lane", String(chainId), group, sender, salt]);
  return parseLane(sha256Hex(text).slice(0, 2 + 2 * LANE_BYTES));
}

/** Who owns which intent ids in a group. */
export function ownershipIn({
  domain,
  genesis,
}: {
  readonly domain: Pick<LedgerDomain, "chainId" | "group">;
  readonly genesis: Genesis | undefined;
}): Hashing["isOwnIntent"] {
  const owners = createRecent<Lane, string>(LANES_KNOWN);
  return ({ id, sender, laneSalt, payload }: IntentClaim) => {
    if (id === genesis?.id) return payload === genesis.payload;
    const lane = laneOf(parseLedgerIntentId(id));
    const owner = `${sender} ${laneSalt}`;
    if (recall(owners, lane) === owner) return true;
    if (laneOfSender(domain, { sender, salt: laneSalt }) !== lane) return false;
    remember(owners, lane, owner);
    return true;
  };
}
