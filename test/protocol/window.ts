import { expect } from "chai";

import type { IntentId } from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { bundleOf, intent } from "../helpers/simulated-group.ts";

/** The coordinator accepts a delegation, and all that follow. Returns the ids in order. */
function acceptAll(
  node: LoneNode,
  first: MessageOf<"DelegationRequest"> | undefined,
): IntentId[] {
  const taken: IntentId[] = [];
  let request = first;
  while (request !== undefined) {
    const { key, intents } = request;
    const ids = intents.map(({ id }) => id);
    taken.push(...ids);
    node.hear(rank(0), { type: "DelegationAccepted", key, ids, height: 0 });
    [request] = node.sent("DelegationRequest");
  }
  return taken;
}

/** Submits intents, and returns those that are delegated. */
function submitMany(node: LoneNode, count: number): IntentId[] {
  let first: MessageOf<"DelegationRequest"> | undefined;
  for (let number = 0; number < count; number++) {
    const wish = intent(number, "");
    node.tell({
      type: "IntentSubmitted",
      intent: wish,
      fulfilled: [],
      reverted: [],
    });
    first ??= node.sent("DelegationRequest")[0];
  }
  return acceptAll(node, first);
}

describe("A sender with many intents", () => {
  it("keeps no more with a coordinator than a heartbeat lists", () => {
    expect(limits.delegated).to.be.at.most(limits.heartbeat);
    expect(limits.delegated).to.be.greaterThan(limits.speculative);
  });

  it("delegates a window of them, and the next ones as they end", () => {
    const node = new LoneNode({ self: rank(1) });
    const wishes = limits.delegated + 10;
    const taken = submitMany(node, wishes);
    expect(taken).to.have.length(limits.delegated);
    expect(node.sequencer.sender.transactions.size).to.equal(wishes);
    const intents = taken.slice(0, 3);
    const { digest } = bundleOf([], 1);
    node.tell({ type: "BlockSeen", height: 1, facts: [{ intents, digest }] });
    const next = acceptAll(node, node.sent("DelegationRequest")[0]);
    expect(next).to.deep.equal(
      [0, 1, 2].map((number) => intent(limits.delegated + number, "").id),
    );
  });
});
