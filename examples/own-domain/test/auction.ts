import { expect } from "chai";
import { network } from "hardhat";
import type { ClusterGroup, RunningCluster } from "hardhat-sequencer";

import { auction } from "../domains/auction.ts";

/** Two houses endorse, and three members trade. */
describe("an auction", function () {
  let connection: Awaited<ReturnType<typeof network.create>>;
  let cluster: RunningCluster;
  let group: ClusterGroup;

  before(async function () {
    connection = await network.create();
    cluster = await connection.sequencer.start({ domains: [auction] });
    group = await cluster.createGroup({
      domain: "auction",
      threshold: 2,
      configuration: { houses: "north,south" },
    });
  });

  after(async function () {
    await connection.close();
  });

  /** A lot is named by the intent that opened it. */
  async function open(seller: string): Promise<string> {
    const intent = await group.send(seller, "open");
    await intent.confirmed();
    await cluster.synced();
    return intent.id;
  }

  async function bid(
    bidder: string,
    lot: string,
    amount: bigint,
  ): Promise<void> {
    const intent = await group.send(bidder, "bid", { lot, amount });
    await intent.confirmed();
  }

  async function close(seller: string, lot: string): Promise<void> {
    await cluster.synced();
    const intent = await group.send(seller, "close", { lot });
    await intent.confirmed();
    await cluster.synced();
  }

  /** Why an intent came to nothing. */
  async function reasonOf(
    node: string,
    functionName: string,
    args: Readonly<Record<string, string | bigint>>,
  ): Promise<string> {
    const intent = await group.send(node, functionName, args);
    const receipt = await intent.receipt();
    return receipt.type === "reverted" ? receipt.reason : receipt.type;
  }

  it("is won by the highest bid, and everybody learns it", async function () {
    const lot = await open("alice");
    await bid("bob", lot, 10n);
    await bid("carol", lot, 12n);
    await close("alice", lot);
    for (const node of group.members)
      expect(await group.query(node, "resultOf", { lot })).to.deep.equal({
        winner: "carol",
        price: 12n,
      });
  });

  it("hides bids from everybody but their bidder, the seller and the houses", async function () {
    const lot = await open("alice");
    await bid("bob", lot, 70n);
    await bid("carol", lot, 80n);
    await cluster.synced();
    const amountsSeenBy = (node: string): readonly string[] =>
      group
        .states(node)
        .filter(({ schema }) => schema === "bid")
        .map(({ data }) => (data as { readonly amount: string }).amount);
    expect(amountsSeenBy("bob")).to.deep.equal(["70"]);
    expect(amountsSeenBy("carol")).to.deep.equal(["80"]);
    for (const node of ["alice", "north", "south"])
      expect(amountsSeenBy(node)).to.have.members(["70", "80"]);
    await close("alice", lot);
    for (const node of group.members)
      expect(amountsSeenBy(node)).to.deep.equal([]);
  });

  it("counts bids that come at the same time, and takes the first of equals", async function () {
    const lot = await open("carol");
    await bid("bob", lot, 9n);
    const bidders = ["alice", "bob", "north", "south"];
    await Promise.all(bidders.map((bidder) => bid(bidder, lot, 9n)));
    await close("carol", lot);
    const result = await group.query("alice", "resultOf", { lot });
    expect(result).to.deep.equal({ winner: "bob", price: 9n });
  });

  it("can end without a bid", async function () {
    const lot = await open("bob");
    await close("bob", lot);
    const result = await group.query("carol", "resultOf", { lot });
    expect(result).to.deep.equal({ winner: "", price: 0n });
  });

  it("says why something cannot be done", async function () {
    const lot = await open("alice");
    const amount = 5n;
    expect(await reasonOf("bob", "close", { lot })).to.equal(
      "Only alice closes the lot.",
    );
    expect(await reasonOf("alice", "bid", { lot, amount })).to.equal(
      "A seller does not bid.",
    );
    await close("alice", lot);
    expect(await reasonOf("bob", "bid", { lot, amount })).to.equal(
      `There is no open lot ${lot}.`,
    );
  });

  it("refuses nonsense before anything is sent", async function () {
    const lot = await open("alice");
    const error: unknown = await group
      .send("bob", "bid", { lot, amount: 0n })
      .catch((reason: unknown) => reason);
    expect(String(error)).to.include("It cannot take");
    const plan = { domain: "auction", configuration: { houses: "east" } };
    const refusal: unknown = await cluster
      .createGroup(plan)
      .catch((reason: unknown) => reason);
    expect(String(refusal)).to.include('The house "east" is none of');
  });
});
