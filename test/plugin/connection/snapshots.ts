import hardhatNetworkHelpers from "@nomicfoundation/hardhat-network-helpers";
import { expect } from "chai";
import type { NetworkConnection } from "hardhat/types/network";

import type {
  ClusterGroup,
  ClusterStartOptions,
  RunningCluster,
} from "../../../src/plugin/connection/types.ts";
import {
  aConnection,
  balanceOf,
  closeConnections,
  confirmed,
  mint,
  payOnes,
  receiptsOf,
  soon,
} from "../helpers/connection.ts";
import { anEnvironment } from "../helpers/environment.ts";
import { expectError } from "../helpers/errors.ts";

/** A connection with Hardhat's network helpers. */
async function aChain(): Promise<NetworkConnection<string>> {
  return await aConnection({ plugins: [hardhatNetworkHelpers] });
}

async function start(
  connection: NetworkConnection<string>,
  options: ClusterStartOptions = {},
): Promise<RunningCluster> {
  const settings = { ...soon, ...options.settings };
  const { sequencer } = connection;
  return await sequencer.start({
    nodes: 3,
    blockMs: 100,
    ...options,
    settings,
  });
}

/** What all members say after they have seen the chain as it is. */
async function expectBalance(
  cluster: RunningCluster,
  group: ClusterGroup,
  balances: Readonly<Record<string, bigint>>,
): Promise<void> {
  await cluster.synced();
  for (const node of group.members)
    for (const [account, balance] of Object.entries(balances))
      expect(await balanceOf(group, node, account), node).to.equal(balance);
}

async function blockNumber({
  provider,
}: NetworkConnection<string>): Promise<number> {
  return Number(await provider.request({ method: "eth_blockNumber" }));
}

