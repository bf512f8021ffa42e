import { expect } from "chai";

import type { NodeName } from "../../src/protocol/ids.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import { digestOf, outlineOf } from "../../src/protocol/outline.ts";
import { rankCoordinators } from "../../src/protocol/selection.ts";
import {
  createSequencer,
  findRefusal,
  handle,
} from "../../src/protocol/sequencer.ts";
import type { IntentRecord } from "../../src/protocol/records.ts";
import type { Bundle, Intent, Step } from "../../src/protocol/transition.ts";
import { sign } from "../../src/simulation/hashing.ts";
import {
  block,
  committeeBlock,
  committeeOf,
  delegation,
  handover,
  hashingIn,
  heartbeat,
  submission,
} from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  bundleOf,
  emptyView,
  intent,
  nodeNamed,
  permissionRequest,
} from "../helpers/simulated-group.ts";

const all = [rank(0), rank(1), rank(2)];
const dave = nodeNamed("dave");
const wish = intent(1, "sing");

function recordOf(node: LoneNode, { id }: Intent): IntentRecord | undefined {
  const found = node.records.get(`intent:${id}`);
  return found?.kind === "intent" ? found : undefined;
}

/** A step, bundled under an epoch. */
function sealed(step: Step, epoch: number, validUntil = 15): Bundle {
  const bundle = bundleOf([step], validUntil);
  return { ...bundle, digest: digestOf(hashingIn(epoch), bundle) };
}

function endorsementRequest(
  coordinator: NodeName,
  bundle: Bundle,
  height: number,
): MessageOf<"EndorsementRequest"> {
  return {
    type: "EndorsementRequest",
    key: keyOf(`endorsement:${height}`),
    coordinator,
    height,
    bundle,
    view: emptyView,
  };
}

/** A coordinator that gathers endorsements for an intent of another node, and what it asks for. */
function gathering(
  self: NodeName,
  sender: NodeName,
): { readonly node: LoneNode; readonly bundle: Bundle } {
  const node = new LoneNode({ self, threshold: 2 });
  return { node, bundle: gather(node, sender, 0) };
}

/** Takes an intent up to the request for endorsements. */
function gather(node: LoneNode, sender: NodeName, height: number): Bundle {
  node.hear(sender, delegation(wish, height));
  const [request] = node.sent("AssembleRequest");
  if (request === undefined) throw new Error("not asked to assemble");
  const step = aStep({
    intentId: wish.id,
    sender,
    signature: `signed at ${height}`,
  });
  node.hear(sender, {
    type: "AssembleResponse",
    key: request.key,
    outcomes: [{ type: "assembled", id: wish.id, step }],
  });
  const [question] = node.sent("EndorsementRequest");
  if (question === undefined) throw new Error("not asked to endorse");
  return question.bundle;
}

function endorse(node: LoneNode, from: NodeName, bundle: Bundle): void {
  const { digest } = bundle;
  const [work] = node.sequencer.coordinator.bundles;
  const key = work?.key ?? keyOf("none");
  const signature = sign(from, digest);
  node.hear(from, { type: "Endorsement", key, digest, signature });
}

