import type { Domain } from "./domain.ts";
import { groupToken } from "./group-token.ts";
import { notarisedToken } from "./notarised-token/notarised-token.ts";
import { ownedCoins } from "./owned-coins/owned-coins.ts";
import { privateContracts } from "./private-contracts/private-contracts.ts";

/** The domains that every node of this package has. */
export const builtInDomains: readonly Domain[] = [
  groupToken,
  notarisedToken,
  ownedCoins,
  privateContracts,
];
