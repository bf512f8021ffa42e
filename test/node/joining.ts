import { expect } from "chai";

import { parseAddress } from "../../src/ledger/index.ts";
import { genesisSalt } from "../../src/node/groups/genesis.ts";
import {
  acceptOffer,
  type LedgerGroupFacts,
  OfferRefusal,
} from "../../src/node/groups/joining.ts";
import type { GroupOffer } from "../../src/node/groups/offer.ts";
import { whispers } from "../helpers/whispers.ts";
import { groupAt, nodeName, word } from "../helpers/stores.ts";

const [alice, bob, carol] = ["alice", "bob", "carol"].map(nodeName);
if (alice === undefined || bob === undefined || carol === undefined)
  throw new Error("no names");
const addresses = new Map([
  [alice, parseAddress(groupAt(21))],
  [bob, parseAddress(groupAt(22))],
  [carol, parseAddress(groupAt(23))],
]);

const offer: GroupOffer = {
  id: word(1),
  address: groupAt(1),
  name: "club",
  domain: "whispers",
  members: [alice, bob],
  threshold: 1,
  policy: "sticky",
  configuration: { b: "2", a: "1" },
  createdBlock: 7,
};
const facts: LedgerGroupFacts = {
  members: [groupAt(21)],
  threshold: 1,
  externalCalls: false,
  creator: groupAt(31),
  salt: genesisSalt(offer),
  transactionHash: word(9),
  block: 7,
};
const ports = {
  domains: new Map([[whispers.name, whispers]]),
  directory: {
    endorserOf: (name: string) =>
      [...addresses].find(([known]) => known === name)?.[1],
    names: () => [...addresses.keys()],
    isSignedBy: async () => await Promise.resolve(false),
  },
  self: bob,
  factory: groupAt(41),
};

describe("joining a group", () => {
  it("takes what the ledger confirms, in whatever order it is written", () => {
    const stored = acceptOffer(
      { ...offer, configuration: { a: "1", b: "2" } },
      facts,
      ports,
    );
    expect(stored.members).to.deep.equal([alice, bob]);
    expect(stored.committee).to.deep.equal([
      { name: alice, endorser: addresses.get(alice) },
    ]);
  });

  const lies: Readonly<Record<string, Partial<GroupOffer>>> = {
    "another id": { id: word(2) },
    "another name": { name: "clubs" },
    "one more member": { members: [alice, bob, carol] },
    "another endorser": { members: [bob, alice] },
    "another threshold": { threshold: 2 },
    "another policy": { policy: "rotating" },
    "other settings": { configuration: { a: "1", b: "3" } },
    "settings that were not there": {
      configuration: { ...offer.configuration, c: "" },
    },
    "no place for this node": { members: [alice, carol] },
    "a domain that nobody has": { domain: "shouts" },
  };
  for (const [what, lie] of Object.entries(lies))
    it(`refuses to be told ${what}`, () => {
      expect(() => acceptOffer({ ...offer, ...lie }, facts, ports)).to.throw(
        OfferRefusal,
      );
    });

  it("takes a group to which the ledger added this node", () => {
    const added = { ...ports, self: carol };
    const current = { members: [groupAt(21), groupAt(23)], threshold: 2 };
    const stored = acceptOffer(offer, facts, { ...added, current });
    // It gets to know of the change when it indexes the past of the group.
    expect(stored.members).to.deep.equal([alice, bob]);
    expect(stored.threshold).to.equal(1);
    for (const members of [[groupAt(21)], []])
      expect(() =>
        acceptOffer(offer, facts, {
          ...added,
          current: { members, threshold: 1 },
        }),
      ).to.throw(OfferRefusal);
    expect(() => acceptOffer(offer, facts, added)).to.throw(OfferRefusal);
  });

  it("takes such a group also from founders that it does not know, and no other one", () => {
    const knowsOnlyItself = {
      ...ports,
      self: carol,
      current: { members: [groupAt(23)], threshold: 1 },
      directory: {
        ...ports.directory,
        names: () => [carol],
        endorserOf: (name: string) =>
          name === carol ? parseAddress(groupAt(23)) : undefined,
      },
    };
    const stored = acceptOffer(offer, facts, knowsOnlyItself);
    expect(stored.committee).to.deep.equal([
      { name: undefined, endorser: addresses.get(alice) },
    ]);
    for (const lie of Object.values(lies))
      expect(() =>
        acceptOffer({ ...offer, ...lie }, facts, knowsOnlyItself),
      ).to.throw(OfferRefusal);
    const others = { ...facts, members: [groupAt(21), groupAt(22)] };
    expect(() => acceptOffer(offer, others, knowsOnlyItself)).to.throw(
      OfferRefusal,
    );
  });

  it("refuses a group whose ledger makes public calls against its settings", () => {
    const calling = { ...offer, configuration: { calls: "true" } };
    const salt = genesisSalt(calling);
    expect(() =>
      acceptOffer(offer, { ...facts, externalCalls: true }, ports),
    ).to.throw(OfferRefusal, "makes public calls");
    expect(() => acceptOffer(calling, { ...facts, salt }, ports)).to.throw(
      OfferRefusal,
      "does not make public calls",
    );
    acceptOffer(calling, { ...facts, salt, externalCalls: true }, ports);
  });

  it("refuses what the factory did not create", () => {
    expect(() => acceptOffer(offer, undefined, ports)).to.throw(OfferRefusal);
  });
});
