import { expect } from "chai";

import type { NewState } from "../../../src/domains/domain.ts";
import { ownedCoins } from "../../../src/domains/owned-coins/owned-coins.ts";
import { Play, type PlayedStep } from "../../helpers/domains/play.ts";
import { create, nodeNamed, read } from "../../helpers/domains/states.ts";

const issuer = "mint@bank";
const alice = "alice@home";
const carol = "carol@home";
const bob = "bob@shop";

function coin(owner: string, amount: string, more: object = {}): NewState {
  return { schema: "coin", label: owner, data: { owner, amount, ...more } };
}

/** Somebody who lies about one part of a step, and tells the truth otherwise. */
class Cheat {
  readonly play = new Play(ownedCoins, {
    members: ["bank", "shop", "home"],
    configuration: { witnesses: "bank" },
  });

  async issue(to: string, amount: number): Promise<PlayedStep["outputs"]> {
    return (await this.play.do(issuer, "issue", { to, amount })).outputs;
  }

  async step(...intent: Parameters<Play["assemble"]>): Promise<PlayedStep> {
    const step = await this.play.assemble(...intent);
    if (step.type !== "assembled") throw new Error(step.reason);
    return step;
  }

  /** Why a spoiled step is refused. The step as it was must be right, or the refusal would prove nothing. */
  async refusal(
    step: PlayedStep,
    spoilt: Partial<Omit<PlayedStep, "outputs" | "infos">> & {
      readonly outputs?: readonly NewState[];
      readonly infos?: readonly NewState[];
    },
  ): Promise<string | undefined> {
    expect(await this.play.endorse(step)).to.equal(undefined);
    const { outputs, infos, ...rest } = spoilt;
    return await this.play.endorse({
      ...step,
      ...rest,
      ...(outputs && { outputs: create(outputs, step.intentId) }),
      ...(infos && { infos: create(infos, step.intentId) }),
    });
  }
}

/** Alice has 10, carol of the same node and bob have 20 each. Alice is about to pay bob 4. */
async function aPayment() {
  const cheat = new Cheat();
  await cheat.issue(alice, 10);
  const [carols] = await cheat.issue(carol, 20);
  const [bobs] = await cheat.issue(bob, 20);
  if (carols === undefined || bobs === undefined) throw new Error("No coins.");
  const pay = await cheat.step(alice, "pay", { to: bob, amount: 4 });
  return { cheat, pay, carols, bobs };
}

/** A payload with the info that fits it. */
function saying(intent: Readonly<Record<string, string>>) {
  return {
    payload: JSON.stringify(intent),
    infos: [
      { schema: "intent", label: intent["from"] ?? "", data: { ...intent } },
    ],
  };
}

