import { keccak256Hex } from "../ledger/index.ts";
import { type IntentId, parseIntentId } from "../protocol/ids.ts";
import type { DomainGroup } from "./domain.ts";

/** The intent with which a group begins, if its domain wants one. The ledger fulfils it once, whoever sends it. */
export function genesisIdOf({
  address,
}: Pick<DomainGroup, "address">): IntentId {
  const text = JSON.stringify(["genesis", address.toLowerCase()]);
  const id = parseIntentId(keccak256Hex(text));
  if (id === undefined) throw new Error("A hash is no intent's id.");
  return id;
}
