import type { DomainName } from "./names.ts";
import type { Trial } from "./trial.ts";
import { groupTokenTrial } from "./trials/group-token.ts";
import { notarisedTokenTrial } from "./trials/notarised-token/notarised-token.ts";
import { ownedCoinsTrial } from "./trials/owned-coins.ts";
import { privateContractsTrial } from "./trials/private-contracts/private-contracts.ts";

/** All domains of the runtime. Whoever needs none of them need not load them. */
export const trials: Readonly<Record<DomainName, Trial>> = {
  "group-token": groupTokenTrial,
  "notarised-token": notarisedTokenTrial,
  "owned-coins": ownedCoinsTrial,
  "private-contracts": privateContractsTrial,
};
