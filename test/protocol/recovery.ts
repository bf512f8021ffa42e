import { expect } from "chai";

import type { NodeName } from "../../src/protocol/ids.ts";
import type { IntentRecord } from "../../src/protocol/records.ts";
import type { Intent, Step } from "../../src/protocol/transition.ts";
import {
  block,
  delegation,
  handover,
  heartbeat,
  submission,
} from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  permissionRequest,
  bundleOf,
  emptyView,
  intent,
} from "../helpers/simulated-group.ts";

function submit(node: LoneNode, wish: Intent): LoneNode {
  return node.tell(submission(wish));
}

function record(node: LoneNode, { id }: Intent): IntentRecord | undefined {
  const found = node.records.get(`intent:${id}`);
  return found?.kind === "intent" ? found : undefined;
}

/** Delegated, assembled, and permitted to be dispatched by the delegate. */
function permitted(node: LoneNode, to: NodeName, wish: Intent): Step {
  const [request] = submit(node, wish).sent("DelegationRequest");
  if (request === undefined) throw new Error("not delegated");
  node.hear(to, {
    type: "DelegationAccepted",
    key: request.key,
    ids: [wish.id],
    height: 0,
  });
  const key = keyOf("assembly");
  const ids = [wish.id];
  node.hear(to, {
    type: "AssembleRequest",
    key,
    ids,
    height: 0,
    view: emptyView,
  });
  const { self: sender } = node.sequencer.config;
  const step = aStep({ intentId: wish.id, sender });
  const outcomes = [{ type: "assembled", id: wish.id, step } as const];
  node.tell({ type: "AssemblyDone", key, outcomes });
  const bundle = bundleOf([step], 10);
  node.hear(to, permissionRequest(keyOf("permission"), bundle));
  return step;
}

describe("A coordinator", () => {
  it("forgets what ended before the first tick", () => {
    const node = new LoneNode({ self: rank(0), committee: [rank(0)] });
    const wish = intent(1, "sing");
    const effect = submit(node, wish).effects.find(
      ({ type }) => type === "Assemble",
    );
    if (effect?.type !== "Assemble") throw new Error("not asked to assemble");
    const { key } = effect;
    const outcomes = [
      { type: "reverted", id: wish.id, reason: "nonsense" } as const,
    ];
    node.tell({ type: "AssemblyDone", key, outcomes }).wait(20);
    expect(node.sequencer.coordinator.transactions.size).to.equal(0);
    expect(node.sequencer.coordinator.state).to.equal("Idle");
  });

  it("waits for the flush point of a handover that it did not ask for", () => {
    const node = new LoneNode({ self: rank(0) });
    const open = intent(1, "").id;
    node.hear(rank(1), heartbeat("Flush"));
    node.hear(rank(1), handover([open], 15));
    expect(node.sequencer.coordinator.state).to.equal("Prepared");
    expect(node.sent("HandoverAck")).to.have.length(1);
    node.tell(block(1, [open]));
    expect(node.sequencer.coordinator.state).to.equal("Active");
  });

  it("does not wait for what the ledger has already", () => {
    const node = new LoneNode({ self: rank(0) });
    const open = intent(1, "").id;
    node.tell(block(1, [open])).hear(rank(1), handover([open], 15));
    expect(node.sequencer.coordinator.state).to.equal("Idle");
  });

  it("waits for a flush point no longer than it can happen", () => {
    const node = new LoneNode({ self: rank(0) });
    node.hear(rank(1), heartbeat("Flush"));
    node.hear(rank(1), handover([intent(1, "").id], 5));
    for (let height = 1; height < 5; height++) node.tell(block(height));
    expect(node.sequencer.coordinator.state).to.equal("Prepared");
    node.tell(block(5));
    expect(node.sequencer.coordinator.state).to.equal("Active");
  });

  it("takes no role that it may not have", () => {
    const pool = [rank(1)];
    const node = new LoneNode({ self: rank(0), mode: "remote", pool });
    node.hear(rank(1), handover([intent(1, "").id], 15));
    expect(node.sequencer.coordinator.state).to.equal("Idle");
  });

  it("asks for a handover while another one flushes", () => {
    const node = new LoneNode({ self: rank(0), policy: "rotating" });
    node.hear(rank(1), heartbeat("Flush"));
    node.hear(rank(2), delegation(intent(1, "")));
    expect(node.sequencer.coordinator.state).to.equal("Elect");
    expect(node.sent("HandoverRequest")).to.have.length(1);
  });

  it("says so when it has nothing to hand over", () => {
    const node = new LoneNode({ self: rank(1) });
    node.hear(rank(0), { type: "HandoverRequest", height: 0 });
    expect(node.sent("Handover")).to.have.length(1);
    expect(node.records.size).to.equal(0);
  });

  it("gives way to a better claim while it waits for the role itself", () => {
    const node = new LoneNode({ self: rank(1), policy: "rotating" });
    const wish = intent(1, "");
    node.hear(rank(2), heartbeat("Active"));
    node.hear(rank(2), delegation(wish));
    expect(node.sequencer.coordinator.state).to.equal("Elect");
    node.hear(rank(0), { type: "HandoverRequest", height: 0 });
    expect(node.sequencer.coordinator.state).to.equal("Observing");
    expect(node.sent("DelegationReturned")[0]?.ids).to.deep.equal([wish.id]);
    expect(node.sent("Handover")).to.have.length(1);
  });

  it("stops repeating a handover that nobody needs any more", () => {
    const node = new LoneNode({ self: rank(1), policy: "rotating" });
    node.hear(rank(2), heartbeat("Active"));
    node.hear(rank(2), delegation(intent(1, "")));
    node.hear(rank(0), { type: "HandoverRequest", height: 0 });
    expect(node.wait(40).sent("Handover").length).to.be.greaterThan(1);
    for (let height = 1; height <= 21; height++) node.tell(block(height));
    expect(node.wait(40).sent("Handover")).to.have.length(0);
    expect(node.records.size).to.equal(0);
  });
});

