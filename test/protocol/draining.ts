import { expect } from "chai";

import type { NodeName } from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { Message } from "../../src/protocol/messages.ts";
import { explain, isAtRest } from "../../src/protocol/sequencer.ts";
import { isLeaving } from "../../src/protocol/turn.ts";
import {
  block,
  delegation,
  handover,
  heartbeat,
  submission,
} from "../helpers/letters.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { intent } from "../helpers/simulated-group.ts";

const [self, second, third] = [rank(0), rank(1), rank(2)];
const leaving = { type: "Leaving", isOver: false } as const;
const back = { type: "Leaving", isOver: true } as const;
/** As in the configuration of a node by itself. */
const patienceTicks = limits.patience * 40;

const drained = (node: LoneNode): LoneNode =>
  node.tell({ type: "DrainChanged", isDraining: true });

/** Who was sent such a message by what the node did last. */
function toldIn(
  { effects }: LoneNode,
  type: Message["type"],
): readonly NodeName[] {
  return effects.flatMap((effect) =>
    effect.type === "Send" && effect.message.type === type ? [effect.to] : [],
  );
}

describe("A node that is drained", () => {
  it("says so, gives back what it has not dispatched, and hands the role over", () => {
    const node = new LoneNode({ self }).hear(second, delegation(intent(1, "")));
    expect(node.sequencer.coordinator.state).to.equal("Active");
    drained(node).wait(1);
    expect(node.sequencer.coordinator.state).to.equal("Closing");
    expect(toldIn(node, "Handover")).to.deep.equal([second]);
    expect(toldIn(node, "DelegationReturned")).to.deep.equal([second]);
    node.wait(5);
    expect(new Set(toldIn(node, "Leaving"))).to.deep.equal(
      new Set([second, third]),
    );
  });

  it("takes no delegation and no handover, and says why", () => {
    const node = drained(new LoneNode({ self }));
    node.hear(second, delegation(intent(1, "")));
    expect(toldIn(node, "Leaving")).to.deep.equal([second]);
    expect(toldIn(node, "DelegationRejected")).to.deep.equal([second]);
    node.hear(third, heartbeat("Flush"));
    node.hear(third, handover([intent(9, "").id], 15));
    expect(toldIn(node, "Leaving")).to.deep.equal([third]);
    expect(toldIn(node, "HandoverAck")).to.deep.equal([]);
    expect(node.sequencer.coordinator.transactions.size).to.equal(0);
    expect(node.sequencer.coordinator.state).to.equal("Observing");
  });

  it("turns to others with its own intents, and keeps the role as long as nobody else is there", () => {
    const node = drained(new LoneNode({ self }));
    const { sequencer } = node;
    node.tell({
      type: "IntentSubmitted",
      intent: intent(1, ""),
      fulfilled: [],
      reverted: [],
    });
    expect(sequencer.sender.delegate).to.equal(second);
    const alone = new LoneNode({ self }).hear(
      second,
      delegation(intent(1, "")),
    );
    alone.hear(second, leaving).hear(third, leaving);
    drained(alone).wait(1);
    expect(alone.sequencer.coordinator.state).to.equal("Active");
    alone.hear(third, back).wait(1);
    expect(alone.sequencer.coordinator.state).to.equal("Closing");
  });

  it("says why its intents wait if everybody is drained", () => {
    const node = drained(new LoneNode({ self }))
      .hear(second, leaving)
      .hear(third, leaving)
      .tell(submission(intent(1, "")));
    expect(explain(node.sequencer, intent(1, "").id)).to.match(
      /^Everybody who could coordinate it is drained: \w+, \w+, \w+\./,
    );
    node.hear(third, back).wait(1);
    expect(explain(node.sequencer, intent(1, "").id)).to.not.match(/drained/);
  });

  it("is silent in a group at rest", () => {
    const node = drained(new LoneNode({ self }));
    expect(isAtRest(node.sequencer)).to.equal(true);
    node.wait(100);
    expect(node.sent("Leaving")).to.deep.equal([]);
  });

  it("takes part again at once when it is told to", () => {
    const node = drained(new LoneNode({ self }));
    node.tell({ type: "DrainChanged", isDraining: false });
    expect(node.sent("Leaving")).to.deep.equal([back, back]);
    node.hear(second, delegation(intent(1, "")));
    expect(node.sequencer.coordinator.state).to.equal("Active");
  });
});

describe("A member that says that it leaves", () => {
  it("is passed over for a while, and is not when it says that it is back", () => {
    const node = new LoneNode({ self: second });
    const { sequencer } = node;
    node.hear(self, leaving);
    expect(isLeaving(sequencer, self)).to.equal(true);
    node.hear(third, delegation(intent(1, "")));
    expect(sequencer.coordinator.state).to.equal("Active");
    node.wait(patienceTicks - 1);
    expect(isLeaving(sequencer, self)).to.equal(true);
    node.wait(1);
    expect(isLeaving(sequencer, self)).to.equal(false);
    node.hear(self, leaving).hear(self, back);
    expect(isLeaving(sequencer, self)).to.equal(false);
  });

  it("does not move the role by leaving and coming back again and again", () => {
    const node = new LoneNode({ self: second });
    let moves = 0;
    for (let tick = 0; tick < 10 * patienceTicks; tick++) {
      const before = isLeaving(node.sequencer, self);
      node.hear(self, tick % 2 === 0 ? leaving : back).wait(1);
      if (isLeaving(node.sequencer, self) !== before) moves += 1;
    }
    expect(moves).to.be.at.most(2 * 11);
    expect(node.sequencer.leaving.size).to.equal(1);
  });

  it("says nothing of others", () => {
    const node = new LoneNode({ self: second });
    node.hear(third, leaving).tell(block(1));
    expect(isLeaving(node.sequencer, self)).to.equal(false);
  });
});