describe("A coordinator, when the committee changes", () => {
  const [self, sender, other] = [rank(0), rank(1), rank(2)];

  it("gives back what it has, and gathers endorsements under the new epoch", () => {
    const { node, bundle: old } = gathering(self, sender);
    node.tell(committeeBlock(1, { committee: all, threshold: 2 }));
    expect(node.sent("DelegationReturned")).to.deep.equal([
      { type: "DelegationReturned", ids: [wish.id], height: 1 },
    ]);
    expect(node.sequencer.coordinator.state).to.equal("Idle");
    const bundle = gather(node, sender, 1);
    expect(bundle.digest).to.not.equal(old.digest);
    expect(bundle.digest).to.equal(digestOf(hashingIn(1), bundle));
  });

  it("counts no endorsement of the epoch before, and none of somebody who has left", () => {
    const { node, bundle: old } = gathering(self, sender);
    const committee = [self, sender, dave];
    node.tell(committeeBlock(1, { committee, threshold: 2 }));
    const bundle = gather(node, sender, 1);
    const [work] = node.sequencer.coordinator.bundles;
    endorse(node, sender, old);
    endorse(node, other, bundle);
    endorse(node, other, old);
    expect(work?.endorsements.size).to.equal(0);
    endorse(node, dave, bundle);
    endorse(node, sender, bundle);
    expect(work?.isEndorsed).to.equal(true);
  });

  it("wants as many endorsements as the new committee does", () => {
    const { node } = gathering(self, sender);
    node.tell(committeeBlock(1, { committee: all, threshold: 3 }));
    const bundle = gather(node, sender, 1);
    const [work] = node.sequencer.coordinator.bundles;
    endorse(node, other, bundle);
    endorse(node, sender, bundle);
    expect(work?.isEndorsed).to.equal(false);
    endorse(node, self, bundle);
    expect(work?.isEndorsed).to.equal(true);
  });

  it("forgets what it dispatched, on the disk too: the ledger refuses it", () => {
    const { node, bundle } = gathering(self, sender);
    endorse(node, sender, bundle);
    endorse(node, other, bundle);
    const [work] = node.sequencer.coordinator.bundles;
    node.hear(sender, {
      type: "DispatchPermission",
      key: work?.key ?? keyOf("none"),
      digest: bundle.digest,
      ids: [wish.id],
    });
    expect([...node.records.keys()]).to.deep.equal([
      `dispatch:${bundle.digest}`,
    ]);
    node.tell(committeeBlock(1, { committee: all, threshold: 2 }));
    expect([...node.records.keys()]).to.deep.equal([]);
    expect(node.restart({ height: 1 }).effects).to.deep.equal([]);
  });

  it("neither coordinates nor endorses when it is in the committee no more", () => {
    const { node } = gathering(self, sender);
    const committee = [sender, other];
    node.tell(committeeBlock(1, { committee, members: all }));
    node.hear(sender, delegation(wish, 1));
    expect(node.sent("DelegationRejected")).to.have.length(1);
    const bundle = sealed(aStep({ intentId: wish.id, sender }), 1);
    node.hear(sender, endorsementRequest(sender, bundle, 1));
    expect(node.effects).to.deep.equal([]);
  });

  it("ranks the members of the new committee", () => {
    const node = new LoneNode({ self });
    const { contract } = node.sequencer.config;
    const committee = [self, dave];
    node.tell(committeeBlock(1, { committee }));
    expect(node.sequencer.ranking(0)).to.deep.equal(
      rankCoordinators({ committee, contract, range: 0 }),
    );
  });

  it("does not wait for what a predecessor dispatched", () => {
    const node = new LoneNode({ self });
    node.hear(other, heartbeat("Flush")).hear(other, handover([wish.id], 15));
    expect(node.sequencer.coordinator.state).to.equal("Prepared");
    node.tell(committeeBlock(1, { committee: all }));
    node.hear(sender, delegation(wish, 1));
    expect(node.sequencer.coordinator.state).to.equal("Active");
  });

  it("shows with its heartbeats that it has forgotten what it had", () => {
    const { node } = gathering(self, sender);
    node.tell(committeeBlock(1, { committee: all }));
    node.hear(sender, delegation(wish, 1));
    const [beat] = node.wait(10).sent("Heartbeat");
    expect(beat?.boot).to.equal(2);
  });
});

