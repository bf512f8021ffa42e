import type { Address } from "../../ledger/index.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { Domain } from "../../domains/domain.ts";
import type { IndexedCommittee } from "../../chain/ports.ts";
import type {
  StoredCommittee,
  StoredEndorser,
  StoredGroup,
} from "../../store/groups.ts";
import type { GroupOffer } from "./offer.ts";
import type { Directory } from "../ports.ts";

/** Addresses that one sentence names, at most. */
const NAMED_MAX = 3;

/** Who is behind the addresses of a committee, in the same order. */
export function resolveEndorsers(
  addresses: readonly Address[],
  directory: Pick<Directory, "names" | "endorserOf">,
): readonly StoredEndorser[] {
  const names = new Map<Address, NodeName>();
  for (const name of directory.names()) {
    const endorser = directory.endorserOf(name);
    if (endorser !== undefined && !names.has(endorser))
      names.set(endorser, name);
  }
  return addresses.map((endorser) => ({ name: names.get(endorser), endorser }));
}

/** The nodes of a committee, as far as they are known. */
export function namesOf(
  committee: readonly StoredEndorser[],
): readonly NodeName[] {
  return committee.flatMap(({ name }) => name ?? []);
}

/**
 * The group after its committee changed. Where all members endorse, the committee is the group. In other domains a node that
 * endorses takes part from then on, and one that no longer endorses stays a member.
 */
export function withCommittee(
  stored: StoredGroup,
  { epoch, members: addresses, threshold }: IndexedCommittee,
  {
    block,
    keepFrom,
    domain,
    directory,
  }: {
    readonly block: number;
    /** No reorganisation takes back blocks before this one. */
    readonly keepFrom: number;
    readonly domain: Pick<Domain, "endorsersOf">;
    readonly directory: Pick<Directory, "names" | "endorserOf">;
  },
): StoredGroup {
  const committee = resolveEndorsers(addresses, directory);
  const names = namesOf(committee);
  const members =
    domain.endorsersOf === undefined
      ? names
      : [...new Set([...stored.members, ...names])];
  // Of two changes in one block, the first has never been in force at the end of a block.
  const earlier =
    stored.since === block && stored.earlier.length > 0
      ? stored.earlier
      : [...stored.earlier, committeeOf(stored)];
  return {
    ...stored,
    epoch,
    since: block,
    members,
    committee,
    threshold,
    earlier: withoutOld(earlier, keepFrom),
  };
}

/** Those that were in force in a block that may be taken back, and the first one. */
function withoutOld(
  earlier: readonly StoredCommittee[],
  keepFrom: number,
): readonly StoredCommittee[] {
  return earlier.filter((_, index) => {
    const next = earlier[index + 1];
    return index === 0 || next === undefined || next.since > keepFrom;
  });
}

/** The group as it was in a block; the same one if its committee has not changed since. */
export function groupAt(stored: StoredGroup, block: number): StoredGroup {
  if (stored.since <= block) return stored;
  const index = stored.earlier.findLastIndex(({ since }) => since <= block);
  const before = stored.earlier[Math.max(index, 0)];
  if (before === undefined) return stored;
  const earlier = stored.earlier.slice(0, Math.max(index, 0));
  return { ...stored, ...before, earlier };
}

function committeeOf({
  epoch,
  since,
  members,
  committee,
  threshold,
}: StoredCommittee): StoredCommittee {
  return { epoch, since, members, committee, threshold };
}

/** The group with the names of all nodes that this node knows by now. */
export function withKnownNames(
  stored: StoredGroup,
  directory: Pick<Directory, "names" | "endorserOf">,
): StoredGroup {
  const { committee, members } = stored;
  if (committee.every(({ name }) => name !== undefined)) return stored;
  const resolved = resolveEndorsers(
    committee.map(({ endorser }) => endorser),
    directory,
  );
  const named = committee.map((known, index) => ({
    ...known,
    name: known.name ?? resolved[index]?.name,
  }));
  // The creator of a group named its first members, and its address is bound to those names.
  const isFirst = stored.earlier.length === 0;
  return {
    ...stored,
    committee: named,
    members: isFirst ? members : [...new Set([...members, ...namesOf(named)])],
  };
}

/** The group as its creator described it: its address is bound to that, whoever endorses now. */
export function offerOf(stored: StoredGroup): GroupOffer {
  const { id, address, name, domain, policy, configuration, createdBlock } =
    stored;
  const { members, threshold } = firstCommittee(stored);
  return {
    id,
    address,
    name,
    domain,
    members,
    threshold,
    policy,
    configuration,
    createdBlock,
  };
}

/** Members that its creator did not name. */
export function addedMembers(stored: StoredGroup): readonly NodeName[] {
  const { members } = firstCommittee(stored);
  return stored.members.filter((name) => !members.includes(name));
}

function firstCommittee(stored: StoredGroup): StoredCommittee {
  return stored.earlier[0] ?? stored;
}

/** Why the group cannot get on, as far as this node can tell; undefined if it can. */
export function troubleOf({
  committee,
  threshold,
}: Pick<StoredCommittee, "committee" | "threshold">): string | undefined {
  const unknown = committee.flatMap(({ name, endorser }) =>
    name === undefined ? [endorser] : [],
  );
  const known = committee.length - unknown.length;
  if (known >= threshold) return undefined;
  const listed = unknown.slice(0, NAMED_MAX).join(", ");
  const more = unknown.length > NAMED_MAX ? ", …" : "";
  return `${threshold} of ${committee.length} members must endorse, and this node knows the nodes of ${known}. Add the nodes that endorse with ${listed}${more} to its peers.`;
}
