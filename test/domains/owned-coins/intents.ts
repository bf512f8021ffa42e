import { expect } from "chai";

import { ownedCoins } from "../../../src/domains/owned-coins/owned-coins.ts";
import { Play, type PlayedStep } from "../../helpers/domains/play.ts";
import { nodeNamed, read } from "../../helpers/domains/states.ts";

const members = ["bank", "shop", "home", "audit"];
const issuer = "mint@bank";
const alice = "alice@home";
const bob = "bob@shop";

/** Coins whose owners are no witnesses, except for the bank. */
function aPlay(configuration: Readonly<Record<string, string>> = {}): Play {
  return new Play(ownedCoins, {
    members,
    configuration: { witnesses: "bank,audit", ...configuration },
  });
}

async function issue(play: Play, to: string, ...amounts: number[]) {
  for (const amount of amounts) await play.do(issuer, "issue", { to, amount });
}

async function balanceOf(play: Play, account: string) {
  const [, node = ""] = account.split("@");
  return await play.query(`anybody@${node}`, "balanceOf", { account });
}

async function revertOf(play: Play, ...intent: Parameters<Play["send"]>) {
  const outcome = await play.send(...intent);
  if (outcome.type !== "reverted") throw new Error(`It is ${outcome.type}.`);
  return outcome.reason;
}

function coinsOf({ outputs }: PlayedStep) {
  return outputs.map((output) => read(output).data);
}

