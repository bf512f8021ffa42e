import { expect } from "chai";

import type {
  ClusterGroup,
  RunningCluster,
  SentIntent,
} from "../../../src/plugin/connection/types.ts";
import {
  createToken,
  type NewToken,
  type Token,
} from "../../../src/plugin/domains/notarised-token.ts";
import type { GroupStatus } from "../../../src/node/service.ts";
import {
  aConnection,
  closeConnections,
  confirmed,
  receiptsOf,
  soon,
} from "../helpers/connection.ts";

const notaries = ["north", "east", "west"] as const;
const ann = "ann@shop";
const bob = "bob@farm";

const pool: NewToken = { notaries, threshold: 2 };

async function aCluster(
  settings: { readonly heartbeatMs?: number } = {},
): Promise<RunningCluster> {
  const connection = await aConnection();
  return await connection.sequencer.start({
    nodes: [...notaries, "shop", "farm"],
    blockMs: 100,
    // Everybody keeps his rank.
    settings: { ...soon, rangeSizeBlocks: 10_000, ...settings },
  });
}

/** A token as a holder's node sees it. */
function statusOf(
  cluster: RunningCluster,
  { address }: ClusterGroup,
): GroupStatus | undefined {
  const status = cluster.node("shop").status();
  return status.isUp
    ? status.groups.find((group) => group.address === address)
    : undefined;
}

/** The notary that coordinates, as soon as there is one, and not that one. */
async function coordinatorOf(
  cluster: RunningCluster,
  group: ClusterGroup,
  not?: string,
): Promise<string> {
  for (;;) {
    const active = statusOf(cluster, group)?.active;
    if (active !== undefined && active !== not) {
      expect(notaries).to.include(active);
      return active;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Who comes first to coordinate, unless somebody is silent. */
function firstFor(
  cluster: RunningCluster,
  group: ClusterGroup,
): string | undefined {
  return statusOf(cluster, group)?.ranking[0];
}

/** Each gets coins of his own, so that both pay at once. */
async function fundBoth(token: Token, each: number): Promise<void> {
  const minted = await Promise.all(
    [ann, bob].map((to) => token.mint({ by: "till@north", to, amount: each })),
  );
  await confirmed(minted);
}

/** Ann and Bob pay each other one at a time. */
async function payBackAndForth(
  token: Token,
  count: number,
): Promise<readonly SentIntent[]> {
  return await Promise.all(
    Array.from({ length: count }, (_, i) =>
      token.transfer({
        from: i % 2 === 0 ? ann : bob,
        to: i % 2 === 0 ? bob : ann,
        amount: 1,
      }),
    ),
  );
}

describe("notarised-token with a pool of notaries", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("goes on without the notary that coordinates, and ends everything that was asked", async function () {
    const cluster = await aCluster();
    const token = await createToken(cluster, pool);
    expect(token.group.threshold).to.equal(2);
    await fundBoth(token, 100);
    await cluster.synced();
    const done = await payBackAndForth(token, 10);
    await done[0]?.confirmed();
    // From here on all work is open, so somebody has to coordinate it.
    await cluster.pauseMining();
    const open = await payBackAndForth(token, 30);
    const active = await coordinatorOf(cluster, token.group);
    await cluster.node(active).crash();
    const next = await coordinatorOf(cluster, token.group, active);
    const late = await payBackAndForth(token, 30);
    await cluster.resumeMining();
    const receipts = await receiptsOf([...done, ...open, ...late]);
    expect(new Set(receipts.map(({ type }) => type))).to.deep.equal(
      new Set(["confirmed"]),
    );

    // The one that was away learns what happened, and endorses again.
    await cluster.node(active).restart();
    await cluster.node(next).crash();
    await confirmed([await token.transfer({ from: ann, to: bob, amount: 7 })]);
    await cluster.synced();
    for (const [node, account, amount] of [
      ["shop", ann, 93n],
      ["farm", bob, 107n],
      [active, ann, 93n],
      [active, bob, 107n],
    ] as const)
      expect(await token.balanceOf(account, { at: node })).to.equal(amount);
  });

  it("waits when fewer notaries are up than must endorse", async function () {
    const cluster = await aCluster();
    const token = await createToken(cluster, { notaries, threshold: 3 });
    await fundBoth(token, 10);
    await cluster.synced();
    await cluster.node("west").crash();
    const paying = await token.transfer({ from: ann, to: bob, amount: 1 });
    const burning = await token.burn({ from: bob, amount: 1 });
    const shop = cluster.node("shop");
    const height = shop.height;
    while (shop.height < height + 10)
      await new Promise((resolve) => setTimeout(resolve, 5));
    for (const intent of [paying, burning]) {
      expect(intent.effect()).to.equal(undefined);
      expect(intent.explain()).to.be.a("string");
    }
    await cluster.node("west").restart();
    await confirmed([paying, burning]);
  });

  it("has two tokens at once, each with a coordinator of its own", async function () {
    // So that nobody takes another one for silent on a machine that has much else to do.
    const cluster = await aCluster({ heartbeatMs: 500 });
    const one = await createToken(cluster, { ...pool, symbol: "ONE" });
    let two = await createToken(cluster, { ...pool, symbol: "TWO" });
    // First places are dealt out by the address of the token, which is by chance.
    for (let i = 0; i < 40; i++) {
      if (firstFor(cluster, one.group) !== firstFor(cluster, two.group)) break;
      two = await createToken(cluster, { ...pool, symbol: "TWO" });
    }
    await Promise.all([fundBoth(one, 50), fundBoth(two, 30)]);
    await cluster.pauseMining();
    const payments = await Promise.all([
      payBackAndForth(one, 30),
      payBackAndForth(two, 30),
    ]);
    const coordinators = [
      await coordinatorOf(cluster, one.group),
      await coordinatorOf(cluster, two.group),
    ];
    await cluster.resumeMining();
    expect(coordinators).to.deep.equal([
      firstFor(cluster, one.group),
      firstFor(cluster, two.group),
    ]);
    expect(new Set(coordinators).size).to.equal(2);
    await confirmed(payments.flat());
    await cluster.synced();
    for (const notary of notaries) {
      expect(await one.balanceOf(ann, { at: notary })).to.equal(50n);
      expect(await two.balanceOf(ann, { at: notary })).to.equal(30n);
    }
  });
});
