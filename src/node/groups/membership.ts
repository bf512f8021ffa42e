import type { Address, Bytes32 } from "../../ledger/index.ts";
import type { Policy } from "../../protocol/config.ts";
import type { GroupAddress, NodeName } from "../../protocol/ids.ts";
import { DomainRefusal } from "../../domains/domain.ts";
import type { LedgerGroup } from "../../chain/create-group.ts";
import { ChainError } from "../../chain/ports.ts";
import { NodeRefusal, type NodeService, type WantedGroup } from "../service.ts";
import type { StoredGroup } from "../../store/groups.ts";
import type { Body } from "../body.ts";
import { endorsersOf, genesisSalt } from "./genesis.ts";
import { addedMembers, offerOf } from "./committees.ts";
import { findCommittee, findGroupFacts } from "./group-facts.ts";
import {
  acceptOffer,
  CreationUnseen,
  OfferRefusal,
  Offers,
} from "./joining.ts";
import type { GroupOffer } from "./offer.ts";
import type { NodePorts } from "../ports.ts";

/** Offers of one peer that are looked at together. Each costs a question to the chain; more are offered again. */
const CONSIDERED_MAX = 64;

/** What came of an offer. "later": the chain did not answer. */
export type Verdict = "joined" | "later" | OfferRefusal;

interface MembershipPorts extends Pick<
  NodePorts,
  "client" | "domains" | "directory" | "onFact"
> {
  readonly send: (to: NodeName, body: Body) => void;
  /** Creates a group with the factory. */
  readonly createOnLedger: (plan: {
    readonly members: readonly Address[];
    readonly threshold: number;
    readonly externalCalls: boolean;
    readonly salt: Bytes32;
  }) => Promise<LedgerGroup>;
  /** A group that the factory created; undefined if it did not. */
  readonly findOnLedger: (
    group: GroupAddress,
  ) => Promise<LedgerGroup | undefined>;
  readonly has: (group: GroupAddress) => boolean;
  readonly join: (stored: StoredGroup) => Promise<void>;
  /** An offer was looked at. */
  readonly onConsidered: (
    from: NodeName,
    group: GroupAddress,
    verdict: Verdict,
  ) => void;
  /** Sends what a group that this node created begins with. */
  readonly begin: (group: GroupAddress) => Promise<void>;
}

