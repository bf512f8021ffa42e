import { keccak_256 } from "@noble/hashes/sha3.js";

import { toHex } from "../../ledger/index.ts";
import { type IntentId, parseIntentId } from "../../protocol/ids.ts";
import type { DomainGroup } from "./domain.ts";

/** The intent with which a group begins, if its domain wants one. The ledger fulfils it once, whoever sends it. */
export function genesisIdOf({
  address,
}: Pick<DomainGroup, "address">): IntentId {
  const text = JSON.stringify(["genesis", address.toLowerCase()]);
  const id = parseIntentId(toHex(keccak_256(new TextEncoder().encode(text))));
  if (id === undefined) throw new Error("A hash is no intent's id.");
  return id;
}
