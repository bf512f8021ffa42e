import { expect } from "chai";

import type { IntentId, NodeName } from "../../src/protocol/ids.ts";
import type { IntentRecord } from "../../src/protocol/records.ts";
import type { Intent, Step } from "../../src/protocol/transition.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  permissionRequest,
  bundleOf,
  intent,
} from "../helpers/simulated-group.ts";

const first = intent(1, "");
const second: Intent = { ...intent(2, ""), dependsOn: [first.id] };
const ids = [first.id, second.id];
const view = { created: [], spent: [] };

function stepOf({ id }: Intent, sender: NodeName): Step {
  return aStep({ intentId: id, sender, signature: `signed ${id}` });
}

function submit(node: LoneNode, wish: Intent): LoneNode {
  const lists = { fulfilled: [], reverted: [] };
  return node.tell({ type: "IntentSubmitted", intent: wish, ...lists });
}

/** The coordinator has what was sent to it last. */
function accept(node: LoneNode): IntentId[] {
  const [request] = node.sent("DelegationRequest");
  if (request === undefined) return [];
  const { key, intents } = request;
  const sent = intents.map(({ id }) => id);
  node.hear(rank(0), { type: "DelegationAccepted", key, ids: sent, height: 0 });
  return sent;
}

function record(node: LoneNode, { id }: Intent): IntentRecord {
  const found = node.records.get(`intent:${id}`);
  if (found?.kind !== "intent") throw new Error(`${id} is not saved`);
  return found;
}

function block(height: number, intents: readonly IntentId[]) {
  const { digest } = bundleOf([], height);
  return { type: "BlockSeen", height, facts: [{ intents, digest }] } as const;
}

describe("A sender of intents that depend on each other", () => {
  /** Both are delegated and assembled. */
  function assembled(): LoneNode {
    const node = new LoneNode({ self: rank(1) });
    submit(node, first);
    accept(node);
    submit(node, second);
    accept(node);
    const key = keyOf("assembly");
    node.hear(rank(0), { type: "AssembleRequest", key, ids, height: 0, view });
    const outcomes = [first, second].map(
      (wish) =>
        ({
          type: "assembled",
          id: wish.id,
          step: stepOf(wish, rank(1)),
        }) as const,
    );
    return node.tell({ type: "AssemblyDone", key, outcomes });
  }

  function ask(node: LoneNode, ...wishes: readonly Intent[]): LoneNode {
    const steps = wishes.map((wish) => stepOf(wish, rank(1)));
    const key = keyOf("permission");
    return node.hear(rank(0), permissionRequest(key, bundleOf(steps, 10)));
  }

  it("refuses one that depends on itself, also in a roundabout way", () => {
    const node = new LoneNode({ self: rank(1) });
    submit(node, { ...first, dependsOn: [first.id] });
    expect(node.effects.map(({ type }) => type)).to.deep.equal(["Refused"]);
    const third: Intent = { ...intent(3, ""), dependsOn: [second.id] };
    submit(submit(node, second), third);
    expect(node.effects.map(({ type }) => type)).to.include("Accepted");
    submit(node, { ...first, dependsOn: [third.id] });
    expect(node.effects.map(({ type }) => type)).to.deep.equal(["Refused"]);
  });

  it("delegates one after the other, whichever came first", () => {
    const node = new LoneNode({ self: rank(1) });
    expect(submit(node, second).sent("DelegationRequest")).to.have.length(0);
    submit(node, first);
    expect(accept(node)).to.deep.equal([first.id]);
    expect(node.sent("DelegationRequest")[0]?.intents).to.deep.equal([second]);
  });

  it("delegates both together, with the dependencies that are not confirmed", () => {
    const node = new LoneNode({ self: rank(1) });
    const zeroth = intent(0, "");
    submit(node, zeroth);
    const [request] = node.sent("DelegationRequest");
    submit(node, first);
    submit(node, { ...second, dependsOn: [zeroth.id, first.id] });
    node.tell(block(1, [zeroth.id]));
    const key = request?.key ?? keyOf("none");
    const taken = [zeroth.id];
    node.hear(rank(0), {
      type: "DelegationAccepted",
      key,
      ids: taken,
      height: 0,
    });
    const [next] = node.sent("DelegationRequest");
    expect(next?.intents).to.deep.equal([first, second]);
  });

  it("permits them in one bundle, in order", () => {
    const node = ask(assembled(), first, second);
    expect(node.sent("DispatchPermission")[0]?.ids).to.deep.equal(ids);
  });

  it("permits what it was asked for last, once it can tell", () => {
    const node = assembled();
    const bundles = [10, 11].map((validUntil) =>
      bundleOf([stepOf(second, rank(1))], validUntil),
    );
    for (const bundle of bundles)
      node.hear(rank(0), permissionRequest(keyOf("permission"), bundle));
    expect(node.effects).to.deep.equal([]);
    const permitted = node
      .tell(block(1, [first.id]))
      .sent("DispatchPermission");
    expect(permitted.map(({ digest }) => digest)).to.deep.equal(
      bundles.slice(1).map(({ digest }) => digest),
    );
    const { permission } = record(node, second);
    expect(permission?.digest).to.equal(bundles[1]?.digest);
  });

  it("does not permit them in the wrong order, or one without the other", () => {
    for (const wishes of [[second, first], [second]]) {
      const node = ask(assembled(), ...wishes);
      expect(node.effects).to.deep.equal([]);
    }
  });

  it("permits the second as soon as it sees that the first is confirmed", () => {
    const node = ask(assembled(), second);
    node.tell(block(1, [first.id]));
    expect(node.sent("DispatchPermission")[0]?.ids).to.deep.equal([second.id]);
  });

  /** The blocks in which some were confirmed never happened. */
  function undo(node: LoneNode, ...wishes: readonly Intent[]): LoneNode {
    const { facts } = block(
      1,
      wishes.map(({ id }) => id),
    );
    const reopened = wishes.map((wish) => record(node, wish));
    return node.tell({ type: "BlocksReverted", height: 0, facts, reopened });
  }

  it("does not permit the second when a reorganisation takes the first back", () => {
    const node = assembled().tell(block(1, [first.id]));
    expect(ask(undo(node, first), second).effects).to.deep.equal([]);
    node.tell(block(1, [first.id]));
    expect(node.sent("DispatchPermission")[0]?.ids).to.deep.equal([second.id]);
  });

  it("delegates both in order when a reorganisation takes them back", () => {
    const node = undo(assembled().tell(block(1, ids)), first, second);
    const [request] = node.sent("DelegationRequest");
    expect(request?.intents).to.deep.equal([first, second]);
  });

  it("reverts the second with the first, wherever it is", () => {
    const node = new LoneNode({ self: rank(1) });
    submit(node, first);
    accept(node);
    submit(node, second);
    accept(node);
    const key = keyOf("assembly");
    const asked = [first.id];
    node.hear(rank(0), {
      type: "AssembleRequest",
      key,
      ids: asked,
      height: 0,
      view,
    });
    const reason = "nonsense";
    const outcomes = [{ type: "reverted", id: first.id, reason } as const];
    node.tell({ type: "AssemblyDone", key, outcomes });
    expect(record(node, second).receipt).to.deep.equal({
      type: "Reverted",
      id: second.id,
      reason: `It depends on ${first.id}, which reverted`,
    });
  });

  it("ends the second after its last permission, also one that was parked", () => {
    const node = new LoneNode({ self: rank(1) });
    submit(node, first);
    submit(node, second);
    const { digest } = bundleOf([]);
    const coordinator = rank(0);
    const permission = { coordinator, digest, validUntil: 10, attempt: 1 };
    const parked = "not ready";
    const records = [
      record(node, first),
      { ...record(node, second), permission, liveUntil: 10, parked },
    ];
    node.restart({ records });
    const key = keyOf("assembly");
    const asked = [first.id];
    node.hear(rank(0), {
      type: "AssembleRequest",
      key,
      ids: asked,
      height: 0,
      view,
    });
    const reason = "nonsense";
    const outcomes = [{ type: "reverted", id: first.id, reason } as const];
    node.tell({ type: "AssemblyDone", key, outcomes });
    expect(record(node, second).receipt).to.equal(undefined);
    // Only what is open is read again.
    node.restart({ records: [record(node, second)] }).tell(block(10, []));
    expect(record(node, second).receipt?.type).to.equal("Reverted");
  });
});

