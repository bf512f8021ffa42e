import { expect } from "chai";

import type { State, Step } from "../../src/protocol/transition.ts";
import {
  type Holdings,
  mintCoin,
  readCoin,
} from "../../src/simulation/coins.ts";
import { assemble, endorse } from "../../src/simulation/domain.ts";
import { hashing, sign, stepHash } from "../../src/simulation/hashing.ts";
import { Random } from "../../src/simulation/random.ts";
import { netOf } from "../../src/protocol/net.ts";
import { outlineOf } from "../../src/protocol/outline.ts";
import {
  alice,
  apply,
  bob,
  bundleOf,
  emptyView,
  holdingsAtGenesis,
  intent,
  outcomesOf,
  stepsOf,
} from "../helpers/simulated-group.ts";

const accounts = ["a", "b", "c", "d", "e"];

function totalOf(holdings: Holdings): number {
  let total = 0;
  for (const account of accounts)
    for (const { amount } of holdings.coinsOf(account)) total += amount;
  return total;
}

function verdictOn(steps: readonly Step[], view = emptyView): string {
  const bundle = bundleOf(steps);
  const holdings = holdingsAtGenesis();
  const outcome = endorse({ endorser: bob, bundle, view, holdings });
  return outcome.type === "refused" ? outcome.detail : outcome.type;
}

/** The step with something changed, signed again by its sender. */
function changed(step: Step, change: Partial<Step>): Step {
  const unsigned = { ...step, ...change };
  return { ...unsigned, signature: sign(step.sender, stepHash(unsigned)) };
}

function firstOf(payloads: readonly string[]): Step {
  const [step] = stepsOf(payloads);
  if (step === undefined) throw new Error("not assembled");
  return step;
}

describe("The simulated domain", () => {
  it("never creates or destroys money, whatever is paid, split or merged", () => {
    const random = new Random(5);
    const holdings = holdingsAtGenesis();
    const total = totalOf(holdings);
    for (let i = 0; i < 300; i++) {
      const verb = random.pick(["pay", "split", "merge", "note"]);
      const payload = `${verb} ${random.pick(accounts)} ${random.pick(accounts)} ${random.between(1, 1_500)}`;
      const steps = stepsOf([payload], holdings, i);
      const { places } = bundleOf(steps);
      const put = hashing.placesOf(outlineOf(hashing, bundleOf(steps)));
      apply(holdings, { ...netOf(steps), taken: places, put });
      expect(totalOf(holdings)).to.equal(total);
    }
  });

  it("assembles each intent on top of the ones before", () => {
    const steps = stepsOf(["merge a", "split a", "pay a b 100"]);
    expect(steps).to.have.length(3);
    expect(verdictOn(steps)).to.equal("endorsed");
    expect(verdictOn(steps.slice(1))).to.equal("input not available");
  });

  it("reverts nonsense, and what cannot be paid", () => {
    const types = outcomesOf(["sing a b 1", "pay a b 99999", "pay a b -1"]).map(
      ({ type }) => type,
    );
    expect(types).to.deep.equal(["reverted", "reverted", "reverted"]);
  });

  it("postpones what the ledger does not revert, whatever is said to be in flight", () => {
    const holdings = holdingsAtGenesis();
    const spent = [...holdings.coinsOf("a")].map(({ state }) => state.id);
    const typesOf = (...payloads: readonly string[]): string[] =>
      assemble({
        sender: alice,
        intents: payloads.map((payload, i) => intent(i, payload)),
        view: { created: [], spent },
        validUntil: 1_000,
        holdings,
        parked: new Set(),
      }).map(({ type }) => type);
    expect(typesOf("pay a b 10", "split a", "pay b a 10")).to.deep.equal([
      "postponed",
      "postponed",
      "assembled",
    ]);
    expect(typesOf("sing a", "pay a b 99999")).to.deep.equal([
      "reverted",
      "reverted",
    ]);
  });

  it("parks what is not ready", () => {
    const wish = intent(1, "later pay a b 10");
    const request = {
      sender: alice,
      intents: [wish],
      view: emptyView,
      validUntil: 1_000,
      holdings: holdingsAtGenesis(),
    };
    const typeWith = (parked: ReadonlySet<typeof wish.id>): unknown =>
      assemble({ ...request, parked })[0]?.type;
    expect(typeWith(new Set([wish.id]))).to.equal("parked");
    expect(typeWith(new Set())).to.equal("assembled");
  });

  it("does not spend what is spent in flight", () => {
    const step = firstOf(["pay a b 10"]);
    const view = { created: [], spent: step.inputs };
    const [outcome] = assemble({
      sender: alice,
      intents: [intent(9, "pay a b 10")],
      view,
      validUntil: 1_000,
      holdings: holdingsAtGenesis(),
      parked: new Set(),
    });
    if (outcome?.type === "assembled")
      for (const id of outcome.step.inputs)
        expect(step.inputs).to.not.include(id);
  });

  it("endorses nothing that its sender did not sign", () => {
    const step = firstOf(["pay a b 10"]);
    expect(verdictOn([step])).to.equal("endorsed");
    expect(verdictOn([{ ...step, reads: step.inputs }])).to.equal(
      "not signed by its sender",
    );
    expect(verdictOn([{ ...step, sender: bob }])).to.equal(
      "not signed by its sender",
    );
  });

  it("endorses nothing that creates money, or hides where it comes from", () => {
    const step = firstOf(["pay a b 10"]);
    const { state: rich } = mintCoin({
      account: "a",
      amount: 5_000,
      index: 0,
      intentId: step.intentId,
    });
    expect(verdictOn([changed(step, { outputs: [rich] })])).to.equal(
      "creates or destroys money",
    );
    const [output] = step.outputs;
    if (output === undefined) throw new Error("no output");
    const lie: State = {
      ...output,
      content: output.content.replace("10", "9"),
    };
    expect(readCoin(lie)).to.equal(undefined);
    expect(verdictOn([changed(step, { outputs: [lie] })])).to.equal(
      "false output",
    );
    const [input] = step.inputs;
    if (input === undefined) throw new Error("no input");
    expect(verdictOn([changed(step, { inputs: [input, input] })])).to.equal(
      "spent twice",
    );
    const view = { created: [lie], spent: [] };
    expect(verdictOn([step], view)).to.equal("false content");
  });
});