describe("A sender", () => {
  it("believes only for a while that it is behind", () => {
    const node = new LoneNode({ self: rank(1), policy: "rotating" });
    const wish = intent(1, "");
    const [request] = submit(node, wish).sent("DelegationRequest");
    if (request === undefined) throw new Error("not delegated");
    node.hear(rank(0), {
      type: "DelegationRejected",
      key: request.key,
      ids: [wish.id],
      height: 900_000,
      reason: "sender-behind",
      active: undefined,
    });
    expect(node.wait(30).sent("DelegationRequest")).to.have.length(0);
    expect(node.wait(30).sent("DelegationRequest")).to.not.have.length(0);
  });

  it("delegates again what was not accepted", () => {
    const node = new LoneNode({ self: rank(1) });
    const [request] = submit(node, intent(1, "")).sent("DelegationRequest");
    if (request === undefined) throw new Error("not delegated");
    const { key } = request;
    const accepted = { type: "DelegationAccepted", key, ids: [] } as const;
    node.hear(rank(0), { ...accepted, height: 0 });
    expect(node.sent("DelegationRequest")).to.have.length(0);
    expect(node.wait(20).sent("DelegationRequest")).not.to.have.length(0);
  });

  it("goes on asking when somebody else answers", () => {
    const node = new LoneNode({ self: rank(1) });
    const wish = intent(1, "");
    const [request] = submit(node, wish).sent("DelegationRequest");
    if (request === undefined) throw new Error("not delegated");
    const { key } = request;
    const ids = [wish.id];
    node.hear(rank(2), { type: "DelegationAccepted", key, ids, height: 0 });
    expect(node.wait(6).sent("DelegationRequest")).to.not.have.length(0);
  });

  it("prefers the coordinator at work to one that it only chose", () => {
    const node = new LoneNode({ self: rank(1) });
    submit(node, { ...intent(1, ""), dependsOn: [intent(9, "").id] });
    node.hear(rank(2), heartbeat("Active"));
    const asked = submit(node, intent(2, "")).effects.flatMap((effect) =>
      effect.type === "Send" && effect.message.type === "DelegationRequest"
        ? [effect.to]
        : [],
    );
    expect(asked).to.deep.equal([rank(2)]);
  });

  it("delegates nothing before the ledger has what it depends on of others", () => {
    const node = new LoneNode({ self: rank(1) });
    const first = intent(1, "");
    const second = { ...intent(2, ""), dependsOn: [first.id] };
    expect(submit(node, second).sent("DelegationRequest")).to.have.length(0);
    node.restart();
    expect(node.sent("DelegationRequest")).to.have.length(0);
    node.tell(block(1, [first.id]));
    expect(node.sent("DelegationRequest")).to.have.length(1);
    node.restart({ height: 1, fulfilled: [first.id] });
    expect(node.sent("DelegationRequest")).to.have.length(1);
  });

  it("reverts what depends on something that reverts", () => {
    const node = new LoneNode({ self: rank(0), committee: [rank(0)] });
    const first = intent(1, "sing");
    const second = { ...intent(2, ""), dependsOn: [first.id] };
    submit(node, second);
    const effect = submit(node, first).effects.find(
      ({ type }) => type === "Assemble",
    );
    if (effect?.type !== "Assemble") throw new Error("not asked to assemble");
    const outcomes = [
      { type: "reverted", id: first.id, reason: "nonsense" } as const,
    ];
    node.tell({ type: "AssemblyDone", key: effect.key, outcomes });
    expect(record(node, first)?.receipt?.type).to.equal("Reverted");
    expect(record(node, second)?.receipt?.type).to.equal("Reverted");
    const third = { ...intent(3, ""), dependsOn: [first.id] };
    node.tell({
      type: "IntentSubmitted",
      intent: third,
      fulfilled: [],
      reverted: [first.id],
    });
    expect(node.effects.map(({ type }) => type)).to.deep.equal(["Refused"]);
  });

  it("parks what depends on another node's failure, and goes on if the ledger has it after all", () => {
    const node = new LoneNode({ self: rank(1) });
    const first = intent(1, "");
    const second = { ...intent(2, ""), dependsOn: [first.id] };
    submit(node, second);
    expect(node.wait(60).sent("DependencyQuery")).to.have.length(2);
    const ids = [first.id];
    node.hear(rank(2), { type: "DependencyFailed", ids });
    expect(record(node, second)?.parked).to.include(first.id);
    expect(record(node, second)?.receipt).to.equal(undefined);
    node.restart().wait(60);
    expect(node.sent("DependencyQuery")).to.have.length(0);
    node.tell(block(1, [first.id]));
    expect(record(node, second)?.parked).to.equal(undefined);
    expect(node.sent("DelegationRequest")).to.have.length(1);
  });

  it("says what became of its own intents, also after a restart", () => {
    const members = [rank(0), rank(1)];
    const committee = [rank(0)];
    const node = new LoneNode({ self: rank(0), members, committee });
    const wish = intent(1, "sing");
    const effect = submit(node, wish).effects.find(
      ({ type }) => type === "Assemble",
    );
    if (effect?.type !== "Assemble") throw new Error("not asked to assemble");
    const ids = [wish.id];
    node.hear(rank(1), { type: "DependencyQuery", ids });
    expect(node.sent("DependencyFailed")).to.have.length(0);
    const outcomes = [
      { type: "reverted", id: wish.id, reason: "nonsense" } as const,
    ];
    node.tell({ type: "AssemblyDone", key: effect.key, outcomes }).restart();
    node.hear(rank(1), { type: "DependencyQuery", ids });
    expect(node.sent("DependencyFailed")).to.deep.equal([
      { type: "DependencyFailed", ids },
    ]);
  });

  it("notes a dispatch that it permitted, also after it gave up on the coordinator", () => {
    const node = new LoneNode({ self: rank(1) });
    const wish = intent(1, "");
    const step = permitted(node, rank(0), wish);
    expect(record(node, wish)?.permission?.coordinator).to.equal(rank(0));
    node.wait(60);
    const { digest } = bundleOf([step], 10);
    node.hear(rank(0), { type: "Dispatched", digest, ids: [wish.id] });
    expect(node.sent("DispatchedAck")).to.have.length(1);
    expect(record(node, wish)?.isDispatched).to.equal(true);
  });

  it("delegates again what it does not permit, after a pause", () => {
    const node = new LoneNode({ self: rank(1) });
    const wish = intent(1, "");
    const step = permitted(node, rank(0), wish);
    const bundle = bundleOf([step], 9_999);
    node.hear(rank(0), permissionRequest(keyOf("late"), bundle));
    expect(node.sent("DispatchDenial")).to.have.length(1);
    expect(node.sent("DelegationRequest")).to.have.length(0);
    expect(node.wait(20).sent("DelegationRequest")).not.to.have.length(0);
  });

  it("keeps the pause after a failure when an earlier one is over", () => {
    const node = new LoneNode({ self: rank(1) });
    const wish = intent(1, "");
    const { digest } = bundleOf([permitted(node, rank(0), wish)], 10);
    const ids = [wish.id];
    const failure = { type: "TransactionReverted", digest, ids } as const;
    const reverted = { ...failure, reason: "" };
    node.hear(rank(0), reverted).wait(1);
    // It was dispatched all the same, and failed there too.
    node.hear(rank(0), { type: "Dispatched", digest, ids });
    node.hear(rank(0), reverted);
    expect(record(node, wish)?.retries).to.equal(2);
    expect(node.wait(7).sent("DelegationRequest")).to.have.length(0);
    expect(node.wait(10).sent("DelegationRequest")).not.to.have.length(0);
  });
});
