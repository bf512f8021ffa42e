import { expect } from "chai";

import type { RunningCluster } from "../../../src/plugin/connection/types.ts";
import {
  createToken,
  type NewToken,
  type Token,
  tokenOf,
} from "../../../src/plugin/domains/notarised-token.ts";
import {
  aConnection,
  closeConnections,
  confirmed,
  soon,
} from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";

interface Scene {
  readonly cluster: RunningCluster;
  readonly token: Token;
}

const till = "till@bank";
const ann = "ann@shop";
const bob = "bob@farm";

/** A bank that notarises, and two that only hold coins. */
async function aScene(options: NewToken = {}): Promise<Scene> {
  const connection = await aConnection();
  const cluster = await connection.sequencer.start({
    nodes: ["bank", "shop", "farm"],
    blockMs: 100,
    settings: soon,
  });
  return { cluster, token: await createToken(cluster, options) };
}

async function fund(
  { cluster, token }: Scene,
  to: string,
  amount: number,
): Promise<void> {
  await confirmed([await token.mint({ by: till, to, amount })]);
  await cluster.synced();
}

describe("notarised-token on real nodes", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("moves money between holders that do not endorse", async function () {
    const scene = await aScene({ name: "Deposits", symbol: "DEP" });
    const { cluster, token } = scene;
    expect(token.group.threshold).to.equal(1);
    await fund(scene, ann, 100);
    // Bob passes on what is not on the ledger yet.
    const first = await token.transfer({ from: ann, to: bob, amount: 30n });
    const second = await token.transfer(
      { from: bob, to: ann, amount: 10n },
      { dependsOn: [first], data: "0xcafe" },
    );
    const third = await token.burn(
      { from: bob, amount: 5 },
      { dependsOn: [second] },
    );
    await confirmed([first, second, third]);
    await cluster.synced();
    for (const node of ["shop", "bank"])
      expect(await token.balanceOf(ann, { at: node })).to.equal(80n);
    for (const node of ["farm", "bank"])
      expect(await token.balanceOf(bob, { at: node })).to.equal(15n);
    expect(second.effect()?.infos.map(({ data }) => data)).to.deep.equal([
      {
        by: bob,
        transfers: [{ from: bob, to: ann, amount: "10" }],
        data: "0xcafe",
      },
    ]);
    const { "0": symbol } = await token.group.query("farm", "symbol");
    expect(symbol).to.equal("DEP");
  });

  it("shows holders what is theirs, and the notary everything", async function () {
    const scene = await aScene();
    const { token } = scene;
    await fund(scene, ann, 7);
    await fund(scene, bob, 8);
    const seen = (node: string) =>
      token.group.states(node).map(({ data }) => data);
    const anns = { owner: ann, amount: "7" };
    const bobs = { owner: bob, amount: "8" };
    expect(seen("shop")).to.deep.equal([anns]);
    expect(seen("farm")).to.deep.equal([bobs]);
    expect(seen("bank")).to.have.deep.members([anns, bobs]);
    await expectError("REFUSED", async () => {
      await token.balanceOf(bob, { at: "shop" });
    });
  });

  it("refuses at once what can never be, and reverts what cannot be now", async function () {
    const scene = await aScene({ allowBurn: false });
    const { token } = scene;
    for (const attempt of [
      async () => await token.mint({ by: ann, to: ann, amount: 1 }),
      async () => await token.burn({ from: ann, amount: 1 }),
      async () => await token.transfer({ from: ann, to: "x@y", amount: 1 }),
    ])
      await expectError("REFUSED", attempt);
    await expectError("ACCOUNT_INVALID", async () => {
      await token.transfer({ from: "ann", to: bob, amount: 1 });
    });
    await fund(scene, ann, 3);
    const much = await token.transfer({ from: ann, to: bob, amount: 4 });
    expect(await much.receipt()).to.include({
      type: "reverted",
      reason: `${ann} has 3, and needs 4.`,
    });
  });

  it("parks a transfer until there is money and its user resumes it", async function () {
    const scene = await aScene();
    const { cluster, token } = scene;
    const rent = await token.transferWhenFunded({
      from: ann,
      to: bob,
      amount: 50,
    });
    await until(
      () =>
        rent.explain() ===
        `It is parked: ${ann} has 0, and needs 50. Resume it when it is ready.`,
    );
    await fund(scene, ann, 60);
    expect(await rent.resume()).to.equal(true);
    await rent.confirmed();
    expect(await rent.resume()).to.equal(false);
    await cluster.synced();
    expect(await token.balanceOf(bob, { at: "farm" })).to.equal(50n);
  });

  it("lets a delegate on another node unlock what was prepared, and nothing else", async function () {
    const scene = await aScene();
    const { cluster, token } = scene;
    await fund(scene, ann, 100);
    const { id: lockId } = await sent(token.lock({ from: ann, amount: 60 }));
    const recipients = [{ to: bob, amount: 40n }];
    await sent(
      token.prepareUnlock({
        from: ann,
        lockId,
        recipients,
        unlockData: "0x07",
      }),
    );
    await expectError("REFUSED", async () => {
      await token.lockOf(lockId, { at: "farm" });
    });
    await sent(token.delegateLock({ by: ann, lockId, delegate: bob }));
    await cluster.synced();
    expect(await token.lockOf(lockId, { at: "farm" })).to.deep.equal({
      owner: ann,
      amount: 60n,
      delegate: bob,
      isPrepared: true,
      recipients,
      unlockData: "0x07",
    });
    const unlock = { by: bob, from: ann, lockId, recipients };
    const greedy = await token.unlock({
      ...unlock,
      recipients: [{ to: bob, amount: 60n }],
    });
    expect((await greedy.receipt()).type).to.equal("reverted");
    const owner = await token.unlock({ ...unlock, by: ann });
    expect((await owner.receipt()).type).to.equal("reverted");
    await sent(token.unlock(unlock, { data: "0x07" }));
    await cluster.synced();
    expect(await token.balanceOf(bob, { at: "farm" })).to.equal(40n);
    expect(await token.balanceOf(ann, { at: "shop" })).to.equal(60n);
  });

  it("is found again by its group", async function () {
    const scene = await aScene();
    await fund(scene, ann, 5);
    const again = tokenOf(scene.token.group);
    expect(await again.balanceOf(ann, { at: "shop" })).to.equal(5n);
  });
});

async function sent<Intent extends { confirmed(): Promise<unknown> }>(
  sending: Promise<Intent>,
): Promise<Intent> {
  const intent = await sending;
  await intent.confirmed();
  return intent;
}

/** Looks again and again, a few milliseconds apart. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
}
