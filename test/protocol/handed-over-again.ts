import { expect } from "chai";

import type { Digest } from "../../src/protocol/ids.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import type { State } from "../../src/protocol/transition.ts";
import { stateIdOf } from "../../src/simulation/hashing.ts";
import { assembled } from "../helpers/drives/driven-coordinator.ts";
import { delegation, handover, heartbeat } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import { bundleOf, intent } from "../helpers/simulated-group.ts";

const [self, predecessor] = [rank(1), rank(2)];
const { id: open } = intent(9, "");
const wish = intent(1, "");

/** What the predecessor dispatched for the same intent, at one time or another. */
function attempt(number: number): {
  readonly digest: Digest;
  readonly state: State;
  readonly told: MessageOf<"Handover">;
} {
  const content = `attempt:${number}`;
  const state = {
    id: stateIdOf({ intentId: open, index: 0, content }),
    content,
  };
  const { digest } = bundleOf([], 10 + number);
  const told = {
    ...handover([open], 15),
    key: keyOf(content),
    context: { created: [state], spent: [] },
    digests: [digest],
  };
  return { digest, state, told };
}
const [first, second] = [attempt(1), attempt(2)];

/** A successor that was told of the first attempt, and has assembled something on top of it. */
function successor(): LoneNode {
  const node = new LoneNode({ self })
    .hear(predecessor, heartbeat("Flush"))
    .hear(predecessor, first.told);
  const [request] = node
    .hear(predecessor, delegation(wish))
    .sent("AssembleRequest");
  expect(request?.view.created).to.deep.equal([first.state]);
  if (request === undefined) throw new Error("nothing is assembled");
  const { key } = request;
  const outcomes = [assembled(wish)];
  return node.hear(predecessor, { type: "AssembleResponse", key, outcomes });
}

/** On top of what things are assembled again; undefined if they are not. */
function footing(node: LoneNode): readonly State[] | undefined {
  const [request] = node.sent("AssembleRequest");
  return request?.view.created;
}

function happens(node: LoneNode, digest: Digest): LoneNode {
  const facts = [{ intents: [open], digest }];
  return node.tell({ type: "BlockSeen", height: 1, facts });
}

describe("A successor that is handed over the same intents again", () => {
  it("builds only on how they were dispatched last", () => {
    const node = successor().hear(predecessor, second.told);
    expect(footing(node)).to.deep.equal([second.state]);
    happens(node, second.digest);
    expect(node.sequencer.coordinator.state).to.equal("Active");
  });

  it("builds on neither when they happen as they were dispatched before", () => {
    const node = successor().hear(predecessor, second.told);
    happens(node, first.digest);
    expect(node.sequencer.coordinator.imported.size).to.equal(0);
  });

  it("keeps what it has when it is only told again", () => {
    const node = successor().hear(predecessor, first.told);
    expect(footing(node)).to.equal(undefined);
    expect(footing(happens(node, first.digest))).to.equal(undefined);
  });
});