describe("An endorser, when the committee changes", () => {
  const [self, coordinator, sender] = [rank(1), rank(0), rank(2)];
  const step = aStep({ intentId: wish.id, sender });

  it("signs for the new epoch alone", () => {
    const node = new LoneNode({ self });
    const [old, fresh] = [sealed(step, 0), sealed(step, 1)];
    node.hear(coordinator, endorsementRequest(coordinator, old, 0));
    const { digest } = old;
    node.tell({
      type: "EndorsementDone",
      digest,
      outcome: { type: "endorsed", signature: sign(self, digest) },
    });
    expect(node.sent("Endorsement")).to.have.length(1);
    node.tell(committeeBlock(1, { committee: all }));
    // The same question again gets no answer that could be used.
    node.hear(coordinator, endorsementRequest(coordinator, old, 1));
    expect(node.sent("Endorsement")).to.have.length(0);
    expect(node.sent("Refusal")[0]).to.include({ detail: "the digest" });
    node.hear(coordinator, endorsementRequest(coordinator, fresh, 1));
    expect(node.effects.map(({ type }) => type)).to.deep.equal(["Endorse"]);
  });

  it("gives no signature for what it was checking", () => {
    const node = new LoneNode({ self });
    const bundle = sealed(step, 0);
    node.hear(coordinator, endorsementRequest(coordinator, bundle, 0));
    node.tell(committeeBlock(1, { committee: all }));
    const { digest } = bundle;
    node.tell({
      type: "EndorsementDone",
      digest,
      outcome: { type: "endorsed", signature: sign(self, digest) },
    });
    expect(node.effects).to.deep.equal([]);
  });

  it("blames no step of a coordinator that has not seen the change", () => {
    const node = new LoneNode({ self });
    node.tell(committeeBlock(3, { committee: all }));
    const bundle = sealed(step, 0);
    node.hear(coordinator, endorsementRequest(coordinator, bundle, 2));
    expect(node.sent("Refusal")[0]).to.include({ reason: "not-coordinator" });
    const { config, height } = node.sequencer;
    const { sequencer } = createSequencer(config, {
      height,
      records: [],
      fulfilled: [],
    });
    const [again] = handle(sequencer, {
      type: "MessageReceived",
      from: coordinator,
      message: endorsementRequest(coordinator, bundle, 2),
    });
    expect(again).to.deep.include({ type: "Send", to: coordinator });
    expect(again).to.have.nested.property("message.reason", "not-coordinator");
  });

  it("answers a coordinator that saw the change first", () => {
    const node = new LoneNode({ self });
    const bundle = sealed(step, 1);
    node.hear(coordinator, endorsementRequest(coordinator, bundle, 1));
    expect(node.effects).to.deep.equal([]);
    node.tell(committeeBlock(1, { committee: all }));
    expect(node.effects.map(({ type }) => type)).to.include("Endorse");
  });

  it("follows its coordinator on, unless that is a member no more", () => {
    const node = new LoneNode({ self });
    const active = (): NodeName | undefined =>
      node.sequencer.sender.active?.node;
    node.hear(coordinator, heartbeat("Active"));
    node.tell(committeeBlock(1, { committee: [self, coordinator] }));
    expect(active()).to.equal(coordinator);
    node.tell(committeeBlock(2, { committee: [self, sender] }));
    expect(active()).to.equal(undefined);
  });

  it("hears nobody who is a member no more", () => {
    const node = new LoneNode({ self });
    node.tell(committeeBlock(1, { committee: [self, sender] }));
    node.hear(coordinator, heartbeat("Active", { height: 1 }));
    expect(node.sequencer.sender.active).to.equal(undefined);
    const bundle = sealed(step, 1);
    node.hear(coordinator, endorsementRequest(coordinator, bundle, 1));
    node.hear(coordinator, delegation(wish, 1));
    node.hear(coordinator, { type: "HandoverRequest", height: 1 });
    node.hear(coordinator, handover([wish.id], 15));
    expect(node.effects).to.deep.equal([]);
    expect(node.sequencer.coordinator.state).to.equal("Idle");
    expect(node.sequencer.ignored.get("no member")).to.equal(5);
  });
});

