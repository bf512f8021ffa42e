import { expect } from "chai";

import { limits } from "../../src/protocol/limits.ts";
import type { Message } from "../../src/protocol/messages.ts";
import { outlineOf } from "../../src/protocol/outline.ts";
import { proofFor } from "../../src/protocol/sequencer.ts";
import type { Bundle, Step } from "../../src/protocol/transition.ts";
import { hashing } from "../../src/simulation/hashing.ts";
import { recordOf, Sender, self } from "../helpers/drives/driven-sender.ts";
import { block } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  bundleOf,
  emptyView,
  intent,
} from "../helpers/simulated-group.ts";

const endorser = rank(1);
const coordinator = rank(0);
const owner = rank(2);
const wish = intent(1, "");

/** What an endorser says to a bundle that the preferred coordinator wants endorsed. */
function answerTo(bundle: Bundle): LoneNode {
  const node = new LoneNode({ self: endorser });
  return node.hear(coordinator, {
    type: "EndorsementRequest",
    key: keyOf("request"),
    coordinator,
    height: 0,
    bundle,
    view: emptyView,
  });
}

const isAsked = ({ effects }: LoneNode): boolean =>
  effects.some(({ type }) => type === "Endorse");

const stepOf = (changes: Partial<Step> = {}): Step =>
  aStep({ intentId: wish.id, sender: owner, validUntil: 15, ...changes });

// docs/decisions/0047-ids-and-steps-belong-to-one-sender.md
describe("An endorser", () => {
  it("checks a step whose sender owns the intent's id", () => {
    expect(isAsked(answerTo(bundleOf([stepOf()], 15)))).to.equal(true);
  });

  it("refuses a step with the id of another node, and blames that step", () => {
    const stolen = stepOf({ laneSalt: coordinator, sender: owner });
    const node = answerTo(bundleOf([stolen], 15));
    expect(isAsked(node)).to.equal(false);
    const [refusal] = node.sent("Refusal");
    expect(refusal?.reason).to.equal("invalid");
    expect(JSON.stringify(refusal)).to.include(wish.id);
  });

  it("refuses a bundle that outlives one of its steps", () => {
    const node = answerTo(bundleOf([stepOf()], 16));
    expect(isAsked(node)).to.equal(false);
    expect(node.sent("Refusal")).to.have.length(1);
  });

  it("refuses a bundle that is valid for longer than it would ever make one itself", () => {
    const validUntil = Number.MAX_SAFE_INTEGER;
    const node = answerTo(bundleOf([stepOf({ validUntil })], validUntil));
    expect(isAsked(node)).to.equal(false);
    expect(node.sent("Refusal")).to.have.length(1);
  });
});

describe("A coordinator", () => {
  const delegation = (laneSalt: string): Message => ({
    type: "DelegationRequest",
    key: keyOf("delegation"),
    height: 0,
    intents: [{ ...wish, laneSalt }],
  });

  it("does not take an intent with the id of another node", () => {
    const node = new LoneNode({ self: coordinator });
    node.hear(endorser, delegation(owner));
    const [rejected] = node.sent("DelegationRejected");
    expect(rejected?.reason).to.equal("not-owner");
    expect(node.sent("DelegationAccepted")).to.deep.equal([]);
    node.hear(owner, delegation(owner));
    expect(node.sent("DelegationAccepted")[0]?.ids).to.deep.equal([wish.id]);
  });

  it("makes no bundle that outlives a step", () => {
    const node = new LoneNode({ self: coordinator, threshold: 3 });
    node.hear(owner, delegation(owner));
    const [request] = node.sent("AssembleRequest");
    const step = stepOf({ laneSalt: owner, validUntil: 11 });
    node.hear(owner, {
      type: "AssembleResponse",
      key: request?.key ?? keyOf("none"),
      outcomes: [{ type: "assembled", id: wish.id, step }],
    });
    const [asked] = node.sent("EndorsementRequest");
    expect(asked?.bundle.validUntil).to.equal(11);
  });
});

