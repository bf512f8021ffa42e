import { expect } from "chai";

import {
  aToken,
  balanceOf,
  fund,
  lockUp,
  refusal,
  supplyOf,
} from "../../helpers/domains/token.ts";
import type { Play } from "../../helpers/domains/play.ts";

/** Ann has 100 and locks 60 of them. */
async function aLock(): Promise<{ play: Play; lockId: string }> {
  const play = aToken();
  await fund(play, "ann@ann", 100);
  return { play, lockId: await lockUp(play, "ann@ann", 60) };
}

const from = "ann@ann";
const data = "0x";
const toBob = [{ to: "bob@bob", amount: 25 }];

describe("notarised-token: locks", function () {
  it("sets coins aside that its owner cannot spend meanwhile", async function () {
    const { play, lockId } = await aLock();
    expect(await balanceOf(play, "ann@ann")).to.equal("40");
    expect(supplyOf(play)).to.equal(100n);
    expect(await play.query("ann@ann", "lockOf", { lockId })).to.deep.equal({
      owner: "ann@ann",
      amount: "60",
      delegate: "",
      isPrepared: false,
      recipients: [],
      unlockData: "0x",
    });
    expect(
      await play.send("ann@ann", "burn", { amount: 41, data }),
    ).to.deep.equal({
      type: "reverted",
      reason: "ann@ann has 40, and needs 41.",
    });
  });

  it("pays recipients when it is unlocked, and the owner what is left", async function () {
    const { play, lockId } = await aLock();
    const recipients = [...toBob, { to: "till@bank", amount: 5 }];
    await play.do("ann@ann", "unlock", { lockId, from, recipients, data });
    expect(await balanceOf(play, "bob@bob")).to.equal("25");
    expect(await balanceOf(play, "till@bank")).to.equal("5");
    expect(await balanceOf(play, "ann@ann")).to.equal("70");
    const again = await play.send("ann@ann", "unlock", {
      lockId,
      from,
      recipients,
      data,
    });
    expect(again).to.deep.equal({
      type: "reverted",
      reason: `Its node sees no lock ${lockId}: it was never made, is unlocked, or is somebody else's.`,
    });
  });

  it("gives everything back to its owner when it names nobody", async function () {
    const { play, lockId } = await aLock();
    await play.do("ann@ann", "unlock", { lockId, from, recipients: [], data });
    expect(await balanceOf(play, "ann@ann")).to.equal("100");
  });

  it("obeys its delegate and nobody else, also not its owner", async function () {
    const { play, lockId } = await aLock();
    const unlock = { lockId, from, recipients: toBob, data };
    await play.do("ann@ann", "delegateLock", {
      lockId,
      delegate: "bob@bob",
      data,
    });
    for (const [name, args] of [
      ["unlock", unlock],
      ["prepareUnlock", { ...unlock, unlockData: "0x" }],
      ["delegateLock", { lockId, delegate: "ann@ann", data }],
    ] as const)
      expect(await play.send("ann@ann", name, args)).to.deep.equal({
        type: "reverted",
        reason: `ann@ann has no say in lock ${lockId}: only bob@bob has.`,
      });
    await play.do("bob@bob", "unlock", unlock);
    expect(await balanceOf(play, "bob@bob")).to.equal("25");
    expect(await balanceOf(play, "ann@ann")).to.equal("75");
  });

  it("lets a delegate do only what was prepared", async function () {
    const { play, lockId } = await aLock();
    const recipients = toBob;
    await play.do("ann@ann", "prepareUnlock", {
      lockId,
      from,
      recipients,
      unlockData: "0x1234",
      data,
    });
    await play.do("ann@ann", "delegateLock", {
      lockId,
      delegate: "bob@bob",
      data,
    });
    const prepared = { lockId, from, recipients, data: "0x1234" };
    for (const other of [
      { ...prepared, data: "0x" },
      { ...prepared, recipients: [] },
      { ...prepared, recipients: [{ to: "bob@bob", amount: 26 }] },
      { ...prepared, recipients: [...toBob, { to: "bob@bob", amount: 1 }] },
      { ...prepared, recipients: [{ to: "bob2@bob", amount: 25 }] },
    ])
      expect(await play.send("bob@bob", "unlock", other)).to.deep.equal({
        type: "reverted",
        reason: `Lock ${lockId} is prepared for other recipients or other data: lockOf says for which.`,
      });
    expect(
      await play.send("bob@bob", "prepareUnlock", {
        ...prepared,
        unlockData: "0x",
      }),
    ).to.deep.equal({
      type: "reverted",
      reason: `Only ann@ann prepares lock ${lockId}, and not bob@bob.`,
    });
    expect(await play.query("bob@bob", "lockOf", { lockId })).to.deep.equal({
      owner: "ann@ann",
      amount: "60",
      delegate: "bob@bob",
      isPrepared: true,
      recipients: [{ to: "bob@bob", amount: "25" }],
      unlockData: "0x1234",
    });
    await play.do("bob@bob", "unlock", prepared);
    expect(await balanceOf(play, "bob@bob")).to.equal("25");
    expect(await balanceOf(play, "ann@ann")).to.equal("75");
  });

  it("lets a delegate pass it on, and give it back", async function () {
    const { play, lockId } = await aLock();
    const pass = async (by: string, delegate: string): Promise<void> => {
      await play.do(by, "delegateLock", { lockId, delegate, data });
    };
    await pass("ann@ann", "bob@bob");
    await pass("bob@bob", "clerk@audit");
    await pass("clerk@audit", "ann@ann");
    expect(await play.query("ann@ann", "lockOf", { lockId })).to.include({
      delegate: "",
    });
    await play.do("ann@ann", "unlock", { lockId, from, recipients: [], data });
    expect(await balanceOf(play, "ann@ann")).to.equal("100");
  });

  it("pays no more than it holds, and belongs to whom it belongs", async function () {
    const { play, lockId } = await aLock();
    const much = [...toBob, { to: "bob@bob", amount: 36 }];
    const unlock = { lockId, from, recipients: much, data };
    for (const [name, args] of [
      ["unlock", unlock],
      ["prepareUnlock", { ...unlock, unlockData: "0x" }],
    ] as const)
      expect(await play.send("ann@ann", name, args)).to.deep.equal({
        type: "reverted",
        reason: `Lock ${lockId} has 60, and 61 is asked for.`,
      });
    expect(
      await play.send("ann@ann", "unlock", {
        ...unlock,
        from: "bob@bob",
        recipients: [],
      }),
    ).to.deep.equal({
      type: "reverted",
      reason: `Lock ${lockId} is of ann@ann, and not of bob@bob.`,
    });
  });

  it("is seen by its owner's node, its delegate's node and the notaries only", async function () {
    const { play, lockId } = await aLock();
    const ask = async (who: string) =>
      await play.query(who, "lockOf", { lockId });
    expect(await refusal(async () => await ask("bob@bob"))).to.equal(
      `bob sees no lock ${lockId}: it was never made, is unlocked, or is somebody else's.`,
    );
    await play.do("ann@ann", "delegateLock", {
      lockId,
      delegate: "bob@bob",
      data,
    });
    for (const who of ["bob@bob", "ann@ann", "x@bank", "x@audit"])
      expect(await ask(who)).to.include({ delegate: "bob@bob" });
  });

  it("touches its lock, and all who have a part in it", async function () {
    const { play, lockId } = await aLock();
    const args = { lockId, from, recipients: toBob, data };
    expect(play.check("clerk@bank", "unlock", args).touches).to.deep.equal([
      "clerk@bank",
      `lock:${lockId}`,
      "ann@ann",
      "bob@bob",
    ]);
    expect(
      play.check("clerk@bank", "delegateLock", {
        lockId,
        delegate: "bob@bob",
        data,
      }).touches,
    ).to.deep.equal(["clerk@bank", `lock:${lockId}`]);
  });

  it("refuses more recipients than one intent can pay", async function () {
    const { play, lockId } = await aLock();
    const recipients = Array.from({ length: 17 }, () => ({
      to: "bob@bob",
      amount: 1,
    }));
    expect(
      await refusal(() =>
        play.check("ann@ann", "unlock", { lockId, from, recipients, data }),
      ),
    ).to.include("recipients must have at most 16 recipients");
  });
});
