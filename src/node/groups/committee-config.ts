import type { LedgerDomain } from "../../ledger/index.ts";
import type { CommitteeConfig, Hashing } from "../../protocol/config.ts";
import { genesisIdOf } from "../../domains/genesis.ts";
import type { NodeGroup } from "../service.ts";
import { hashingOf } from "../../domains/states/arrange.ts";
import type { StoredGroup } from "../../store/groups.ts";

/** Earlier epochs whose bundles can be read: a sender may learn late in which bundle its intent was. */
const EPOCHS_KEPT = 4;

/** What the core needs to know of a group's committee. */
export function committeeConfigOf(
  {
    stored,
    group,
    ledgerDomain: domain,
  }: {
    readonly stored: StoredGroup;
    readonly group: NodeGroup;
    readonly ledgerDomain: LedgerDomain;
  },
  boot: number,
): CommitteeConfig {
  const { members, threshold, mode, epoch, since, earlier } = stored;
  const { endorsers: committee } = group;
  const payload = group.domain.genesis?.(group);
  const genesis =
    payload === undefined ? undefined : { id: genesisIdOf(group), payload };
  const hashingIn = (one: bigint): Hashing =>
    hashingOf({ domain, epoch: one, genesis });
  return {
    members,
    committee,
    committeeSince: since,
    threshold,
    pool: mode === "remote" ? committee : [],
    boot,
    hashing: hashingIn(epoch),
    earlierHashings: earlier
      .slice(-EPOCHS_KEPT)
      .toReversed()
      .map((one) => hashingIn(one.epoch)),
  };
}