describe("owned-coins: intents", function () {
  it("issues a coin to its owner", async function () {
    const play = aPlay();
    const step = await play.do(issuer, "issue", { to: alice, amount: 10 });
    expect(coinsOf(step)).to.deep.equal([{ owner: alice, amount: "10" }]);
    expect(step.inputs).to.deep.equal([]);
    const wanted = { balance: "10", coins: "1" };
    expect(await balanceOf(play, alice)).to.deep.equal(wanted);
  });

  it("pays with the oldest coins, and gives change", async function () {
    const play = aPlay();
    await issue(play, alice, 5, 5, 5);
    const step = await play.do(alice, "pay", { to: bob, amount: 7 });
    expect(step.inputs).to.have.lengthOf(2);
    expect(coinsOf(step)).to.deep.equal([
      { owner: bob, amount: "7" },
      { owner: alice, amount: "3" },
    ]);
    const left = { balance: "8", coins: "2" };
    expect(await balanceOf(play, alice)).to.deep.equal(left);
    const got = { balance: "7", coins: "1" };
    expect(await balanceOf(play, bob)).to.deep.equal(got);
  });

  it("gives no change when there is none", async function () {
    const play = aPlay();
    await issue(play, alice, 5, 5);
    const step = await play.do(alice, "pay", { to: bob, amount: 10 });
    expect(coinsOf(step)).to.deep.equal([{ owner: bob, amount: "10" }]);
  });

  it("lets an owner pay himself", async function () {
    const play = aPlay();
    await issue(play, alice, 5);
    await play.do(alice, "pay", { to: alice, amount: 2 });
    const wanted = { balance: "5", coins: "2" };
    expect(await balanceOf(play, alice)).to.deep.equal(wanted);
  });

  it("spends what came in a moment ago", async function () {
    const play = aPlay();
    await issue(play, alice, 5);
    await play.do(alice, "pay", { to: bob, amount: 5 });
    await play.do(bob, "pay", { to: alice, amount: 4 });
    const wanted = { balance: "4", coins: "1" };
    expect(await balanceOf(play, alice)).to.deep.equal(wanted);
  });

  it("takes the largest coins when the oldest are too small for one step", async function () {
    const play = aPlay();
    await issue(play, alice, ...Array<number>(64).fill(1), 1_000);
    const step = await play.do(alice, "pay", { to: bob, amount: 1_000 });
    expect(step.inputs).to.have.lengthOf(1);
  });

  it("asks for a merge when one step cannot spend enough coins", async function () {
    const play = aPlay();
    await issue(play, alice, ...Array<number>(65).fill(1));
    const pay = { to: bob, amount: 65 };
    expect(await revertOf(play, alice, "pay", pay)).to.equal(
      `The 64 largest coins of "${alice}" are worth 64, and 65 is asked for. Call merge() first, or ask for less.`,
    );
    const merge = await play.do(alice, "merge");
    expect(coinsOf(merge)).to.deep.equal([{ owner: alice, amount: "64" }]);
    await play.do(alice, "pay", pay);
    const wanted = { balance: "65", coins: "1" };
    expect(await balanceOf(play, bob)).to.deep.equal(wanted);
  });

  it("merges the smallest coins, as far as one coin can be worth so much", async function () {
    const play = aPlay();
    const nothing = `"${alice}" has no two coins that could become one.`;
    expect(await revertOf(play, alice, "merge")).to.equal(nothing);
    const most = (2n ** 128n - 1n).toString();
    for (const amount of [most, "1", "2"])
      await play.do(issuer, "issue", { to: alice, amount });
    const merge = await play.do(alice, "merge");
    expect(coinsOf(merge)).to.deep.equal([{ owner: alice, amount: "3" }]);
    expect(await revertOf(play, alice, "merge")).to.equal(nothing);
  });

  it("redeems coins, and keeps the change", async function () {
    const play = aPlay();
    await issue(play, alice, 5);
    const first = await play.do(alice, "redeem", { amount: 2 });
    expect(coinsOf(first)).to.deep.equal([{ owner: alice, amount: "3" }]);
    const second = await play.do(alice, "redeem", { amount: 3 });
    expect(coinsOf(second)).to.deep.equal([]);
    expect(play.unspent()).to.deep.equal([]);
  });

  it("says what an owner has, and what was asked for", async function () {
    const play = aPlay();
    await issue(play, alice, 5);
    const reason = `"${alice}" has 5, and 6 is asked for.`;
    const args = { amount: 6 };
    expect(await revertOf(play, alice, "redeem", args)).to.equal(reason);
    const pay = { to: bob, ...args };
    expect(await revertOf(play, alice, "pay", pay)).to.equal(reason);
    // Another account of the same node has coins of its own.
    expect(await revertOf(play, "carol@home", "pay", pay)).to.include("has 0");
  });

  it("shows coins to the owner's node and to witnesses, and to nobody else", async function () {
    const play = aPlay();
    await issue(play, alice, 5);
    await play.do(alice, "pay", { to: bob, amount: 2 });
    const seen = (node: string) =>
      play.unspent().filter((state) => play.maySee(nodeNamed(node), state));
    const labels = (node: string) => seen(node).map(({ label }) => label);
    expect(labels("home")).to.deep.equal([alice]);
    expect(labels("shop")).to.deep.equal([bob]);
    expect(labels("audit")).to.have.members([alice, bob]);
    expect(labels("bank")).to.have.members([alice, bob]);
  });

  it("tells the owner in the receipt what was done, and the payee nothing", async function () {
    const play = aPlay();
    await issue(play, alice, 5);
    const step = await play.do(alice, "pay", { to: bob, amount: 2 });
    const wanted = { type: "pay", from: alice, to: bob, amount: "2" };
    expect(play.receipt(step, "home")).to.deep.equal(wanted);
    expect(play.receipt(step, "audit")).to.deep.equal(wanted);
    expect(play.receipt(step, "shop")).to.deep.equal({});
  });

  it("names the accounts that an intent touches", function () {
    const play = aPlay();
    const touchesOf = (...call: Parameters<Play["check"]>) =>
      play.check(...call).touches;
    expect(touchesOf(alice, "pay", { to: bob, amount: 1 })).to.deep.equal([
      alice,
      bob,
    ]);
    expect(touchesOf(alice, "pay", { to: alice, amount: 1 })).to.deep.equal([
      alice,
    ]);
    expect(touchesOf(alice, "merge")).to.deep.equal([alice]);
  });
});
