import { expect } from "chai";

import { AMOUNT_MAX } from "../../../src/domains/notarised-token/limits.ts";
import { read } from "../../helpers/domains/states.ts";
import {
  aToken,
  balanceOf,
  fund,
  refusal,
  supplyOf,
  transfer,
} from "../../helpers/domains/token.ts";

describe("notarised-token: mint, transfer, burn", function () {
  it("moves money between accounts that only their nodes and the notaries see", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 100);
    const step = await transfer(play, {
      from: "ann@ann",
      to: "bob@bob",
      amount: 30,
    });
    expect(step.outputs.map(read).map(({ data }) => data)).to.deep.equal([
      { owner: "bob@bob", amount: "30" },
      { owner: "ann@ann", amount: "70" },
    ]);
    expect(
      await play.query("ann@ann", "balanceOf", { account: "ann@ann" }),
    ).to.deep.equal({ totalStates: "1", totalBalance: "70", overflow: false });
    expect(await balanceOf(play, "bob@bob")).to.equal("30");
    await play.do("bob@bob", "burn", { amount: 10, data: "0x" });
    expect(await balanceOf(play, "bob@bob")).to.equal("20");
    expect(supplyOf(play)).to.equal(90n);
  });

  it("gives no change where there is none", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 5, 6);
    const step = await transfer(play, {
      from: "ann@ann",
      to: "bob@bob",
      amount: 11,
    });
    expect(step.inputs).to.have.length(2);
    expect(step.outputs).to.have.length(1);
  });

  it("reverts what cannot be paid, and says what is there and what is needed", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 5, 6);
    for (const [name, args] of [
      ["transfer", { to: "bob@bob", amount: 12, data: "0x" }],
      ["burn", { amount: 12, data: "0x" }],
      ["lock", { amount: 12, data: "0x" }],
    ] as const)
      expect(await play.send("ann@ann", name, args)).to.deep.equal({
        type: "reverted",
        reason: "ann@ann has 11, and needs 12.",
      });
  });

  it("parks what waits for money, and goes on once there is enough", async function () {
    const play = aToken();
    const args = { to: "bob@bob", amount: 12, data: "0x" };
    await fund(play, "ann@ann", 5);
    expect(
      await play.send("ann@ann", "transferWhenFunded", args),
    ).to.deep.equal({ type: "parked", reason: "ann@ann has 5, and needs 12" });
    await fund(play, "ann@ann", 7);
    await play.do("ann@ann", "transferWhenFunded", args);
    expect(await balanceOf(play, "bob@bob")).to.equal("12");
  });

  it("spends the oldest coins first, and no more of them than it needs", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 1, 2, 50);
    const step = await play.assemble("ann@ann", "burn", {
      amount: 3,
      data: "0x",
    });
    if (step.type !== "assembled") throw new Error(step.reason);
    expect(
      step.inputs.map((id) => play.view("ann").get(id)?.data),
    ).to.deep.equal([
      { owner: "ann@ann", amount: "1" },
      { owner: "ann@ann", amount: "2" },
    ]);
  });

  it("spends the largest coins where the oldest would be too many", async function () {
    const play = aToken();
    await fund(play, "ann@ann", ...Array.from({ length: 20 }, () => 1), 50);
    const step = await play.do("ann@ann", "burn", { amount: 60, data: "0x" });
    expect(step.inputs).to.have.length(11);
    expect(await balanceOf(play, "ann@ann")).to.equal("10");
  });

  it("says how to merge coins that are too many to be spent at once", async function () {
    const play = aToken();
    await fund(play, "ann@ann", ...Array.from({ length: 20 }, () => 1));
    const pay = { to: "bob@bob", amount: 20, data: "0x" };
    expect(await play.send("ann@ann", "transfer", pay)).to.deep.equal({
      type: "reverted",
      reason:
        "The 16 largest coins of ann@ann are worth 16 of 20, and one intent spends no more coins; it needs 20. Transfer 16 from ann@ann to itself first: that makes one coin of them.",
    });
    await transfer(play, { from: "ann@ann", to: "ann@ann", amount: 16 });
    await play.do("ann@ann", "transfer", pay);
    expect(await balanceOf(play, "bob@bob")).to.equal("20");
  });

  it("never makes a coin of more than 256 bits, and says when a balance is more", async function () {
    const play = aToken();
    await fund(play, "ann@ann", AMOUNT_MAX, AMOUNT_MAX, 1);
    expect(
      await play.query("ann@ann", "balanceOf", { account: "ann@ann" }),
    ).to.deep.equal({
      totalStates: "3",
      totalBalance: AMOUNT_MAX.toString(),
      overflow: true,
    });
    await transfer(play, { from: "ann@ann", to: "bob@bob", amount: 2 });
    expect(supplyOf(play)).to.equal(2n * AMOUNT_MAX + 1n);
  });

  it("lets only identities of notaries mint, unless the token says otherwise", async function () {
    const mint = { to: "ann@ann", amount: 1, data: "0x" };
    expect(
      await refusal(() => aToken().check("ann@ann", "mint", mint)),
    ).to.equal(
      "ann@ann may not mint: only identities of the notaries may (bank, audit).",
    );
    await aToken().do("clerk@audit", "mint", mint);
    await aToken({ restrictMint: "false" }).do("ann@ann", "mint", mint);
  });

  it("burns and locks nothing where the token does not allow it", async function () {
    const play = aToken({ allowBurn: "false", allowLock: "false" });
    const some = { amount: 1, data: "0x" };
    expect(await refusal(() => play.check("ann@ann", "burn", some))).to.equal(
      "This token cannot be burned: allowBurn is false.",
    );
    const lockId = `0x${"11".repeat(32)}`;
    const rest = { lockId, from: "ann@ann", recipients: [], data: "0x" };
    for (const [name, args] of [
      ["lock", some],
      ["createLock", some],
      ["unlock", rest],
      ["prepareUnlock", { ...rest, unlockData: "0x" }],
      ["delegateLock", { lockId, delegate: "bob@bob", data: "0x" }],
    ] as const)
      expect(await refusal(() => play.check("ann@ann", name, args))).to.equal(
        "This token cannot be locked: allowLock is false.",
      );
  });

  it("refuses nonsense at once, with the value", async function () {
    const play = aToken();
    const to = "bob@bob";
    for (const [args, said] of [
      [
        { to, amount: 0, data: "0x" },
        'amount must be from 1 to 2^256 - 1, and is "0"',
      ],
      [
        { to: "bob", amount: 1, data: "0x" },
        'to must be an account: name@node, and is "bob"',
      ],
      [
        { to: "bob@nowhere", amount: 1, data: "0x" },
        "bob@nowhere is on no node of this group. Its nodes are: bank, audit, ann, bob.",
      ],
      [
        { to, amount: 1, data: `0x${"ab".repeat(1025)}` },
        "data must have at most 1024 bytes",
      ],
      [
        { to: `${"b".repeat(64)}@bob`, amount: 1, data: "0x" },
        "to must be an account",
      ],
    ] as const)
      expect(
        await refusal(() => play.check("ann@ann", "transfer", args)),
      ).to.include(said);
    const call = play.call("ann@ann", "transfer", {
      to,
      amount: 1,
      data: "0x",
    });
    expect(
      await refusal(() =>
        play.check("eth_address:0xab@ann", "transfer", call.args),
      ),
    ).to.include('"eth_address:0xab" cannot have coins');
  });

  it("touches the accounts of those who pay and those who are paid", function () {
    const play = aToken();
    const some = { amount: 1, data: "0x" };
    const touches = (name: string, args: typeof some & { to?: string }) =>
      play.check("clerk@bank", name, args).touches;
    expect(touches("mint", { ...some, to: "bob@bob" })).to.deep.equal([
      "clerk@bank",
      "bob@bob",
    ]);
    expect(touches("transfer", { ...some, to: "clerk@bank" })).to.deep.equal([
      "clerk@bank",
    ]);
    expect(touches("burn", some)).to.deep.equal(["clerk@bank"]);
  });
});
