import { expect } from "chai";

import { block, heartbeat, submission } from "../helpers/letters.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { intent } from "../helpers/simulated-group.ts";

/** As in the configuration of a node by itself. */
const graceTicks = 15;

describe("A coordinator that has nothing of a sender's", () => {
  it("has time to answer when it gets something, however long ago it was heard", () => {
    const [first, self, active] = [rank(0), rank(1), rank(2)];
    const node = new LoneNode({ self });
    const delegatesTo = () => node.sequencer.sender.delegate;
    node.hear(active, heartbeat("Active")).tell(submission(intent(1, "")));
    expect(delegatesTo()).to.equal(active);
    node.tell(block(1, [intent(1, "").id]));
    node.wait(graceTicks).tell(submission(intent(2, "")));
    expect(delegatesTo()).to.equal(active);
    node.wait(graceTicks);
    expect(delegatesTo()).to.equal(active);
    expect(delegatesTo()).to.not.equal(first);
  });
});
