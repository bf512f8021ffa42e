import { expect } from "chai";
import type { NetworkConnection } from "hardhat/types/network";

import type { RunningCluster } from "../../../src/plugin/connection/types.ts";
import {
  coinsOf,
  createCoins,
  type OwnedCoins,
} from "../../../src/plugin/domains/owned-coins.ts";
import {
  aConnection,
  closeConnections,
  confirmed,
  soon,
} from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";

const treasury = "treasury@bank";
const alice = "till@alice";
const bob = "till@bob";

describe("owned-coins on real nodes", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  /** Two witnesses, and two owners who are none. */
  async function aScene(): Promise<{
    readonly connection: NetworkConnection<string>;
    readonly cluster: RunningCluster;
    readonly coins: OwnedCoins;
  }> {
    const connection = await aConnection();
    const cluster = await connection.sequencer.start({
      nodes: ["bank", "audit", "alice", "bob"],
      blockMs: 100,
      settings: soon,
    });
    const coins = await createCoins(cluster, {
      witnesses: ["bank", "audit"],
      issuers: [treasury],
      threshold: 2,
    });
    return { connection, cluster, coins };
  }

  async function issue(
    { cluster, coins }: { cluster: RunningCluster; coins: OwnedCoins },
    to: string,
    ...amounts: number[]
  ): Promise<void> {
    const issued = await Promise.all(
      amounts.map((amount) => coins.issue({ by: treasury, to, amount })),
    );
    await confirmed(issued);
    await cluster.synced();
  }

  it("lets owners who are no witnesses issue, pay, merge and redeem", async function () {
    const scene = await aScene();
    const { cluster, coins } = scene;
    expect(coins.group.domain).to.equal("owned-coins");
    await issue(scene, alice, 60, 40);
    const pay = await coins.pay({ from: alice, to: bob, amount: 70n });
    await pay.confirmed();
    await cluster.synced();
    expect(await coins.balanceOf(alice)).to.equal(30n);
    expect(await coins.balanceOf(bob)).to.equal(70n);
    for (const at of ["bank", "audit"])
      expect(await coins.balanceOf(bob, { at })).to.equal(70n);
    expect(pay.effect()?.infos.map(({ data }) => data)).to.deep.equal([
      { type: "pay", from: alice, to: bob, amount: "70" },
    ]);

    const back = await coins.pay({ from: bob, to: alice, amount: 20 });
    await back.confirmed();
    await cluster.synced();
    await confirmed([await coins.merge({ from: alice })]);
    await confirmed([await coins.redeem({ from: alice, amount: 45n })]);
    await cluster.synced();
    expect(await coins.balanceOf(alice)).to.equal(5n);
    expect(await coins.balanceOf(bob, { at: "audit" })).to.equal(50n);
  });

  it("has every owner coordinate and submit his own payments", async function () {
    const scene = await aScene();
    const { connection, cluster, coins } = scene;
    await issue(scene, alice, 50);
    await issue(scene, bob, 50);
    const payments = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        coins.pay(
          i % 2 === 0
            ? { from: alice, to: bob, amount: 2 }
            : { from: bob, to: alice, amount: 1 },
        ),
      ),
    );
    for (const payment of payments) {
      const { transactionHash } = await payment.confirmed();
      const transaction =
        await connection.ethers.provider.getTransaction(transactionHash);
      const { address } = cluster.node(payment.node);
      expect(transaction?.from.toLowerCase()).to.equal(address.toLowerCase());
    }
    await cluster.synced();
    expect(await coins.balanceOf(alice)).to.equal(40n);
    expect(await coins.balanceOf(bob)).to.equal(60n);
  });

  it("keeps what owners have apart", async function () {
    const scene = await aScene();
    const { coins } = scene;
    await issue(scene, alice, 10);
    await issue(scene, bob, 20);
    const seen = (node: string) =>
      coins.group.states(node).map(({ data }) => data);
    const alices = { owner: alice, amount: "10" };
    const bobs = { owner: bob, amount: "20" };
    expect(seen("alice")).to.deep.equal([alices]);
    expect(seen("bob")).to.deep.equal([bobs]);
    expect(seen("audit")).to.have.deep.members([alices, bobs]);
    await expectError("REFUSED", async () => {
      await coins.balanceOf(bob, { at: "alice" });
    });
  });

  it("ends every payment of an owner's node that crashes amid them", async function () {
    const scene = await aScene();
    const { cluster, coins } = scene;
    await issue(scene, alice, 30, 30, 30);
    const node = cluster.node("alice");
    const payments = await Promise.all(
      Array.from({ length: 12 }, () =>
        coins.pay({ from: alice, to: bob, amount: 5 }),
      ),
    );
    await node.crash();
    // Bob goes on: nobody waits for alice.
    await issue(scene, bob, 7);
    await confirmed([await coins.redeem({ from: bob, amount: 7 })]);
    await node.restart();
    await payments[0]?.confirmed();
    await node.restart();
    await confirmed(payments);
    await cluster.synced();
    expect(await coins.balanceOf(alice)).to.equal(30n);
    expect(await coins.balanceOf(bob)).to.equal(60n);
    expect(await coins.balanceOf(alice, { at: "audit" })).to.equal(30n);
  });

  it("waits for as many witnesses as the threshold says, and for nobody else", async function () {
    const scene = await aScene();
    const { cluster, coins: strict } = scene;
    const easy = await createCoins(cluster, { witnesses: ["bank"] });
    await issue(scene, alice, 10);
    await issue({ cluster, coins: easy }, alice, 10);
    await cluster.node("audit").crash();
    await cluster.node("bob").crash();
    const payment = { from: alice, to: bob, amount: 4 };
    const waiting = await strict.pay(payment);
    await confirmed([await easy.pay(payment)]);
    expect(waiting.effect()).to.equal(undefined);
    expect(waiting.explain()).to.be.a("string");
    await cluster.node("audit").restart();
    await waiting.confirmed();
    await cluster.node("bob").restart();
    await cluster.synced();
    expect(await strict.balanceOf(bob)).to.equal(4n);
    expect(await easy.balanceOf(bob)).to.equal(4n);
  });

  it("tells users what they did wrong", async function () {
    const { cluster, coins } = await aScene();
    const amount = 1;
    const wrong: readonly (() => Promise<unknown>)[] = [
      () => coins.issue({ by: alice, to: alice, amount }),
      () => coins.pay({ from: alice, to: "till@moon", amount }),
      () => coins.pay({ from: alice, to: bob, amount: 0 }),
      () => createCoins(cluster, { witnesses: ["moon"] }),
      () => createCoins(cluster, { witnesses: [] }),
      () => createCoins(cluster, { issuers: ["treasury"] }),
      () => createCoins(cluster, { witnesses: ["bank"], threshold: 2 }),
    ];
    for (const run of wrong)
      await expectError("REFUSED", async () => {
        await run();
      });
    for (const from of ["alice", "@alice", "a@b@c", ""])
      await expectError("ACCOUNT_INVALID", async () => {
        await coinsOf(coins.group).merge({ from });
      });
    const poor = await coins.pay({ from: alice, to: bob, amount });
    expect(await poor.receipt()).to.include({
      type: "reverted",
      reason: `"${alice}" has 0, and 1 is asked for.`,
    });
  });
});
