import { expect } from "chai";

import type { Policy } from "../../src/protocol/config.ts";
import type { CoordinatorState } from "../../src/protocol/coordinator/model.ts";
import { isAtRest } from "../../src/protocol/sequencer.ts";
import { stateIdOf } from "../../src/simulation/hashing.ts";
import { assembled } from "../helpers/drives/driven-coordinator.ts";
import { block, delegation, handover, heartbeat } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import { intent } from "../helpers/simulated-group.ts";

const [higher, self, predecessor] = [rank(0), rank(1), rank(2)];
const { id: open } = intent(9, "");
const { id: later } = intent(10, "");
const created = {
  id: stateIdOf({ intentId: open, index: 0, content: "" }),
  content: "",
};
const flushUntil = 15;
const handedOver = {
  ...handover([open], flushUntil),
  context: { created: [created], spent: [] },
};
/** As in the configuration of a node by itself. */
const graceTicks = 15;
const flushTicks = 160;

/** Waited for its predecessor's work, and gave way to somebody who soon has no work left. */
function gaveWay(policy: Policy = "sticky"): LoneNode {
  return new LoneNode({ self, policy })
    .hear(predecessor, heartbeat("Flush"))
    .wait(20)
    .hear(predecessor, handedOver)
    .hear(higher, heartbeat("Active"))
    .hear(higher, heartbeat("Closing"));
}

/** The role comes back. */
function delegateTo(node: LoneNode): LoneNode {
  return node.hear(
    predecessor,
    delegation(intent(1, ""), node.sequencer.height),
  );
}

function stateOf({ sequencer }: LoneNode): CoordinatorState {
  return sequencer.coordinator.state;
}

describe("A node that gave way", () => {
  for (const policy of ["sticky", "rotating"] as const)
    it(`waits for what was in flight when the role comes back, ${policy}`, () => {
      const node = delegateTo(gaveWay(policy));
      expect(stateOf(node)).to.equal("Prepared");
      expect(stateOf(node.tell(block(1)))).to.equal("Prepared");
      expect(stateOf(node.tell(block(2, [open])))).to.equal("Active");
    });

  it("waits for at most a grace more when its predecessor has had the role since", () => {
    let beat = 0;
    const node = new LoneNode({ self });
    const hearFlush = (): LoneNode => {
      beat += 1;
      return node.hear(predecessor, heartbeat("Flush", { beat }));
    };
    hearFlush().hear(predecessor, handedOver);
    for (let tick = 0; tick < flushTicks - 5; tick++) hearFlush().wait(1);
    expect(stateOf(node)).to.equal("Prepared");
    node.hear(higher, heartbeat("Active"));
    expect(stateOf(hearFlush())).to.equal("Observing");
    const again = { ...handover([later], flushUntil), key: keyOf("again") };
    node.hear(predecessor, again);
    for (let tick = 0; tick < graceTicks; tick++) {
      expect(stateOf(hearFlush())).to.equal("Prepared");
      node.wait(1);
    }
    expect(stateOf(hearFlush().wait(1))).to.equal("Active");
  });

  it("no longer builds on it, and assembles again when it happens", () => {
    const wish = intent(1, "");
    const node = delegateTo(gaveWay());
    const [request] = node.sent("AssembleRequest");
    expect(request?.view.created).to.deep.equal([]);
    if (request === undefined) throw new Error("nothing is assembled");
    const { key } = request;
    const outcomes = [assembled(wish)];
    node.hear(predecessor, { type: "AssembleResponse", key, outcomes });
    expect(node.sent("EndorsementRequest")).to.have.length(2);
    const [again] = node.tell(block(1, [open])).sent("AssembleRequest");
    expect(again?.ids).to.deep.equal([wish.id]);
  });

  it("starts at once when it has happened meanwhile", () => {
    const node = gaveWay().tell(block(1, [open]));
    expect(stateOf(delegateTo(node))).to.equal("Active");
  });

  it("starts at once when it can no longer happen", () => {
    const node = gaveWay().tell(block(flushUntil));
    expect(stateOf(delegateTo(node))).to.equal("Active");
  });

  it("hears from its predecessor that nothing is left", () => {
    const node = delegateTo(gaveWay()).tell(block(1));
    node.hear(predecessor, heartbeat("Closing", { height: 1 }));
    expect(stateOf(node)).to.equal("Active");
  });

  it("does not wait for a silent predecessor for longer than before", () => {
    const node = delegateTo(gaveWay()).wait(graceTicks);
    expect(stateOf(node)).to.equal("Prepared");
    expect(stateOf(node.wait(1))).to.equal("Active");
  });

  it("tells whoever asks it for the role next", () => {
    const node = gaveWay().hear(predecessor, heartbeat("Flush"));
    expect(stateOf(delegateTo(node))).to.equal("Elect");
    node.hear(higher, { type: "HandoverRequest", height: 0 });
    const [told] = node.sent("Handover");
    expect(told?.flush).to.deep.equal([open]);
    expect(told?.flushUntil).to.equal(flushUntil);
  });

  it("does not mix it up with what it is handed over later", () => {
    const node = gaveWay().hear(predecessor, heartbeat("Flush"));
    const later = intent(8, "").id;
    delegateTo(node).tell(block(flushUntil)).wait(1);
    node.hear(predecessor, {
      ...handover([later], flushUntil + 5),
      height: flushUntil,
    });
    expect(stateOf(node)).to.equal("Prepared");
    node.tell(block(flushUntil + 1, [later]));
    expect(stateOf(node)).to.equal("Active");
  });

  it("forgets it after a grace, and rests only then", () => {
    const node = gaveWay().wait(graceTicks);
    expect(stateOf(node)).to.equal("Idle");
    expect(isAtRest(node.sequencer)).to.equal(false);
    expect(isAtRest(node.wait(1).sequencer)).to.equal(true);
    expect(node.sequencer.coordinator.flush.size).to.equal(0);
    expect(stateOf(delegateTo(node))).to.equal("Active");
  });
});
