import { expect } from "chai";

import {
  aScene,
  balanceOf,
  closeConnections,
  confirmed,
  mint,
  payOnes,
  receiptsOf,
} from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";

describe("connection.sequencer: faults", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("loses nothing that was accepted when nodes crash under load", async function () {
    const { cluster, group } = await aScene();
    await mint(group, "pot", 60);
    const before = await payOnes(group, { from: "pot", to: "shop", count: 40 });
    await cluster.node("bob").crash();
    expect(cluster.node("bob").isUp).to.equal(false);
    expect(cluster.node("bob").status()).to.deep.equal({
      isUp: false,
      name: "bob",
      failure: undefined,
    });
    const others = ["alice", "carol", "dave"];
    const during = await payOnes(
      group,
      { from: "pot", to: "shop", count: 20 },
      others,
    );
    const waiting = before.find(({ node }) => node === "bob");
    expect(waiting?.explain()).to.include("bob is down");
    await cluster.node("bob").restart();
    await confirmed([...before, ...during]);
    await cluster.synced();
    for (const node of group.members)
      expect(await balanceOf(group, node, "shop")).to.equal(60n);
  });

  it("goes on with the majority when the network is cut, and heals", async function () {
    const { cluster, group } = await aScene();
    await mint(group, "pot", 30);
    cluster.partition(["alice", "bob", "carol"], ["dave"]);
    const cutOff = await payOnes(group, { from: "pot", to: "shop", count: 5 }, [
      "dave",
    ]);
    await confirmed(
      await payOnes(group, { from: "pot", to: "shop", count: 15 }, [
        "alice",
        "bob",
        "carol",
      ]),
    );
    expect(cutOff.every((intent) => intent.explain() !== undefined)).to.equal(
      true,
    );
    cluster.heal();
    await confirmed(cutOff);
    await cluster.synced();
    for (const node of group.members)
      expect(await balanceOf(group, node, "pot")).to.equal(10n);
  });

  it("stays right on a network that loses, delays and doubles", async function () {
    const { cluster, group } = await aScene({ seed: 7 });
    await mint(group, "pot", 20);
    for (const from of group.members)
      for (const to of group.members)
        if (from !== to)
          cluster.disturb(
            { from, to },
            { dropRate: 0.1, duplicateRate: 0.1, delayMs: { min: 0, max: 20 } },
          );
    const intents = await payOnes(group, {
      from: "pot",
      to: "shop",
      count: 20,
    });
    await confirmed(intents);
    cluster.heal();
    await cluster.synced();
    for (const node of group.members)
      expect(await balanceOf(group, node, "shop")).to.equal(20n);
  });

  it("works around a node that learns of blocks late", async function () {
    const { cluster, group } = await aScene();
    await mint(group, "pot", 10);
    await cluster.synced();
    const dave = cluster.node("dave");
    await dave.holdBlocks();
    const { height } = dave;
    await confirmed(
      await payOnes(group, { from: "pot", to: "shop", count: 6 }, [
        "alice",
        "bob",
        "carol",
      ]),
    );
    expect(dave.height).to.equal(height);
    expect(await balanceOf(group, "dave", "pot")).to.equal(10n);
    const own = await payOnes(group, { from: "pot", to: "shop", count: 4 }, [
      "dave",
    ]);
    dave.releaseBlocks();
    await confirmed(own);
    await cluster.synced();
    expect(await balanceOf(group, "dave", "shop")).to.equal(10n);
  });

  it("waits while no block is mined", async function () {
    const { cluster, group, connection } = await aScene({ nodes: 3 });
    await mint(group, "pot", 10);
    await cluster.pauseMining();
    const head = async (): Promise<number> =>
      await connection.ethers.provider.getBlockNumber();
    const height = await head();
    const intents = await payOnes(group, {
      from: "pot",
      to: "shop",
      count: 10,
    });
    // A base-ledger transaction waits, and no block comes.
    for (;;) {
      const block = (await connection.ethers.provider.send(
        "eth_getBlockTransactionCountByNumber",
        ["pending"],
      )) as string;
      if (Number(block) > 0) break;
    }
    expect(await head()).to.equal(height);
    expect(intents.map((intent) => intent.effect())).to.deep.equal(
      intents.map(() => undefined),
    );
    await cluster.resumeMining();
    await confirmed(intents);
  });

  it("tries again when the ledger reverts a transaction", async function () {
    const { cluster, group, connection } = await aScene({ nodes: 3 });
    await mint(group, "pot", 10);
    const { provider } = connection.ethers;
    const before = await provider.getBlockNumber();
    cluster.revertNext(2);
    const intents = await payOnes(group, {
      from: "pot",
      to: "shop",
      count: 10,
    });
    const receipts = await receiptsOf(intents);
    expect(receipts.every(({ type }) => type === "confirmed")).to.equal(true);
    await cluster.synced();
    expect(await balanceOf(group, "carol", "shop")).to.equal(10n);
    // They are on the chain and failed there, and so did what built on them.
    const failed: string[] = [];
    const last = await provider.getBlockNumber();
    for (let number = before + 1; number <= last; number++)
      for (const hash of (await provider.getBlock(number))?.transactions ??
        []) {
        const receipt = await provider.getTransactionReceipt(hash);
        if (receipt?.status === 0) failed.push(hash);
      }
    expect(failed).to.have.length.of.at.least(2);
  });

  it("lets the next transaction of one node revert", async function () {
    const { cluster, group } = await aScene({ nodes: 1 });
    cluster.node("alice").revertNext();
    await mint(group, "pot", 1);
    expect(await balanceOf(group, "alice", "pot")).to.equal(1n);
  });

  it("says what is wrong with a fault", async function () {
    const { cluster } = await aScene({ nodes: 2 });
    const both = { from: "alice", to: "bob" };
    await expectError("NODE_UNKNOWN", () => cluster.node("mallory"));
    await expectError("NODE_UNKNOWN", () => {
      cluster.partition(["alice"], ["mallory"]);
    });
    await expectError("NODE_UNKNOWN", () => {
      cluster.disturb({ from: "alice", to: "" }, { dropRate: 1 });
    });
    const wrong: readonly object[] = [
      { dropRate: -0.1 },
      { dropRate: 1.1 },
      { dropRate: NaN },
      { duplicateRate: "1" },
      { delayMs: -1 },
      { delayMs: { min: 2, max: 1 } },
      { delayMs: Infinity },
      { droprate: 0.5 },
    ];
    for (const faults of wrong)
      await expectError("OPTIONS_INVALID", () => {
        cluster.disturb(both, faults);
      });
    for (const count of [0, -1, 0.5, NaN, Infinity])
      await expectError("OPTIONS_INVALID", () => {
        cluster.revertNext(count);
      });
    await cluster.node("bob").crash();
    await expectError("REFUSED", async () => {
      await cluster.node("bob").holdBlocks();
    });
    await expectError("REFUSED", () => cluster.node("bob").height);
  });
});
