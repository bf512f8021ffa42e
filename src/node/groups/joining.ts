import { parseAddress, parseBytes32, parseUint64 } from "../../ledger/index.ts";
import type { GroupAddress, NodeName } from "../../protocol/ids.ts";
import type { StoredEndorser, StoredGroup } from "../../store/groups.ts";
import type { Domain } from "../../domains/domain.ts";
import type { Body } from "../body.ts";
import { namesOf, resolveEndorsers } from "./committees.ts";
import { endorsersOf, genesisSalt } from "./genesis.ts";
import type { GroupOffer } from "./offer.ts";
import type { NodePorts } from "../ports.ts";

/** A group on the ledger, as its factory created it. */
export interface LedgerGroupFacts {
  readonly members: readonly string[];
  readonly threshold: number;
  readonly externalCalls: boolean;
  readonly creator: string;
  readonly salt: string;
  readonly transactionHash: string;
  readonly block: number;
}

/** Who endorses in a group now, as its contract says. */
export interface LedgerCommittee {
  readonly members: readonly string[];
  readonly threshold: number;
}

/** A group that this node will not take part in, and why. */
export class OfferRefusal extends Error {
  override readonly name = "OfferRefusal";
}

/** The chain does not show that the factory created a group. That proves nothing: it may be shown later. */
export class CreationUnseen extends OfferRefusal {
  constructor() {
    super("the factory did not create it, or not yet");
  }
}

/** Lets the members of a group know of it, until they say that they have joined. */
export class Offers {
  readonly #send: (to: NodeName, body: Body) => void;
  readonly #open = new Map<
    GroupAddress,
    { readonly offer: GroupOffer; readonly missing: Set<NodeName> }
  >();

  constructor(ports: { readonly send: (to: NodeName, body: Body) => void }) {
    this.#send = ports.send;
  }

  add(offer: GroupOffer, members: readonly NodeName[]): void {
    const { address } = offer;
    const missing = this.#open.get(address)?.missing ?? new Set();
    for (const name of members) {
      if (missing.has(name)) continue;
      missing.add(name);
      this.#send(name, { type: "offer", offer });
    }
    if (missing.size > 0) this.#open.set(address, { offer, missing });
  }

  /** Only these are members now: the others need not know of the group. */
  keep(group: GroupAddress, members: readonly NodeName[]): void {
    for (const name of this.#open.get(group)?.missing ?? [])
      if (!members.includes(name)) this.joined(group, name);
  }

  /** Says it again to those who have not answered. */
  repeat(): void {
    for (const { offer, missing } of this.#open.values())
      for (const name of missing) this.#send(name, { type: "offer", offer });
  }

  joined(group: GroupAddress, name: NodeName): void {
    const open = this.#open.get(group);
    open?.missing.delete(name);
    if (open?.missing.size === 0) this.#open.delete(group);
  }
}

/** What this node keeps of a group that it is offered. Throws an {@link OfferRefusal} if the ledger says otherwise. */
export function acceptOffer(
  offer: GroupOffer,
  facts: LedgerGroupFacts | undefined,
  {
    domains,
    directory,
    self,
    factory,
    current,
  }: Pick<NodePorts, "domains" | "directory"> & {
    readonly self: NodeName;
    readonly factory: string;
    /** Asked for where the creator did not name this node. */
    readonly current?: LedgerCommittee | undefined;
  },
): StoredGroup {
  const refuse = (reason: string): never => {
    throw new OfferRefusal(reason);
  };
  if (facts === undefined) throw new CreationUnseen();
  const domain = domains.get(offer.domain);
  if (domain === undefined) return refuse(`no domain "${offer.domain}" here`);
  const own = directory.endorserOf(self);
  const isAdded = current?.members.some((member) => member === own) === true;
  if (!offer.members.includes(self) && !isAdded)
    return refuse(
      `its members are ${offer.members.join(", ")}, and not ${self}`,
    );
  const { endorsers, externalCalls } = askDomain(domain, offer);
  // A node that is added later need not know those who have left.
  const stranger = isAdded
    ? undefined
    : endorsers.find((name) => directory.endorserOf(name) === undefined);
  if (stranger !== undefined) return refuse(`"${stranger}" is not known`);
  const committee = matchEndorsers(endorsers, facts.members, directory);
  if (committee === undefined || facts.threshold !== offer.threshold)
    return refuse("the ledger has other members or another threshold");
  if (facts.externalCalls !== externalCalls)
    return refuse(
      `the ledger ${facts.externalCalls ? "makes" : "does not make"} public calls for it, against its settings`,
    );
  if (facts.salt !== genesisSalt(offer))
    return refuse("it was created as something else");
  return storedGroup(offer, facts, {
    factory,
    committee,
    mode: domain.mode,
  });
}

/** A group as it begins here: its past is not indexed. */
function storedGroup(
  offer: GroupOffer,
  facts: LedgerGroupFacts,
  {
    factory,
    committee,
    mode,
  }: Pick<StoredGroup, "committee" | "mode"> & { readonly factory: string },
): StoredGroup {
  return {
    id: parseBytes32(offer.id),
    address: offer.address,
    name: offer.name,
    domain: offer.domain,
    members: offer.members,
    committee,
    threshold: offer.threshold,
    since: facts.block,
    earlier: [],
    mode,
    policy: offer.policy,
    configuration: offer.configuration,
    epoch: parseUint64(0n),
    createdBlock: facts.block,
    historyThrough: facts.block - 1,
    genesis: {
      factory: parseAddress(factory),
      creator: parseAddress(facts.creator),
      salt: parseBytes32(facts.salt),
      externalCalls: facts.externalCalls,
      transactionHash: parseBytes32(facts.transactionHash),
    },
  };
}

/**
 * The members that endorse, in the order in which the ledger has them: endorsements name them by their position. Undefined if
 * the ledger has others. What is said about nodes that nobody here knows is bound by the salt.
 */
function matchEndorsers(
  names: readonly NodeName[],
  members: readonly string[],
  directory: Pick<NodePorts["directory"], "names" | "endorserOf">,
): readonly StoredEndorser[] | undefined {
  const committee = resolveEndorsers(
    members.map((member) => parseAddress(member)),
    directory,
  );
  const known = names.filter((name) => directory.endorserOf(name));
  const isSame =
    names.length === members.length &&
    namesOf(committee).length === known.length &&
    known.every((name) => namesOf(committee).includes(name));
  return isSame ? committee : undefined;
}

/** What follows from an offer, if the group makes sense. Whatever a domain does not expect in it must not bring its node down. */
function askDomain(
  domain: Domain,
  offer: GroupOffer,
): {
  readonly endorsers: readonly NodeName[];
  readonly externalCalls: boolean;
} {
  try {
    domain.checkGroup(offer);
    return {
      endorsers: endorsersOf(domain, offer),
      externalCalls: domain.allowsCalls?.(offer) ?? false,
    };
  } catch (error) {
    throw new OfferRefusal(
      error instanceof Error ? error.message : "the domain failed",
      { cause: error },
    );
  }
}
