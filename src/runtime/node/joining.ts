import { parseAddress, parseBytes32, parseUint64 } from "../../ledger/index.ts";
import type { GroupAddress, NodeName } from "../../protocol/ids.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { Domain } from "../domains/domain.ts";
import type { Body } from "./body.ts";
import { endorsersOf, genesisSalt } from "./genesis.ts";
import type { GroupOffer } from "./offer.ts";
import type { NodePorts } from "./ports.ts";

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

/** A group that this node will not take part in, and why. */
export class OfferRefusal extends Error {
  override readonly name = "OfferRefusal";
}

/** Lets the members of a new group know of it, until they say that they have joined. */
export class Offers {
  readonly #send: (to: NodeName, body: Body) => void;
  readonly #open = new Map<
    GroupAddress,
    { readonly offer: GroupOffer; readonly missing: Set<NodeName> }
  >();

  constructor(ports: { readonly send: (to: NodeName, body: Body) => void }) {
    this.#send = ports.send;
  }

  add(offer: GroupOffer, self: NodeName): void {
    const missing = new Set(offer.members.filter((name) => name !== self));
    if (missing.size > 0) this.#open.set(offer.address, { offer, missing });
    this.repeat();
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
  }: Pick<NodePorts, "domains" | "directory"> & {
    readonly self: NodeName;
    readonly factory: string;
  },
): StoredGroup {
  const refuse = (reason: string): never => {
    throw new OfferRefusal(reason);
  };
  if (facts === undefined)
    return refuse("the factory did not create it, or not yet");
  const domain = domains.get(offer.domain);
  if (domain === undefined) return refuse(`no domain "${offer.domain}" here`);
  if (!offer.members.includes(self)) return refuse("this node is no member");
  const committee = askDomain(domain, offer).map((name) => ({
    name,
    endorser: directory.endorserOf(name) ?? refuse(`"${name}" is not known`),
  }));
  // The ledger keeps members in ascending order, and endorsements name them by their position.
  committee.sort((a, b) => (a.endorser < b.endorser ? -1 : 1));
  const isSame =
    facts.threshold === offer.threshold &&
    facts.members.length === committee.length &&
    committee.every(({ endorser }, i) => endorser === facts.members[i]);
  if (!isSame)
    return refuse("the ledger has other members or another threshold");
  if (facts.salt !== genesisSalt(offer))
    return refuse("it was created as something else");
  return {
    id: parseBytes32(offer.id),
    address: offer.address,
    name: offer.name,
    domain: offer.domain,
    members: offer.members,
    committee,
    threshold: offer.threshold,
    mode: domain.mode,
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

/** Who endorses, if the group makes sense. Whatever a domain does not expect in an offer must not bring its node down. */
function askDomain(domain: Domain, offer: GroupOffer): readonly NodeName[] {
  try {
    domain.checkGroup(offer);
    return endorsersOf(domain, offer);
  } catch (error) {
    throw new OfferRefusal(
      error instanceof Error ? error.message : "the domain failed",
      { cause: error },
    );
  }
}
