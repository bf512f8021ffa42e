import { expect } from "chai";

import {
  aConnection,
  aScene,
  balanceOf,
  closeConnections,
  confirmed,
  mint,
  payOnes,
  receiptsOf,
  soon,
} from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";

describe("connection.sequencer: intents", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("lets four nodes spend one shared state", async function () {
    const { cluster, group, connection } = await aScene();
    expect(group.members).to.deep.equal(["alice", "bob", "carol", "dave"]);
    expect(group.threshold).to.equal(3);
    await mint(group, "pot", 40);
    await cluster.synced();
    expect(group.states("dave").map(({ data }) => data)).to.deep.equal([
      { account: "pot", amount: "40" },
    ]);

    const intents = await payOnes(group, {
      from: "pot",
      to: "shop",
      count: 40,
    });
    const receipts = await receiptsOf(intents);
    expect(new Set(receipts.map(({ type }) => type))).to.deep.equal(
      new Set(["confirmed"]),
    );
    const hashes = receipts.flatMap((receipt) =>
      receipt.type === "confirmed" ? [receipt.transactionHash] : [],
    );
    for (const hash of new Set(hashes)) {
      const transaction =
        await connection.ethers.provider.getTransactionReceipt(hash);
      expect(transaction?.status).to.equal(1);
    }

    await cluster.synced();
    for (const node of group.members) {
      expect(await balanceOf(group, node, "shop")).to.equal(40n);
      expect(await balanceOf(group, node, "pot")).to.equal(0n);
    }
  });

  it("tells why an intent reverted", async function () {
    const { group } = await aScene({ nodes: 1 });
    await mint(group, "pot", 5);
    const intent = await group.send("alice", "burn", {
      from: "pot",
      amount: 6n,
    });
    const receipt = await intent.receipt();
    expect(receipt.type).to.equal("reverted");
    if (receipt.type === "reverted")
      expect(receipt.reason).to.equal('"pot" has 5, and 6 is asked for.');
    expect(receipt.id).to.equal(intent.id);
    await expectError("INTENT_REVERTED", intent.confirmed.bind(intent));
    expect(intent.explain()).to.equal(undefined);
    expect(intent.effect()).to.equal(undefined);
  });

  it("waits for what an intent depends on", async function () {
    const { group } = await aScene({ nodes: 2 });
    const first = await group.send("alice", "mint", { to: "a", amount: 1n });
    const second = await group.send(
      "bob",
      "transfer",
      { from: "a", to: "b", amount: 1n },
      { dependsOn: [first], from: "an-employee" },
    );
    const [one, two] = [await first.confirmed(), await second.confirmed()];
    expect(two.block).to.be.at.least(one.block);
    const [spent] = second.effect()?.spent ?? [];
    const [created] = second.effect()?.confirmed ?? [];
    expect(spent?.data ?? { account: "a", amount: "1" }).to.deep.equal({
      account: "a",
      amount: "1",
    });
    expect(created?.data).to.deep.equal({ account: "b", amount: "1" });
  });

  it("serves two groups at once, which know nothing of each other", async function () {
    const { cluster, group } = await aScene();
    const other = await cluster.createGroup({
      domain: "group-token",
      name: "two of four",
      members: ["carol", "dave"],
      threshold: 2,
    });
    expect(other.address).to.not.equal(group.address);
    await Promise.all([mint(group, "pot", 10), mint(other, "pot", 20)]);
    await Promise.all([
      payOnes(group, { from: "pot", to: "shop", count: 10 }).then(confirmed),
      payOnes(other, { from: "pot", to: "shop", count: 10 }).then(confirmed),
    ]);
    await cluster.synced();
    expect(await balanceOf(group, "carol", "pot")).to.equal(0n);
    expect(await balanceOf(other, "carol", "pot")).to.equal(10n);
    await expectError("NODE_NOT_MEMBER", async () => {
      await other.query("alice", "balanceOf", { account: "pot" });
    });
    expect(cluster.node("alice").status()).to.have.nested.property(
      "groups.length",
      1,
    );
    expect(cluster.node("dave").status()).to.have.nested.property(
      "groups.length",
      2,
    );
  });

  it("takes functions by name or by signature, and integers in many ways", async function () {
    const { group } = await aScene({ nodes: ["solo"] });
    const send = async (name: string, amount: bigint | number | string) => {
      const intent = await group.send("solo", name, { to: "a", amount });
      await intent.confirmed();
    };
    await send("mint", 1n);
    await send("mint(string,uint256)", 2);
    await send("mint( string, uint256 )", "3");
    expect(await balanceOf(group, "solo", "a")).to.equal(6n);
    expect(
      await group.query("solo", "balanceOf(string)", { account: "a" }),
    ).to.deep.equal({ balance: 6n, coins: 3n });
  });

  it("says what is wrong with a call", async function () {
    const { group, cluster } = await aScene({ nodes: 2 });
    const send = async (name: string, args: object, node = "alice") => {
      await group.send(node, name, args as never);
    };
    const to = "a";
    await expectError("FUNCTION_UNKNOWN", async () => {
      await send("steal", {});
    });
    await expectError("FUNCTION_UNKNOWN", async () => {
      await send("mint(string)", { to });
    });
    await expectError("FUNCTION_IS_VIEW", async () => {
      await send("balanceOf", { account: "a" });
    });
    await expectError("FUNCTION_IS_NO_VIEW", async () => {
      await group.query("alice", "mint", { to, amount: 1 });
    });
    const wrong: readonly object[] = [
      {},
      { to },
      { amount: 1 },
      { to, amount: 1, memo: "x" },
      { to, amount: -1 },
      { to, amount: 1.5 },
      { to, amount: NaN },
      { to, amount: 2n ** 256n },
      { to, amount: "0x" },
      { to, amount: null },
      { to, amount: [1] },
      { to: 7, amount: 1 },
      [to, 1],
    ];
    for (const args of wrong)
      await expectError("ARGUMENTS_INVALID", async () => {
        await send("mint", args);
      });
    // What the ABI allows and the domain does not.
    for (const args of [
      { to, amount: 0 },
      { to: "", amount: 1 },
      { to: "a b", amount: 1 },
    ])
      await expectError("REFUSED", async () => {
        await send("mint", args);
      });
    await expectError("NODE_UNKNOWN", async () => {
      await send("mint", { to, amount: 1 }, "mallory");
    });
    await expectError("INTENT_ID_INVALID", async () => {
      await group.send(
        "alice",
        "mint",
        { to, amount: 1 },
        { dependsOn: ["x"] },
      );
    });
    await cluster.node("bob").crash();
    await expectError("REFUSED", async () => {
      await send("mint", { to, amount: 1 }, "bob");
    });
  });

  it("says what is wrong with a group", async function () {
    const connection = await aConnection();
    const cluster = await connection.sequencer.start({
      nodes: 2,
      settings: soon,
    });
    const domain = "group-token";
    await expectError("REFUSED", async () => {
      await cluster.createGroup({ domain: "no-such-domain" });
    });
    await expectError("NODE_UNKNOWN", async () => {
      await cluster.createGroup({ domain, members: ["alice", "mallory"] });
    });
    await expectError("REFUSED", async () => {
      await cluster.createGroup({ domain, members: ["alice", "alice"] });
    });
    for (const threshold of [0, 3, 1.5, NaN])
      await expectError("REFUSED", async () => {
        await cluster.createGroup({ domain, threshold });
      });
    await expectError("REFUSED", async () => {
      await cluster.createGroup({ domain, configuration: { supply: "1" } });
    });
    await expectError("REFUSED", async () => {
      await cluster.createGroup({ domain, members: [] });
    });
  });
});