describe("A sender", () => {
  const quiet = (): void => undefined;
  const receiptOf = ({ records }: LoneNode): string | undefined => {
    const record = records.get(`intent:${wish.id}`);
    return record?.kind === "intent" ? record.receipt?.type : undefined;
  };

  it("denies a bundle that outlives its step", () => {
    const sender = new Sender(quiet).delegated().gathering().permitted(11);
    expect(sender.node.sent("DispatchPermission")).to.deep.equal([]);
    expect(sender.node.sent("DispatchDenial")).to.have.length(1);
  });

  it("ends an intent as reverted only when nothing that it signed can happen", () => {
    const sender = new Sender(quiet, { retriesMax: 0 });
    const { node } = sender.delegated().gathering().refused();
    expect(receiptOf(node)).to.equal(undefined);
    node.tell(block(9));
    expect(receiptOf(node)).to.equal(undefined);
    node.tell(block(10));
    expect(receiptOf(node)).to.equal("Reverted");
  });

  it("notes how far ahead it signs before it signs, and keeps to it after a restart", () => {
    const sender = new Sender(quiet, { retriesMax: 0 });
    const { node } = sender.delegated().assembling();
    const types = node.effects.map(({ type }) => type);
    expect(types.indexOf("Save")).to.be.lessThan(types.indexOf("Assemble"));
    const horizon = node.records.get("horizon");
    const { validForBlocks } = node.sequencer.config;
    expect(horizon).to.deep.include({ kind: "horizon" });
    node.restart({ height: 1 });
    // Its coordinator is another one now, and the domain finds that it can never be done.
    sender.delegated().assembling();
    const { id } = wish;
    sender.answer({ type: "reverted", id, reason: "no money" });
    expect(receiptOf(node)).to.equal(undefined);
    node.tell(block(validForBlocks));
    expect(receiptOf(node)).to.equal(undefined);
    node.tell(block(2 * validForBlocks));
    expect(receiptOf(node)).to.equal("Reverted");
  });

  it("says confirmed for a bundle that it did not see only with proof", () => {
    const sender = new Sender(quiet).delegated().gathering();
    const bundle = sender.fulfilledIn("own");
    const { node } = sender;
    expect(receiptOf(node)).to.equal(undefined);
    expect(node.sent("FulfilmentQuery")).to.have.length(2);
    const [step] = bundle.steps;
    if (step === undefined) throw new Error("no step");
    const outline = outlineOf(hashing, bundle);
    const type = "FulfilmentProof";
    // A step that is not the one in the bundle, and a bundle that is not the one on the ledger.
    node.hear(coordinator, {
      type,
      bundle: outline,
      step: { ...step, payload: "x" },
    });
    const other = bundleOf([step], 3);
    const { digest } = bundle;
    node.hear(coordinator, {
      type,
      bundle: { ...outlineOf(hashing, other), digest },
      step,
    });
    expect(receiptOf(node)).to.equal(undefined);
    sender.proven(bundle);
    expect(receiptOf(node)).to.equal("Confirmed");
  });

  it("asks again for proof, also after a restart", () => {
    const sender = new Sender(quiet).delegated().gathering();
    const bundle = sender.fulfilledIn("own");
    const { node } = sender;
    expect(node.wait(40).sent("FulfilmentQuery")).to.not.deep.equal([]);
    node.restart({ height: 1 });
    expect(node.wait(2).sent("FulfilmentQuery")).to.not.deep.equal([]);
    sender.proven(bundle);
    expect(receiptOf(node)).to.equal("Confirmed");
  });

  it("does not say confirmed when the ledger has its id with the step of another node", () => {
    const sender = new Sender(quiet).delegated().gathering();
    sender.proven(sender.fulfilledIn("foreign"));
    expect(receiptOf(sender.node)).to.equal("Reverted");
  });

  it("shows a step only to the node that sent it", () => {
    const { sequencer } = new LoneNode({ self: endorser });
    const bundle = bundleOf([stepOf()], 15);
    const { id } = wish;
    const proof = proofFor(sequencer, bundle, { to: owner, id });
    expect(proof?.step).to.deep.equal(bundle.steps[0]);
    expect(proof?.bundle.digest).to.equal(bundle.digest);
    for (const to of [coordinator, endorser])
      expect(proofFor(sequencer, bundle, { to, id })).to.equal(undefined);
    const other = intent(2, "").id;
    expect(proofFor(sequencer, bundle, { to: owner, id: other })).to.equal(
      undefined,
    );
    expect(proofFor(sequencer, undefined, { to: owner, id })).to.equal(
      undefined,
    );
  });

  it("looks up only so many steps for one member in a tick", () => {
    const node = new LoneNode({ self: endorser });
    const { digest } = bundleOf([stepOf()], 15);
    const query = { type: "FulfilmentQuery", id: wish.id, digest } as const;
    const shownTo = (from: typeof owner): number => {
      node.hear(from, query);
      return node.effects.filter(({ type }) => type === "ShowStep").length;
    };
    const answers = Array.from({ length: 10 }, () => shownTo(owner));
    expect(answers.reduce((sum, count) => sum + count)).to.equal(limits.shown);
    expect(shownTo(coordinator)).to.equal(1);
    node.wait(1);
    expect(shownTo(owner)).to.equal(1);
  });

  it("corrects a receipt that the ledger contradicts", () => {
    const bundle = bundleOf([stepOf({ sender: self })], 15);
    const { digest, validUntil } = bundle;
    const record = {
      ...recordOf(wish),
      permission: { coordinator, digest, validUntil, attempt: 1 },
      receipt: { type: "Reverted", id: wish.id, reason: "expired" },
    } as const;
    const node = new LoneNode({ self }, { records: [record] });
    node.tell({ ...block(1, [wish.id], bundle), contradicted: [record] });
    expect(receiptOf(node)).to.equal("Confirmed");
    expect(node.effects).to.deep.include({
      type: "Settled",
      receipt: { type: "Confirmed", id: wish.id, block: 1 },
    });
  });
});