describe("A sender, when the committee changes", () => {
  const [self, coordinator] = [rank(1), rank(0)];
  const step = aStep({ intentId: wish.id, sender: self });
  const bundle = bundleOf([step], 10);

  /** The coordinator has dispatched an intent of this node. */
  function dispatched(): LoneNode {
    const node = new LoneNode({ self });
    const [request] = node.tell(submission(wish)).sent("DelegationRequest");
    const ids = [wish.id];
    node.hear(coordinator, {
      type: "DelegationAccepted",
      key: request?.key ?? keyOf("none"),
      ids,
      height: 0,
    });
    const key = keyOf("assembly");
    const view = emptyView;
    node.hear(coordinator, {
      type: "AssembleRequest",
      key,
      ids,
      height: 0,
      view,
    });
    const outcomes = [{ type: "assembled", id: wish.id, step } as const];
    node.tell({ type: "AssemblyDone", key, outcomes });
    node.hear(coordinator, permissionRequest(keyOf("permission"), bundle));
    const { digest } = bundle;
    return node.hear(coordinator, { type: "Dispatched", digest, ids });
  }

  it("delegates again what was dispatched, without counting that as a failure", () => {
    const node = dispatched();
    expect(recordOf(node, wish)?.isDispatched).to.equal(true);
    node.tell(committeeBlock(1, { committee: all }));
    expect(node.sent("DelegationRequest")).to.have.length(1);
    expect(recordOf(node, wish)).to.include({
      isDispatched: false,
      retries: 0,
      receipt: undefined,
    });
    node.restart({ height: 1 });
    expect(node.sent("DelegationRequest")).to.have.length(1);
  });

  it("believes no late word of a dispatch under the committee before", () => {
    const node = dispatched();
    node.tell(committeeBlock(1, { committee: all }));
    const { digest } = bundle;
    node.hear(coordinator, { type: "Dispatched", digest, ids: [wish.id] });
    expect(recordOf(node, wish)?.isDispatched).to.equal(false);
  });

  it("takes what happened in the same block", () => {
    const node = dispatched();
    node.tell(committeeBlock(1, { committee: all, bundle }));
    expect(recordOf(node, wish)?.receipt).to.include({ type: "Confirmed" });
    expect(node.sent("DelegationRequest")).to.have.length(0);
  });

  it("takes a proof of what happened before the change", () => {
    const node = dispatched();
    const other = bundleOf([{ ...step, salt: "other" }], 12);
    node.tell(committeeBlock(1, { committee: all, bundle: other }));
    expect(recordOf(node, wish)?.receipt).to.equal(undefined);
    const [shown] = other.steps;
    if (shown === undefined) throw new Error("no step");
    node.hear(coordinator, {
      type: "FulfilmentProof",
      bundle: outlineOf(hashingIn(0), other),
      step: shown,
    });
    expect(recordOf(node, wish)?.receipt).to.include({ type: "Confirmed" });
  });

  it("goes on waiting for what its intents depend on", () => {
    const node = new LoneNode({ self });
    const first = intent(2, "sing");
    node.tell(submission({ ...wish, dependsOn: [first.id] }));
    node.tell(committeeBlock(1, { committee: all }));
    expect(node.sent("DelegationRequest")).to.have.length(0);
    node.tell(block(2, [first.id]));
    expect(node.sent("DelegationRequest")).to.have.length(1);
  });

  it("asks what became of them, however often the committee changes", () => {
    const node = new LoneNode({ self });
    const first = intent(2, "sing");
    node.tell(submission({ ...wish, dependsOn: [first.id] }));
    const asked: unknown[] = [];
    for (let height = 1; height <= 10; height++) {
      node.tell(committeeBlock(height, { committee: all, epoch: height % 9 }));
      asked.push(...node.wait(10).sent("DependencyQuery"));
    }
    expect(asked).to.not.have.length(0);
  });

  it("ends its intents and takes no others when it is a member no more", () => {
    const node = new LoneNode({ self });
    node.tell(submission(wish));
    node.tell(committeeBlock(1, { committee: [coordinator, dave] }));
    expect(recordOf(node, wish)?.receipt).to.deep.equal({
      type: "Reverted",
      id: wish.id,
      reason: "This node is no longer a member of the group",
    });
    const more = submission(intent(2, ""));
    if (more.type !== "IntentSubmitted") throw new Error("no submission");
    expect(findRefusal(node.sequencer, [more])).to.contain("no longer");
    node.tell(more);
    expect(node.effects.map(({ type }) => type)).to.deep.equal(["Refused"]);
  });

  it("ends none of them as reverted while a reorganisation could let it happen", () => {
    const node = dispatched();
    const committee = [coordinator, dave];
    node.tell(committeeBlock(1, { committee }));
    expect(recordOf(node, wish)).to.include({
      isDoomed: true,
      receipt: undefined,
    });
    node.tell({
      type: "BlocksReverted",
      height: 0,
      facts: [],
      reopened: [],
      committee: committeeOf(0, { committee: all, epoch: 0 }),
    });
    node.tell(block(1, [wish.id], bundle));
    expect(recordOf(node, wish)?.receipt).to.include({ type: "Confirmed" });
  });

  it("delegates again what was confirmed in blocks that a reorganisation took back with the change", () => {
    const node = dispatched();
    node.tell(block(1, [wish.id], bundle));
    node.tell(committeeBlock(2, { committee: [self, coordinator] }));
    const record = recordOf(node, wish);
    const { facts } = block(1, [wish.id], bundle);
    node.tell({
      type: "BlocksReverted",
      height: 0,
      facts,
      reopened: record === undefined ? [] : [record],
      committee: committeeOf(0, { committee: all, epoch: 0 }),
    });
    expect(node.sent("DelegationRequest")).to.have.length(1);
    expect(node.sequencer.config.committee).to.deep.equal(all);
    expect(node.sequencer.config.threshold).to.equal(1);
  });
});
