import { expect } from "chai";

import { read } from "../../helpers/domains/states.ts";
import { aToken, fund, lockUp, transfer } from "../../helpers/domains/token.ts";

const data = "0x";
const shown = ({ id, schema, data: content }: ReturnType<typeof read>) => ({
  id,
  schema,
  data: content,
});

describe("notarised-token: receipts", function () {
  it("tells what was spent, created and moved", async function () {
    const play = aToken();
    const minted = await play.do("till@bank", "mint", {
      to: "ann@ann",
      amount: 100,
      data: "0xabcd",
    });
    expect(play.receipt(minted, "bank")).to.deep.equal({
      states: { outputs: minted.outputs.map(read).map(shown) },
      transfers: [{ to: "ann@ann", amount: "0x64" }],
      data: "0xabcd",
      sender: "till@bank",
    });
    const paid = await transfer(play, {
      from: "ann@ann",
      to: "bob@bob",
      amount: 30,
    });
    expect(play.receipt(paid, "ann")).to.deep.equal({
      states: {
        inputs: minted.outputs.map(read).map(shown),
        outputs: paid.outputs.slice(1).map(read).map(shown),
      },
      transfers: [{ from: "ann@ann", to: "bob@bob", amount: "0x1e" }],
      data: "0x",
      sender: "ann@ann",
    });
    const burned = await play.do("bob@bob", "burn", { amount: 1, data });
    expect(play.receipt(burned, "bob")).to.deep.include({
      transfers: [{ from: "bob@bob", amount: "0x1" }],
    });
  });

  it("tells of a lock, and once it is prepared, what unlocks it", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 100);
    const locked = await play.do("ann@ann", "createLock", { amount: 60, data });
    const lockId = locked.intentId;
    const [lockState, change] = locked.outputs.map(read).map(shown);
    expect(play.receipt(locked, "ann")).to.deep.include({
      lockInfo: { lockId },
      data: "0x",
      sender: "ann@ann",
    });
    expect(play.receipt(locked, "ann"))
      .to.have.deep.property("states")
      .that.deep.includes({ outputs: [change], lockedOutputs: [lockState] });

    const unlockParams = {
      lockId,
      from: "ann@ann",
      recipients: [{ to: "bob@bob", amount: "60" }],
      data: "0x77",
    };
    const prepared = await play.do("ann@ann", "prepareUnlock", {
      ...unlockParams,
      data,
      unlockData: "0x77",
    });
    const lockInfo = { lockId, unlockFunction: "unlock", unlockParams };
    expect(play.receipt(prepared, "ann")).to.deep.include({ lockInfo });
    const delegated = await play.do("ann@ann", "delegateLock", {
      lockId,
      delegate: "bob@bob",
      data,
    });
    expect(play.receipt(delegated, "ann")).to.deep.include({
      lockInfo: { ...lockInfo, delegate: "bob@bob" },
    });

    // What the receipt says is what its delegate sends.
    const unlocked = await play.do("bob@bob", "unlock", unlockParams);
    expect(play.receipt(unlocked, "bob")).to.deep.equal({
      states: {
        lockedInputs: delegated.outputs.map(read).map(shown),
        outputs: unlocked.outputs.map(read).map(shown),
      },
      transfers: [{ from: "ann@ann", to: "bob@bob", amount: "0x3c" }],
      data: "0x77",
      sender: "bob@bob",
    });
  });

  it("tells a node that sees nothing of it nothing", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 100);
    await lockUp(play, "ann@ann", 10);
    const paid = await transfer(play, {
      from: "ann@ann",
      to: "till@bank",
      amount: 30,
    });
    expect(play.receipt(paid, "bob")).to.deep.equal({ states: {} });
  });
});