describe("owned-coins: cheats", function () {
  it("lets no node spend coins of another", async function () {
    const { cheat, pay, bobs } = await aPayment();
    const sender = nodeNamed("shop");
    expect(await cheat.refusal(pay, { sender })).to.equal(
      `shop does not speak for ${alice}`,
    );
    // Bob's coin, asked for in the name of alice, or of bob.
    const outputs = [coin(bob, "4"), coin(alice, "16")];
    expect(await cheat.refusal(pay, { inputs: [bobs.id], outputs })).to.equal(
      "it spends what its owner does not own",
    );
    const steal = { type: "pay", from: bob, to: alice, amount: "20" };
    expect(
      await cheat.refusal(pay, {
        ...saying(steal),
        inputs: [bobs.id],
        outputs: [coin(alice, "20")],
      }),
    ).to.equal(`home does not speak for ${bob}`);
  });

  it("lets no account spend coins of another on its node", async function () {
    const { cheat, pay, carols } = await aPayment();
    for (const inputs of [[carols.id], [...pay.inputs, carols.id]])
      expect(await cheat.refusal(pay, { inputs })).to.equal(
        "it spends what its owner does not own",
      );
  });

  it("lets nobody spend what is not there, or twice in one step", async function () {
    const { cheat, pay } = await aPayment();
    const [spent = pay.intentId] = pay.inputs;
    const twice = { inputs: [...pay.inputs, ...pay.inputs] };
    expect(await cheat.refusal(pay, twice)).to.equal("spent twice");
    cheat.play.apply(pay);
    const again = await cheat.step(alice, "pay", { to: bob, amount: 4 });
    expect(again.inputs).to.not.include(spent);
    expect(await cheat.refusal(again, { inputs: pay.inputs })).to.equal(
      "a state that is not there",
    );
  });

  it("lets nothing appear or vanish in a payment", async function () {
    const { cheat, pay } = await aPayment();
    const wrong: readonly (readonly NewState[])[] = [
      [],
      [coin(bob, "4")],
      [coin(alice, "6")],
      [coin(bob, "4"), coin(alice, "7")],
      [coin(bob, "4"), coin(alice, "5")],
      [coin(bob, "5"), coin(alice, "5")],
      [coin(bob, "3"), coin(alice, "7")],
      [coin(alice, "6"), coin(bob, "4")],
      [coin(carol, "4"), coin(alice, "6")],
      [coin(bob, "4"), coin(carol, "6")],
      [coin(bob, "4"), coin(alice, "6"), coin(alice, "1")],
      [coin(bob, "4"), coin(alice, "3"), coin(alice, "3")],
    ];
    for (const outputs of wrong)
      expect(await cheat.refusal(pay, { outputs })).to.equal(
        "it creates something else than was asked for",
      );
  });

  it("takes nothing for a coin that is none", async function () {
    const { cheat, pay } = await aPayment();
    const change = coin(alice, "6");
    const wrong: readonly NewState[] = [
      coin(bob, "04"),
      coin(bob, "4.0"),
      coin(bob, "-4"),
      coin(bob, "0x4"),
      coin(bob, "4", { colour: "red" }),
      { ...coin(bob, "4"), label: alice },
      { ...coin(bob, "4"), schema: "note" },
      { ...coin(bob, "4"), data: { owner: bob, amount: 4 } },
      { ...coin(bob, "4"), data: null },
      { ...coin(bob, "4"), data: [bob, "4"] },
    ];
    for (const output of wrong)
      expect(await cheat.refusal(pay, { outputs: [output, change] })).to.equal(
        "it creates something else than was asked for",
      );
  });

  it("takes no amount that is out of range", async function () {
    const { cheat, pay } = await aPayment();
    for (const amount of ["0", "-1", "1.5", "", (2n ** 128n).toString()]) {
      const intent = { type: "pay", from: alice, to: bob, amount };
      const outputs = [coin(bob, amount), coin(alice, "6")];
      expect(await cheat.refusal(pay, { ...saying(intent), outputs })).to.equal(
        "the intent makes no sense",
      );
    }
    const intent = { type: "pay", from: alice, to: bob, amount: "11" };
    expect(
      await cheat.refusal(pay, {
        ...saying(intent),
        outputs: [coin(bob, "11")],
      }),
    ).to.equal("it spends too little");
  });

  it("takes no payload that is no intent", async function () {
    const { cheat, pay } = await aPayment();
    const good = { type: "pay", from: alice, to: bob, amount: "4" };
    for (const payload of [
      "",
      "{",
      "null",
      "[]",
      JSON.stringify({ ...good, type: "gift" }),
      JSON.stringify({ ...good, memo: "x" }),
      JSON.stringify({ ...good, from: "alice" }),
      JSON.stringify({ ...good, amount: 4 }),
    ])
      expect(await cheat.refusal(pay, { payload })).to.equal(
        "the intent makes no sense",
      );
  });

  it("lets nobody pay to where coins are lost", async function () {
    const { cheat, pay } = await aPayment();
    const to = "bob@moon";
    const intent = { type: "pay", from: alice, to, amount: "4" };
    expect(
      await cheat.refusal(pay, {
        ...saying(intent),
        outputs: [coin(to, "4"), coin(alice, "6")],
      }),
    ).to.equal("nobody in the group could spend it");
  });

  it("lets nobody issue who may not", async function () {
    const { cheat, pay } = await aPayment();
    const intent = { type: "issue", from: alice, to: alice, amount: "4" };
    expect(
      await cheat.refusal(pay, {
        ...saying(intent),
        inputs: [],
        outputs: [coin(alice, "4")],
      }),
    ).to.equal(`${alice} may not issue`);
    const issue = await cheat.step(issuer, "issue", { to: alice, amount: 4 });
    expect(await cheat.refusal(issue, { sender: nodeNamed("home") })).to.equal(
      `home does not speak for ${issuer}`,
    );
    for (const outputs of [[], [coin(alice, "5")], [coin(bob, "4")]])
      expect(await cheat.refusal(issue, { outputs })).to.equal(
        "it creates something else than was asked for",
      );
    expect(await cheat.refusal(issue, { inputs: pay.inputs })).to.equal(
      "who issues spends nothing",
    );
  });

  it("lets nobody redeem or merge something else than his coins", async function () {
    const { cheat, carols } = await aPayment();
    await cheat.issue(alice, 5);
    const redeem = await cheat.step(alice, "redeem", { amount: 10 });
    const wrong = [[coin(alice, "1")], [coin(bob, "10")]];
    for (const outputs of wrong)
      expect(await cheat.refusal(redeem, { outputs })).to.equal(
        "it creates something else than was asked for",
      );
    expect(await cheat.refusal(redeem, { inputs: [] })).to.equal(
      "it spends too few coins",
    );
    const merge = await cheat.step(alice, "merge");
    for (const outputs of [
      [coin(alice, "16")],
      [coin(alice, "14")],
      [coin(bob, "15")],
      [coin(alice, "10"), coin(alice, "5")],
    ])
      expect(await cheat.refusal(merge, { outputs })).to.equal(
        "it creates something else than was asked for",
      );
    expect(
      await cheat.refusal(merge, { inputs: merge.inputs.slice(1) }),
    ).to.equal("it spends too few coins");
    expect(
      await cheat.refusal(merge, { inputs: [...merge.inputs, carols.id] }),
    ).to.equal("it spends what its owner does not own");
  });

  it("lets no coin become worth too much, and no step too large", async function () {
    const cheat = new Cheat();
    const most = 2n ** 128n - 1n;
    for (const amount of [most, 1n, 1n])
      await cheat.play.do(issuer, "issue", { to: alice, amount });
    const inputs = cheat.play.unspent().map(({ id }) => id);
    const merge = await cheat.step(alice, "merge");
    const outputs = [coin(alice, (most + 2n).toString())];
    expect(await cheat.refusal(merge, { inputs, outputs })).to.equal(
      "a coin would be worth too much",
    );
    for (let i = 0; i < 65; i += 1)
      await cheat.play.do(issuer, "issue", { to: alice, amount: 1n });
    const all = cheat.play.unspent().filter(({ id }) => !inputs.includes(id));
    expect(
      await cheat.refusal(merge, {
        inputs: all.map(({ id }) => id),
        outputs: [coin(alice, "65")],
      }),
    ).to.equal("it spends too many coins");
  });

  it("takes no reads, no calls, and no other story", async function () {
    const { cheat, pay, bobs } = await aPayment();
    expect(await cheat.refusal(pay, { reads: [bobs.id] })).to.equal(
      "coins read nothing",
    );
    const call = { target: `0x${"11".repeat(20)}`, data: "0x", gasMin: 0 };
    expect(await cheat.refusal(pay, { calls: [call] })).to.equal(
      "coins call nobody",
    );
    const [info] = pay.infos.map(read);
    if (info === undefined) throw new Error("There is no info.");
    const { schema, label, data } = info;
    const truth = { schema, label, data };
    for (const infos of [
      [],
      [truth, truth],
      [{ ...truth, schema: "coin" }],
      [{ ...truth, label: bob }],
      [{ ...truth, data: { type: "merge", from: alice } }],
    ])
      expect(await cheat.refusal(pay, { infos })).to.equal(
        "it tells something else than it does",
      );
  });
});
