import { expect } from "chai";
import { network } from "hardhat";
import type { RunningCluster, SentIntent } from "hardhat-sequencer";
import { createToken, type Token } from "hardhat-sequencer/notarised-token";

/** A bank, an auditor and a court notarise a token. Alice and Bob hold it. */
describe("deposits", function () {
  let connection: Awaited<ReturnType<typeof network.create>>;
  let cluster: RunningCluster;
  let token: Token;

  before(async function () {
    connection = await network.create();
    cluster = await connection.sequencer.start();
    token = await createToken(cluster, {
      notaries: ["bank", "audit", "court"],
      threshold: 2,
      name: "Deposits",
      symbol: "DEP",
    });
  });

  after(async function () {
    await connection.close();
  });

  /** Resolves when it is on the ledger, and all nodes have seen it. */
  async function done(sending: Promise<SentIntent>): Promise<SentIntent> {
    const intent = await sending;
    await intent.confirmed();
    await cluster.synced();
    return intent;
  }

  /** The notary that coordinates, as Alice sees it. */
  async function coordinator(): Promise<string> {
    for (;;) {
      const status = cluster.node("alice").status();
      const active = status.isUp && status.groups[0]?.active;
      if (active) return active;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  it("go from account to account", async function () {
    await done(token.mint({ by: "desk@bank", to: "till@alice", amount: 100n }));
    await done(
      token.transfer(
        { from: "till@alice", to: "till@bob", amount: 30n },
        { data: "0xcafe" },
      ),
    );
    expect(await token.balanceOf("till@alice")).to.equal(70n);
    expect(await token.balanceOf("till@bob")).to.equal(30n);
  });

  it("are seen by their owner and by notaries", async function () {
    const seen = (node: string) =>
      token.group.states(node).map(({ data }) => data);
    const alices = { owner: "till@alice", amount: "70" };
    const bobs = { owner: "till@bob", amount: "30" };
    expect(seen("alice")).to.deep.equal([alices]);
    expect(seen("bob")).to.deep.equal([bobs]);
    expect(seen("audit")).to.have.deep.members([alices, bobs]);
    const error: unknown = await token
      .balanceOf("till@bob", { at: "alice" })
      .catch((reason: unknown) => reason);
    expect(String(error)).to.include("alice does not see the coins");
  });

  it("are held in escrow until an arbiter releases them", async function () {
    const { id: lockId } = await done(
      token.lock({ from: "till@alice", amount: 50n }),
    );
    const recipients = [{ to: "till@bob", amount: 45n }];
    await done(token.prepareUnlock({ from: "till@alice", lockId, recipients }));
    await done(
      token.delegateLock({
        by: "till@alice",
        lockId,
        delegate: "arbiter@court",
      }),
    );

    // From now on it is neither Alice's to spend, nor the arbiter's to give to somebody else.
    const stolen = await token.unlock({
      by: "arbiter@court",
      from: "till@alice",
      lockId,
      recipients: [{ to: "arbiter@court", amount: 50n }],
    });
    expect((await stolen.receipt()).type).to.equal("reverted");

    await done(
      token.unlock({
        by: "arbiter@court",
        from: "till@alice",
        lockId,
        recipients,
      }),
    );
    expect(await token.balanceOf("till@bob")).to.equal(75n);
    expect(await token.balanceOf("till@alice")).to.equal(25n);
  });

  it("wait for money if they are told to", async function () {
    const rent = await token.transferWhenFunded({
      from: "till@alice",
      to: "till@bob",
      amount: 40n,
    });
    while (!rent.explain()?.includes("has 25, and needs 40"))
      await new Promise((resolve) => setTimeout(resolve, 10));

    await done(token.mint({ by: "desk@bank", to: "till@alice", amount: 15n }));
    await rent.resume();
    await rent.confirmed();
    await cluster.synced();
    expect(await token.balanceOf("till@alice")).to.equal(0n);
    expect(await token.balanceOf("till@bob")).to.equal(115n);
  });

  it("go on when the notary that coordinates crashes", async function () {
    // Without blocks nothing is confirmed before the crash.
    await cluster.pauseMining();
    const payments = await Promise.all(
      Array.from({ length: 20 }, () =>
        token.transfer({ from: "till@bob", to: "till@alice", amount: 1n }),
      ),
    );
    const crashed = await coordinator();
    await cluster.node(crashed).crash();
    await cluster.resumeMining();
    await Promise.all(payments.map((payment) => payment.confirmed()));

    await cluster.node(crashed).restart();
    await cluster.synced();
    expect(await token.balanceOf("till@alice")).to.equal(20n);
    expect(await token.balanceOf("till@bob", { at: crashed })).to.equal(95n);
  });
});
