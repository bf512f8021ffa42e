import { expect } from "chai";

import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  bundleOf,
  emptyView,
  intent,
} from "../helpers/simulated-group.ts";

describe("An endorser on a young chain", () => {
  it("refuses a bundle without a last block", () => {
    const node = new LoneNode({ self: rank(1) });
    const { id: intentId } = intent(1, "");
    const step = aStep({ intentId, sender: rank(0) });
    node.hear(rank(0), {
      type: "EndorsementRequest",
      key: keyOf("endless"),
      coordinator: rank(0),
      height: 0,
      bundle: bundleOf([step], 0),
      view: emptyView,
    });
    const types = node.effects.map((effect) =>
      effect.type === "Send" ? effect.message.type : effect.type,
    );
    expect(types).to.deep.equal(["Refusal"]);
  });
});
