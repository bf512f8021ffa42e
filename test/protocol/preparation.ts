import { expect } from "chai";

import type { NodeName } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/messages.ts";
import type { IntentRecord } from "../../src/protocol/records.ts";
import type { Bundle, Intent, Step } from "../../src/protocol/transition.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  permissionRequest,
  bundleOf,
  intent,
} from "../helpers/simulated-group.ts";

const empty = { created: [], spent: [] };
const wish: Intent = { ...intent(1, ""), isPrepareOnly: true };

function stepOf(sender: NodeName): Step {
  return aStep({ intentId: wish.id, sender });
}

function record(node: LoneNode): IntentRecord | undefined {
  const found = node.records.get(`intent:${wish.id}`);
  return found?.kind === "intent" ? found : undefined;
}

/** A sender whose intent the first node has assembled. */
function assembled(): LoneNode {
  const node = new LoneNode({ self: rank(1), threshold: 2 });
  const events = { fulfilled: [], reverted: [] };
  node.tell({ type: "IntentSubmitted", intent: wish, ...events });
  const ids = [wish.id];
  const key = keyOf("assembly");
  node.hear(rank(0), {
    type: "AssembleRequest",
    key,
    ids,
    height: 0,
    view: empty,
  });
  const step = stepOf(rank(1));
  const outcomes = [{ type: "assembled", id: wish.id, step } as const];
  return node.tell({ type: "AssemblyDone", key, outcomes });
}

function prepared(
  bundle: Bundle,
  endorsers: readonly NodeName[],
): Extract<Message, { readonly type: "TransactionPrepared" }> {
  const { digest } = bundle;
  const key = keyOf("prepared");
  const endorsements = endorsers.map((endorser) => ({
    endorser,
    digest,
    signature: endorser,
  }));
  return { type: "TransactionPrepared", key, bundle, endorsements };
}

const bundle = bundleOf([stepOf(rank(1))], 10);

describe("A sender of what is only to be prepared", () => {
  it("saves it, gives it to the user, and again after a restart", () => {
    const node = assembled();
    node.hear(rank(0), prepared(bundle, [rank(0), rank(2)]));
    expect(record(node)?.receipt?.type).to.equal("Prepared");
    expect(node.effects.map(({ type }) => type)).to.include("PreparedForUser");
    expect(node.sent("TransactionPreparedAck")).to.have.length(1);
    node.restart();
    expect(node.effects.map(({ type }) => type)).to.deep.equal([
      "PreparedForUser",
    ]);
    node.restart({ height: 10 });
    expect(node.effects).to.deep.equal([]);
  });

  it("takes none that too few members endorse, or that it did not assemble", () => {
    const other = { ...stepOf(rank(1)), salt: "other" };
    for (const message of [
      prepared(bundle, [rank(0)]),
      prepared(bundle, [rank(0), rank(0)]),
      prepared(bundleOf([other], 10), [rank(0), rank(2)]),
      prepared({ ...bundle, validUntil: 11 }, [rank(0), rank(2)]),
    ]) {
      const node = assembled().hear(rank(0), message);
      expect(record(node)?.receipt).to.equal(undefined);
      expect(node.sent("TransactionPreparedAck")).to.have.length(1);
      expect(node.wait(20).sent("DelegationRequest")).not.to.have.length(0);
    }
  });

  it("takes none from anybody but its delegate", () => {
    const node = assembled();
    node.hear(rank(2), prepared(bundle, [rank(0), rank(2)]));
    expect(record(node)?.receipt).to.equal(undefined);
  });

  it("permits nobody to dispatch it", () => {
    const key = keyOf("permission");
    const node = assembled();
    node.hear(rank(0), permissionRequest(key, bundle));
    expect(node.sent("DispatchPermission")).to.have.length(0);
    const reasons = node.sent("DispatchDenial").flatMap(({ denied }) => denied);
    expect(reasons).to.deep.equal([{ id: wish.id, reason: "prepare-only" }]);
  });

  it("believes the ledger when somebody executes it", () => {
    const node = assembled();
    node.hear(rank(0), prepared(bundle, [rank(0), rank(2)])).restart();
    const facts = [{ intents: [wish.id], digest: bundle.digest }];
    node.tell({ type: "BlockSeen", height: 10, facts });
    expect(record(node)?.receipt?.type).to.equal("Confirmed");
    const reopened = [...node.records.values()].filter(
      (saved) => saved.kind === "intent",
    );
    node.tell({ type: "BlocksReverted", height: 9, facts, reopened });
    expect(record(node)?.receipt?.type).to.equal("Prepared");
    node.tell({ type: "BlockSeen", height: 10, facts });
    expect(record(node)?.receipt?.type).to.equal("Confirmed");
  });
});

describe("A coordinator of what is only to be prepared", () => {
  it("never dispatches it, whatever the sender says", () => {
    const node = new LoneNode({ self: rank(0) });
    const from = rank(1);
    const step = stepOf(from);
    const key = keyOf("delegation");
    const intents = [wish];
    node.hear(from, { type: "DelegationRequest", key, height: 0, intents });
    const [request] = node.sent("AssembleRequest");
    if (request === undefined) throw new Error("not asked to assemble");
    const outcomes = [{ type: "assembled", id: wish.id, step } as const];
    node.hear(from, { type: "AssembleResponse", key: request.key, outcomes });
    const [asked] = node.sent("EndorsementRequest");
    if (asked === undefined) throw new Error("not asked to endorse");
    const { digest } = asked.bundle;
    const signature = "signed";
    node.hear(from, {
      type: "Endorsement",
      key: asked.key,
      digest,
      signature,
    });
    expect(node.sent("TransactionPrepared")).to.have.length(1);
    const ids = [wish.id];
    node.hear(from, {
      type: "DispatchPermission",
      key: asked.key,
      digest,
      ids,
    });
    expect(node.effects).to.deep.equal([]);
    node.hear(from, {
      type: "TransactionPreparedAck",
      key: asked.key,
      digest,
    });
    expect(node.sequencer.coordinator.transactions.size).to.equal(0);
    expect(node.sequencer.coordinator.preparations).to.deep.equal([]);
  });
});