describe("connection.sequencer: snapshots", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("lets tests share a fixture with nodes, again and again", async function () {
    const { networkHelpers, sequencer } = await aChain();
    async function fixture(connection: NetworkConnection<string>) {
      const cluster = await start(connection);
      const group = await cluster.createGroup({ domain: "group-token" });
      await mint(group, "pot", 10);
      return { cluster, group };
    }
    for (const round of [1, 2, 3]) {
      const { cluster, group } = await networkHelpers.loadFixture(fixture);
      expect(sequencer.cluster).to.equal(cluster);
      await expectBalance(cluster, group, { pot: 10n, shop: 0n });
      const pay = { from: "pot", to: "shop", count: 3 * round };
      await confirmed(await payOnes(group, pay));
      await expectBalance(cluster, group, { shop: BigInt(3 * round) });
    }
  });

  it("takes back databases and the chain, and keeps handles", async function () {
    const connection = await aChain();
    const cluster = await start(connection);
    const group = await cluster.createGroup({ domain: "group-token" });
    const alice = cluster.node("alice");
    await mint(group, "pot", 5);
    const before = await group.send("bob", "mint", { to: "pot", amount: 1 });
    const receipt = await before.confirmed();
    await cluster.synced();
    const states = group.states("carol").map(({ id }) => id);
    const height = await blockNumber(connection);
    const snapshot = await connection.networkHelpers.takeSnapshot();
    const late = await group.send("alice", "burn", { from: "pot", amount: 6 });
    await late.confirmed();
    const other = await cluster.createGroup({ domain: "group-token" });
    await mint(other, "pot", 1);
    await connection.networkHelpers.mine(30);
    const high = await blockNumber(connection);

    await snapshot.restore();
    expect(await blockNumber(connection)).to.be.within(height, high - 10);
    expect(connection.sequencer.cluster).to.equal(cluster);
    expect(cluster.node("alice")).to.equal(alice);
    expect(alice.isUp).to.equal(true);
    await expectBalance(cluster, group, { pot: 6n });
    expect(group.states("carol").map(({ id }) => id)).to.have.members(states);
    expect(await before.confirmed()).to.deep.equal(receipt);
    await expectError("INTENT_GONE", async () => await late.receipt());
    await expectError("INTENT_GONE", async () => await late.resume());
    await expectError("GROUP_GONE", async () => {
      await mint(other, "pot", 1);
    });
    await expectError("GROUP_GONE", () => other.states("bob"));
    // And everything works as ever.
    await mint(group, "pot", 4);
    const again = await cluster.createGroup({ domain: "group-token" });
    await mint(again, "pot", 2);
    await expectBalance(cluster, group, { pot: 10n });
    await expectBalance(cluster, again, { pot: 2n });
    for (const node of cluster.status()) expect(node.isUp).to.equal(true);
  });

  it("goes on with intents that were open, and tells those who wait in vain", async function () {
    const connection = await aChain();
    const cluster = await start(connection);
    const group = await cluster.createGroup({ domain: "group-token" });
    await mint(group, "pot", 20);
    await cluster.pauseMining();
    const open = await payOnes(group, { from: "pot", to: "shop", count: 6 });
    const waiting = receiptsOf(open);
    const snapshot = await connection.networkHelpers.takeSnapshot();
    const late = await group.send("bob", "mint", { to: "late", amount: 1 });
    const inVain = expectError(
      "INTENT_GONE",
      async () => await late.confirmed(),
    );
    await cluster.resumeMining();
    await snapshot.restore();
    await inVain;
    // Mining is paused again, as it was. Whoever waited before the snapshot still does.
    const height = await blockNumber(connection);
    expect(open.every((intent) => intent.effect() === undefined)).to.equal(
      true,
    );
    expect(await blockNumber(connection)).to.equal(height);
    await cluster.resumeMining();
    await waiting;
    await confirmed(open);
    await expectBalance(cluster, group, { shop: 6n, pot: 14n, late: 0n });
  });

  it("goes on with intents while snapshots are taken and restored all the time", async function () {
    const connection = await aChain();
    const cluster = await start(connection, { blockMs: 20 });
    const group = await cluster.createGroup({ domain: "group-token" });
    await mint(group, "pot", 200);
    let paid = 0;
    for (let round = 0; round < 6; round += 1) {
      const kept = await payOnes(group, { from: "pot", to: "shop", count: 9 });
      paid += kept.length;
      // Some are on the ledger by now, some are on their way, some are only on a disk.
      await Promise.race(kept.map(async (intent) => await intent.receipt()));
      const snapshot = await connection.networkHelpers.takeSnapshot();
      const lost = await payOnes(group, { from: "pot", to: "lost", count: 9 });
      await Promise.race(lost.map(async (intent) => await intent.receipt()));
      await snapshot.restore();
      await confirmed(kept);
    }
    await expectBalance(cluster, group, {
      shop: BigInt(paid),
      lost: 0n,
      pot: BigInt(200 - paid),
    });
  });

  it("goes back over several snapshots, inner ones first or not", async function () {
    const connection = await aChain();
    const cluster = await start(connection);
    const group = await cluster.createGroup({ domain: "group-token" });
    const { networkHelpers } = connection;
    const outer = await networkHelpers.takeSnapshot();
    await mint(group, "pot", 1);
    const inner = await networkHelpers.takeSnapshot();
    await mint(group, "pot", 1);
    await inner.restore();
    await expectBalance(cluster, group, { pot: 1n });
    await mint(group, "pot", 5);
    await inner.restore();
    await expectBalance(cluster, group, { pot: 1n });
    await outer.restore();
    await expectBalance(cluster, group, { pot: 0n });
    // The chain has forgotten it, and the nodes are left alone.
    await mint(group, "pot", 7);
    let error: unknown;
    await inner.restore().catch((reason: unknown) => (error = reason));
    expect(String(error)).to.include("snapshot");
    await expectBalance(cluster, group, { pot: 7n });
    await outer.restore();
    await expectBalance(cluster, group, { pot: 0n });
  });

  it("takes back what a test had broken, and what it had mended", async function () {
    const connection = await aChain();
    const cluster = await start(connection);
    const group = await cluster.createGroup({ domain: "group-token" });
    await mint(group, "pot", 10);
    const whole = await connection.networkHelpers.takeSnapshot();
    cluster.partition(["alice"], ["bob"], ["carol"]);
    cluster.revertNext(50);
    await cluster.node("bob").crash();
    await cluster.node("carol").holdBlocks();
    const broken = await connection.networkHelpers.takeSnapshot();
    cluster.heal();
    await cluster.node("bob").restart();
    cluster.node("carol").releaseBlocks();
    await broken.restore();
    expect(cluster.node("bob").isUp).to.equal(false);
    const { height } = cluster.node("carol");
    const stuck = await group.send("alice", "burn", { from: "pot", amount: 1 });
    await connection.networkHelpers.mine(5);
    await cluster.synced();
    expect(cluster.node("carol").height).to.equal(height);
    expect(stuck.explain()).to.be.a("string");
    await whole.restore();
    expect(cluster.nodes.every(({ isUp }) => isUp)).to.equal(true);
    await confirmed(
      await payOnes(group, { from: "pot", to: "shop", count: 9 }),
    );
    await expectBalance(cluster, group, { pot: 1n, shop: 9n });
  });

  it("has no nodes again if there were none", async function () {
    const connection = await aChain();
    const { networkHelpers, sequencer } = connection;
    const empty = await networkHelpers.takeSnapshot();
    for (let round = 0; round < 2; round += 1) {
      const cluster = await start(connection);
      const group = await cluster.createGroup({ domain: "group-token" });
      await mint(group, "pot", 1);
      await empty.restore();
      expect(sequencer.isRunning).to.equal(false);
      await expectError("CLUSTER_STOPPED", async () => {
        await mint(group, "pot", 1);
      });
    }
  });

  it("does not go back to nodes that were stopped", async function () {
    const connection = await aChain();
    const cluster = await start(connection);
    const snapshot = await connection.networkHelpers.takeSnapshot();
    await cluster.stop();
    const height = await blockNumber(connection);
    await expectError("SNAPSHOT_CLUSTER_STOPPED", async () => {
      await snapshot.restore();
    });
    await start(connection);
    await expectError("SNAPSHOT_CLUSTER_STOPPED", async () => {
      await snapshot.restore();
    });
    expect(await blockNumber(connection)).to.be.at.least(height);
  });

  it("can be reorganised before and after, behind the snapshot too", async function () {
    const connection = await aChain();
    const cluster = await start(connection);
    const group = await cluster.createGroup({ domain: "group-token" });
    await mint(group, "pot", 5);
    const early = await group.send("bob", "mint", { to: "pot", amount: 1 });
    const { block } = await early.confirmed();
    await cluster.synced();
    const snapshot = await connection.networkHelpers.takeSnapshot();
    for (let round = 0; round < 2; round += 1) {
      const late = await group.send("carol", "burn", {
        from: "pot",
        amount: 1,
      });
      const { block: fromBlock } = await late.confirmed();
      await cluster.reorganise({ fromBlock });
      await cluster.synced();
      await late.confirmed();
      await expectBalance(cluster, group, { pot: 5n });
      await snapshot.restore();
      await expectBalance(cluster, group, { pot: 6n });
    }
    // Behind the snapshot, which is gone with that.
    await cluster.reorganise({ fromBlock: block });
    await cluster.synced();
    await early.confirmed();
    await expectBalance(cluster, group, { pot: 6n });
    let error: unknown;
    await snapshot.restore().catch((reason: unknown) => (error = reason));
    expect(String(error)).to.include("snapshot");
    await expectBalance(cluster, group, { pot: 6n });
  });

  it("takes back users' transactions and listeners of the JSON-RPC", async function () {
    const connection = await aChain();
    const cluster = await start(connection);
    const alice = cluster.node("alice");
    const listeners = async (): Promise<unknown> =>
      await alice.request({
        method: "ptx_queryReceiptListeners",
        params: [{ limit: 10 }],
      });
    const listen = async (name: string): Promise<void> => {
      await alice.request({
        method: "ptx_createReceiptListener",
        params: [{ name }],
      });
    };
    await listen("kept");
    const snapshot = await connection.networkHelpers.takeSnapshot();
    await listen("lost");
    expect(await listeners()).to.have.lengthOf(2);
    await snapshot.restore();
    expect(await listeners()).to.have.lengthOf(1);
    await listen("lost");
    expect(await listeners()).to.have.lengthOf(2);
  });

  it("refuses to take back a chain that it cannot take back with its nodes", async function () {
    const host = await anEnvironment();
    const server = await host.network.createServer();
    const { address, port } = await server.listen();
    try {
      const hre = await anEnvironment({
        plugins: [hardhatNetworkHelpers],
        networks: { local: { type: "http", url: `http://${address}:${port}` } },
      });
      const connection = await hre.network.create("local");
      const { provider } = connection;
      const id: unknown = await provider.request({ method: "evm_snapshot" });
      const revert = { method: "evm_revert", params: [id] };
      const cluster = await start(connection);
      const group = await cluster.createGroup({ domain: "group-token" });
      await expectError("SNAPSHOT_NOT_SIMULATED", async () => {
        await provider.request(revert);
      });
      await mint(group, "pot", 1);
      await cluster.stop();
      expect(await provider.request(revert)).to.equal(true);
      await connection.close();
    } finally {
      await server.close();
    }
  });
});
