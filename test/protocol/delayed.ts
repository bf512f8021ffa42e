import { expect } from "chai";

import { delegation } from "../helpers/letters.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { intent } from "../helpers/simulated-group.ts";

const [self, sender, other] = [rank(0), rank(1), rank(2)];

describe("A node whose ticks are late", () => {
  it("tells everybody that it coordinates, and lets no time pass", () => {
    const node = new LoneNode({ self });
    node.hear(sender, delegation(intent(1, "")));
    const tick = node.sequencer.tick;
    for (let i = 0; i < 100; i++) {
      node.tell({ type: "Delayed" });
      const sent = node.effects.flatMap((effect) =>
        effect.type === "Send" ? [`${effect.message.type} ${effect.to}`] : [],
      );
      expect(sent).to.have.members([
        `Heartbeat ${sender}`,
        `Heartbeat ${other}`,
      ]);
    }
    expect(node.sequencer.tick).to.equal(tick);
    expect(node.effects).to.have.length(2);
  });

  it("says nothing if it does not coordinate", () => {
    const node = new LoneNode({ self });
    expect(node.tell({ type: "Delayed" }).effects).to.deep.equal([]);
  });
});
