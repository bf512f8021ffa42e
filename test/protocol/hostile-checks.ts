import { expect } from "chai";

import type { NodeName } from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import { block } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  bundleOf,
  emptyView,
  intent,
} from "../helpers/simulated-group.ts";

const [coordinator, self, other] = [rank(0), rank(1), rank(2)];

function request(
  number: number,
  from: NodeName = coordinator,
  key = `${from}:${number}`,
): MessageOf<"EndorsementRequest"> {
  const { id: intentId } = intent(number, "");
  return {
    type: "EndorsementRequest",
    key: keyOf(key),
    coordinator: from,
    height: 0,
    bundle: bundleOf([aStep({ intentId, sender: coordinator })], 60),
    view: emptyView,
  };
}

describe("An endorser whose domain takes its time", () => {
  it("checks a bounded number of bundles of one member, and says that it is busy", () => {
    const node = new LoneNode({ self });
    for (let n = 0; n < limits.checking; n++)
      node.hear(coordinator, request(n));
    expect(node.sent("Refusal")).to.deep.equal([]);
    node.hear(coordinator, request(limits.checking));
    expect(node.sent("Refusal").map(({ reason }) => reason)).to.deep.equal([
      "busy",
    ]);
    expect(node.sequencer.endorser.checking.size).to.equal(limits.checking);
    // Others have bounds of their own.
    node.hear(other, request(limits.checking + 1, other));
    expect(node.sequencer.endorser.checking.size).to.equal(limits.checking + 1);
  });

  it("has room again when a check is done", () => {
    const node = new LoneNode({ self });
    for (let n = 0; n < limits.checking; n++)
      node.hear(coordinator, request(n));
    const { digest } = request(0).bundle;
    const outcome = { type: "endorsed", signature: "signed" } as const;
    node.tell({ type: "EndorsementDone", digest, outcome });
    node.hear(coordinator, request(limits.checking));
    expect(node.sent("Refusal")).to.deep.equal([]);
  });

  it("answers everybody who asked, each with its own key", () => {
    const node = new LoneNode({ self });
    node.hear(coordinator, request(1));
    node.hear(other, { ...request(1, other, "another"), coordinator: other });
    const { digest } = request(1).bundle;
    const outcome = { type: "endorsed", signature: "signed" } as const;
    node.tell({ type: "EndorsementDone", digest, outcome });
    const answers = node.effects.flatMap((effect) =>
      effect.type === "Send" && effect.message.type === "Endorsement"
        ? [[effect.to, effect.message.key]]
        : [],
    );
    expect(answers).to.deep.equal([
      [coordinator, `${coordinator}:1`],
      [other, "another"],
    ]);
  });

  it("names all steps that are fulfilled already", () => {
    const node = new LoneNode({ self });
    const ids = [intent(1, "").id, intent(2, "").id];
    node.tell(block(1, ids));
    const steps = [...ids, intent(3, "").id].map((intentId) =>
      aStep({ intentId, sender: coordinator }),
    );
    node.hear(coordinator, { ...request(1), bundle: bundleOf(steps, 60) });
    const [refusal] = node.sent("Refusal");
    expect(refusal?.faults.map(({ intentId }) => intentId)).to.deep.equal(ids);
  });
});
