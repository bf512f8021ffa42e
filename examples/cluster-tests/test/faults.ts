import { expect } from "chai";
import { network } from "hardhat";
import type {
  ClusterGroup,
  RunningCluster,
  SentIntent,
} from "hardhat-sequencer";

/** Four organisations spend the coins of one account, and things go wrong. */
describe("a shared account", function () {
  let connection: Awaited<ReturnType<typeof network.create>>;
  let cluster: RunningCluster;
  let group: ClusterGroup;

  beforeEach(async function () {
    connection = await network.create();
    cluster = await connection.sequencer.start();
    group = await cluster.createGroup({ domain: "group-token" });
    const mint = group.send("alice", "mint", { to: "pot", amount: 50n });
    await expect(mint).to.be.confirmed;
  });

  afterEach(async function () {
    await connection.close();
  });

  /** Every node in turn pays one coin. */
  async function pay(
    count: number,
    nodes: readonly string[] = group.members,
  ): Promise<readonly SentIntent[]> {
    return await Promise.all(
      Array.from({ length: count }, async (_, i) =>
        group.send(nodes[i % nodes.length] ?? "", "transfer", {
          from: "pot",
          to: "shop",
          amount: 1n,
        }),
      ),
    );
  }

  async function confirmed(intents: readonly SentIntent[]): Promise<void> {
    await Promise.all(intents.map((intent) => intent.confirmed()));
    await cluster.synced();
  }

  /** What all nodes agree on. */
  async function expectPaid(coins: bigint): Promise<void> {
    for (const node of group.members) {
      const shop = await group.query(node, "balanceOf", { account: "shop" });
      expect(shop["balance"]).to.equal(coins);
    }
  }

  it("is spent by everybody, without a collision", async function () {
    const intents = await pay(20);
    await confirmed(intents);
    await expectPaid(20n);
    const [receipt] = await Promise.all(intents.map((one) => one.receipt()));
    expect(receipt?.type).to.equal("confirmed");
  });

  it("cannot be overdrawn, and says so", async function () {
    const intent = await group.send("bob", "burn", { from: "pot", amount: 51 });
    const receipt = await intent.receipt();
    expect(receipt).to.deep.equal({
      type: "reverted",
      id: intent.id,
      reason: '"pot" has 50, and 51 is asked for.',
    });
    // The same with a matcher.
    await expect(intent).to.be.revertedWithReason(/has 50/);
  });

  it("loses nothing when a node crashes", async function () {
    const intents = await pay(20);
    const bob = cluster.node("bob");
    await bob.crash();
    expect(cluster.status().filter(({ isUp }) => isUp)).to.have.lengthOf(3);
    await bob.restart();
    await confirmed(intents);
    await expectPaid(20n);
  });

  it("is spent by the majority while the network is cut", async function () {
    cluster.partition(["alice", "bob", "carol"], ["dave"]);
    const cutOff = await pay(2, ["dave"]);
    await confirmedBy(["alice", "bob", "carol"]);
    for (const intent of cutOff) expect(intent.explain()).to.be.a("string");
    cluster.heal();
    await confirmed(cutOff);
    await expectPaid(8n);
  });

  async function confirmedBy(nodes: readonly string[]): Promise<void> {
    const intents = await pay(6, nodes);
    await Promise.all(intents.map((intent) => intent.confirmed()));
  }

  it("survives a network that loses messages", async function () {
    cluster.disturb(
      { from: "alice", to: "bob" },
      { dropRate: 0.3, delayMs: { min: 0, max: 30 } },
    );
    await confirmed(await pay(10));
    await expectPaid(10n);
  });

  it("waits for blocks", async function () {
    await cluster.pauseMining();
    const intents = await pay(4);
    expect(intents.every((intent) => intent.effect() === undefined)).to.equal(
      true,
    );
    await cluster.resumeMining();
    await confirmed(intents);
    await expectPaid(4n);
  });

  it("is spent again by a node that lagged behind", async function () {
    const dave = cluster.node("dave");
    await dave.holdBlocks();
    const intents = await pay(6, ["alice", "bob", "carol"]);
    await Promise.all(intents.map((intent) => intent.confirmed()));
    dave.releaseBlocks();
    await confirmed(await pay(2, ["dave"]));
    await expectPaid(8n);
  });

  it("is paid in the end when base-ledger transactions fail", async function () {
    cluster.revertNext(2);
    await confirmed(await pay(6));
    await expectPaid(6n);
  });

  it("has the same balance after a reorganisation", async function () {
    const intents = await pay(6);
    await confirmed(intents);
    const blocks = await Promise.all(
      intents.map(async (intent) => (await intent.confirmed()).block),
    );
    await cluster.reorganise({ fromBlock: Math.min(...blocks) });
    await cluster.synced();
    await confirmed(intents);
    await expectPaid(6n);
  });
});