describe("A coordinator of intents that depend on each other", () => {
  function delegate(node: LoneNode, ...intents: readonly Intent[]): LoneNode {
    const key = keyOf(`delegation:${intents.length}`);
    return node.hear(rank(1), {
      type: "DelegationRequest",
      key,
      height: 0,
      intents,
    });
  }

  /** The sender assembles what it was asked for last. */
  function assemble(node: LoneNode): LoneNode {
    const [request] = node.sent("AssembleRequest");
    if (request === undefined) throw new Error("not asked to assemble");
    const outcomes = request.ids.map((id) => ({
      type: "assembled" as const,
      id,
      step: stepOf(intent(id === first.id ? 1 : 2, ""), rank(1)),
    }));
    const { key } = request;
    return node.hear(rank(1), { type: "AssembleResponse", key, outcomes });
  }

  const bundled = (node: LoneNode): IntentId[][] =>
    node
      .sent("EndorsementRequest")
      .map(({ bundle }) => bundle.steps.map(({ intentId }) => intentId));

  it("takes none that depends on what it does not know", () => {
    const node = delegate(new LoneNode({ self: rank(0) }), second);
    expect(node.sent("DelegationAccepted")).to.have.length(0);
    expect(node.sent("DelegationRejected")[0]?.reason).to.equal("busy");
  });

  it("assembles and bundles them together, in order", () => {
    const node = delegate(new LoneNode({ self: rank(0) }), first, second);
    expect(node.sent("AssembleRequest")[0]?.ids).to.deep.equal(ids);
    expect(bundled(assemble(node))[0]).to.deep.equal(ids);
  });

  it("holds one back whose dependency is on its way, until that is confirmed", () => {
    const node = delegate(new LoneNode({ self: rank(0) }), first);
    expect(bundled(assemble(node))[0]).to.deep.equal([first.id]);
    delegate(node, first, second);
    expect(bundled(assemble(node))).to.deep.equal([]);
    // Another coordinator's version of the first one happened: what was built after this one's is built again.
    node.tell(block(1, [first.id]));
    expect(bundled(assemble(node))[0]).to.deep.equal([second.id]);
  });

  it("gives one back whose dependency leaves", () => {
    const node = delegate(new LoneNode({ self: rank(0) }), first);
    const [request] = node.sent("AssembleRequest");
    delegate(node, first, second);
    const key = request?.key ?? keyOf("none");
    const outcomes = [
      { type: "parked", id: first.id, reason: "later" } as const,
    ];
    node.hear(rank(1), { type: "AssembleResponse", key, outcomes });
    const returned = node.sent("DelegationReturned");
    expect(returned.flatMap((message) => message.ids)).to.deep.equal([
      second.id,
    ]);
    expect(node.sequencer.coordinator.transactions.size).to.equal(0);
    expect(node.sequencer.coordinator.dependants.size).to.equal(0);
  });
});
