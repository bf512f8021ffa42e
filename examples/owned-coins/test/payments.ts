import { expect } from "chai";
import { network } from "hardhat";
import type { RunningCluster } from "hardhat-sequencer";
import { createCoins, type OwnedCoins } from "hardhat-sequencer/owned-coins";

/** A bank issues coins, an auditor looks on, and two shops pay each other. */
describe("coins of their owners", function () {
  let connection: Awaited<ReturnType<typeof network.create>>;
  let cluster: RunningCluster;
  let coins: OwnedCoins;

  before(async function () {
    connection = await network.create();
    cluster = await connection.sequencer.start();
    coins = await createCoins(cluster, {
      witnesses: ["bank", "audit"],
      issuers: ["treasury@bank"],
      threshold: 2,
    });
  });

  after(async function () {
    await connection.close();
  });

  it("go from account to account", async function () {
    const issue = await coins.issue({
      by: "treasury@bank",
      to: "till@alice",
      amount: 100n,
    });
    await issue.confirmed();
    await cluster.synced();

    const pay = await coins.pay({
      from: "till@alice",
      to: "till@bob",
      amount: 30n,
    });
    await pay.confirmed();
    await cluster.synced();

    expect(await coins.balanceOf("till@alice")).to.equal(70n);
    expect(await coins.balanceOf("till@bob")).to.equal(30n);
  });

  it("are seen by their owner and by witnesses", async function () {
    const error: unknown = await coins
      .balanceOf("till@alice", { at: "bob" })
      .catch((reason: unknown) => reason);
    expect(String(error)).to.include("bob does not see the coins");
    expect(await coins.balanceOf("till@alice", { at: "audit" })).to.equal(70n);
    const seenByBob = coins.group.states("bob").map(({ data }) => data);
    expect(seenByBob).to.deep.equal([{ owner: "till@bob", amount: "30" }]);
  });

  it("are paid even if the owner's node crashes", async function () {
    const payments = await Promise.all(
      [1n, 2n, 3n].map((amount) =>
        coins.pay({ from: "till@alice", to: "till@bob", amount }),
      ),
    );
    await cluster.node("alice").crash();
    await cluster.node("alice").restart();
    await Promise.all(payments.map((payment) => payment.confirmed()));
    await cluster.synced();
    expect(await coins.balanceOf("till@bob")).to.equal(36n);
    expect(await coins.balanceOf("till@bob", { at: "audit" })).to.equal(36n);
  });

  it("cannot be spent by somebody who does not have them", async function () {
    const pay = await coins.pay({
      from: "safe@alice",
      to: "till@bob",
      amount: 1n,
    });
    const receipt = await pay.receipt();
    expect(receipt).to.include({
      type: "reverted",
      reason: '"safe@alice" has 0, and 1 is asked for.',
    });
  });
});