/** Creates groups, tells their members, and joins groups that others created. */
export class Membership {
  readonly #options: {
    readonly self: NodeName;
    readonly factory: string;
    readonly policy: Policy;
  };
  readonly #ports: MembershipPorts;
  readonly #offers: Offers;
  /** Offers that are being looked at, by the peer that made them. */
  readonly #considering = new Map<NodeName, Set<GroupAddress>>();

  constructor(
    options: {
      readonly self: NodeName;
      readonly factory: string;
      readonly policy: Policy;
    },
    ports: MembershipPorts,
  ) {
    this.#options = options;
    this.#ports = ports;
    this.#offers = new Offers({ send: ports.send });
  }

  /**
   * Takes part in a group that was created without a node, and lets the other members know of it. Rejects with a
   * `NodeRefusal` if the ledger has another one at that address.
   */
  async import(group: Omit<GroupOffer, "createdBlock">): Promise<GroupAddress> {
    const { address } = group;
    if (!this.#ports.has(address)) {
      const found = await this.#ports.findOnLedger(address);
      if (found === undefined)
        throw new NodeRefusal(
          `The factory did not create a group at ${address} on this chain. Check the address and the network.`,
        );
      const offer = { ...group, createdBlock: found.block };
      try {
        await this.#join(offer);
      } catch (error) {
        if (error instanceof OfferRefusal)
          throw new NodeRefusal(
            `The group at ${address} is not as it is described here: ${error.message}.`,
          );
        throw error;
      }
      this.#offer(offer, offer.members);
    }
    await this.#ports.begin(address);
    return address;
  }

  /** Creates a group on the ledger and joins it. */
  async create(
    options: Parameters<NodeService["createGroup"]>[0],
  ): Promise<GroupAddress> {
    const { addresses, externalCalls } = this.check(options);
    const plan = { ...options, policy: this.#options.policy };
    const { address, block } = await this.#ports.createOnLedger({
      members: addresses,
      threshold: options.threshold,
      externalCalls,
      salt: genesisSalt(plan),
    });
    const offer: GroupOffer = { ...plan, address, createdBlock: block };
    await this.#join(offer);
    // Nobody else hears of a group that cannot begin.
    await this.#ports.begin(address);
    this.#offer(offer, offer.members);
    return address;
  }

  /** Throws a `NodeRefusal` for a group that can never be created here. */
  check({ domain, members, threshold, configuration }: WantedGroup): {
    readonly addresses: readonly Address[];
    readonly externalCalls: boolean;
  } {
    const { domains, directory } = this.#ports;
    const known = domains.get(domain);
    if (known === undefined)
      throw new NodeRefusal(
        `There is no domain "${domain}". Use one of: ${[...domains.keys()].join(", ")}.`,
      );
    if (new Set(members).size !== members.length)
      throw new NodeRefusal("A member stands twice. Name every member once.");
    if (!members.includes(this.#options.self))
      throw new NodeRefusal(
        `${this.#options.self} creates the group and has to be a member of it.`,
      );
    const plan = { members, configuration };
    try {
      known.checkGroup(plan);
    } catch (error) {
      if (error instanceof DomainRefusal) throw new NodeRefusal(error.message);
      throw error;
    }
    const endorsers = endorsersOf(known, plan);
    if (
      !Number.isInteger(threshold) ||
      threshold < 1 ||
      threshold > endorsers.length
    )
      throw new NodeRefusal(
        `The threshold must be from 1 to ${endorsers.length}, the number of members that endorse, but is ${threshold}.`,
      );
    const addressOf = (name: NodeName): Address => {
      const address = directory.endorserOf(name);
      if (address === undefined)
        throw new NodeRefusal(
          `${this.#options.self} does not know the node "${name}". It knows: ${directory.names().join(", ")}.`,
        );
      return address;
    };
    // A member that nobody knows could never join.
    const addresses = new Map(members.map((name) => [name, addressOf(name)]));
    return {
      addresses: endorsers.map(
        (name) => addresses.get(name) ?? addressOf(name),
      ),
      externalCalls: known.allowsCalls?.(plan) ?? false,
    };
  }

  /** Somebody says that this node is a member of a group. The ledger knows. */
  consider(from: NodeName, offer: GroupOffer): void {
    const { address } = offer;
    // Whatever one peer says about a group, and however often, others are heard about it too.
    const own = this.#considering.get(from) ?? new Set();
    if (own.has(address) || own.size >= CONSIDERED_MAX) return;
    this.#considering.set(from, own.add(address));
    void this.#decide(offer)
      .then((verdict) => {
        if (verdict === "joined")
          this.#ports.send(from, { type: "joined", group: address });
        if (verdict instanceof OfferRefusal) {
          const { message: reason } = verdict;
          this.#ports.onFact({ type: "GroupRefused", group: address, reason });
        }
        // It is asked for again: the chain may show it later.
        const isUnseen = verdict instanceof CreationUnseen;
        this.#ports.onConsidered(from, address, isUnseen ? "later" : verdict);
      })
      .finally(() => {
        own.delete(address);
        if (own.size === 0) this.#considering.delete(from);
      });
  }

  async #decide(offer: GroupOffer): Promise<Verdict> {
    if (this.#ports.has(offer.address)) return "joined";
    try {
      await this.#join(offer);
      return "joined";
    } catch (error) {
      if (error instanceof OfferRefusal) return error;
      // It is offered again, and then the chain may answer.
      if (error instanceof ChainError || error instanceof NodeRefusal)
        return "later";
      throw error;
    }
  }

  /** Offers a group to members that were added to it, and to nobody who is no member any more. */
  offerToAdded(stored: StoredGroup): void {
    const { self } = this.#options;
    const { address, members } = stored;
    this.#offers.keep(address, members.includes(self) ? members : []);
    if (members.includes(self))
      this.#offer(offerOf(stored), addedMembers(stored));
  }

  #offer(offer: GroupOffer, members: readonly NodeName[]): void {
    const { self } = this.#options;
    const others = members.filter((name) => name !== self);
    this.#offers.add(offer, others);
  }

  joined(group: GroupAddress, name: NodeName): void {
    this.#offers.joined(group, name);
  }

  repeat(): void {
    this.#offers.repeat();
  }

  async #join(offer: GroupOffer): Promise<void> {
    const { client, domains, directory } = this.#ports;
    const { self, factory } = this.#options;
    const facts = await findGroupFacts(client, {
      factory,
      group: offer.address,
      block: offer.createdBlock,
    });
    // A node need not know founders that have left, if the ledger says that it endorses now.
    const isFounder =
      offer.members.includes(self) &&
      offer.members.every((name) => directory.endorserOf(name) !== undefined);
    const current =
      facts === undefined || isFounder
        ? undefined
        : await findCommittee(client, offer.address);
    const options = { domains, directory, self, factory, current };
    await this.#ports.join(acceptOffer(offer, facts, options));
  }
}
