import { expect } from "chai";

import type { SequencerConfig } from "../../src/protocol/config.ts";
import type { StateId } from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import type { Intent } from "../../src/protocol/transition.ts";
import { genesisPlace, stateIdOf } from "../../src/simulation/hashing.ts";
import { delegation } from "../helpers/letters.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { aStep, intent } from "../helpers/simulated-group.ts";

const long = "x".repeat(limits.contentBytes);

/** What a coordinator asks to be assembled, answered with steps that create so much. */
function answer(
  node: LoneNode,
  { key, ids }: MessageOf<"AssembleRequest">,
  contents: readonly string[],
  spent = 0,
): void {
  node.hear(rank(2), {
    type: "AssembleResponse",
    key,
    outcomes: ids.map((intentId) => {
      const outputs = contents.map((content, index) => ({
        id: stateIdOf({ intentId, index, content }),
        content,
      }));
      const signature = `signed ${intentId}`;
      const inputs = Array.from({ length: spent }, (_, index) =>
        stateIdOf({ intentId, index, content: "spent" }),
      );
      const found = inputs.map((id) => ({ id, place: genesisPlace }));
      const sender = rank(2);
      const parts = { intentId, sender, inputs, outputs, found, signature };
      const step = aStep(parts);
      return { type: "assembled", id: intentId, step };
    }),
  });
}

/** A coordinator with these intents of one sender, all to be assembled. */
function aCoordinator(
  intents: readonly Intent[],
  config: Partial<SequencerConfig> = {},
): LoneNode {
  const node = new LoneNode({ self: rank(0), ...config });
  const [first] = intents;
  if (first === undefined) throw new Error("There is nothing to delegate.");
  return node.hear(rank(2), { ...delegation(first), intents });
}

/** Answers all requests. Gives the sizes of the bundles that come of it. */
function bundleSizes(
  node: LoneNode,
  contents: readonly string[],
  spent = 0,
): number[] {
  const sizes = new Map<string, number>();
  for (let i = 0; i < 20; i++) {
    for (const { bundle } of node.sent("EndorsementRequest"))
      sizes.set(bundle.digest, bundle.steps.length);
    const [request] = node.sent("AssembleRequest");
    if (request === undefined) break;
    answer(node, request, contents, spent);
  }
  return [...sizes.values()];
}

describe("Long contents", () => {
  it("are delegated in messages that are not too long", () => {
    const node = new LoneNode({ self: rank(1) });
    const count = 40;
    const sizes: number[] = [];
    let request: MessageOf<"DelegationRequest"> | undefined;
    for (let number = 0; number < count; number++) {
      node.tell({
        type: "IntentSubmitted",
        intent: intent(number, long),
        fulfilled: [],
        reverted: [],
      });
      request ??= node.sent("DelegationRequest")[0];
    }
    while (request !== undefined) {
      const ids = request.intents.map(({ id }) => id);
      sizes.push(ids.length);
      const { key } = request;
      node.hear(rank(0), { type: "DelegationAccepted", key, ids, height: 0 });
      [request] = node.sent("DelegationRequest");
    }
    const most = limits.delegationLength / limits.contentBytes;
    expect(sizes.reduce((a, b) => a + b)).to.equal(count);
    expect(Math.max(...sizes)).to.equal(most);
  });

  it("are bundled only as far as a message takes them", () => {
    const intents = Array.from({ length: 16 }, (_, i) => intent(i, ""));
    const node = aCoordinator(intents);
    const sizes = bundleSizes(node, [long, long]);
    expect(sizes[0]).to.equal(limits.bundleLength / limits.contentBytes / 2);
  });

  it("are bundled only as far as the ledger takes their states", () => {
    const intents = Array.from({ length: 16 }, (_, i) => intent(i, ""));
    const node = aCoordinator(intents);
    const sizes = bundleSizes(
      node,
      Array.from({ length: 100 }, (_, i) => `${i}`),
    );
    expect(sizes[0]).to.equal(Math.floor(limits.bundleStates / 100));
  });

  it("are bundled only as far as the ledger takes what they spend", () => {
    const intents = Array.from({ length: 16 }, (_, i) => intent(i, ""));
    const sizes = bundleSizes(aCoordinator(intents), ["rest"], 200);
    expect(sizes[0]).to.equal(Math.floor(limits.bundleStates / 200));
  });

  it("are bundled only as far as the coordinator's own limit goes", () => {
    const intents = Array.from({ length: 8 }, (_, i) => intent(i, ""));
    const node = aCoordinator(intents, { bundleMax: 3 });
    expect(bundleSizes(node, ["a"])[0]).to.equal(3);
  });

  it("are bundled alone if they are too long for any company", () => {
    const node = aCoordinator([intent(1, ""), intent(2, "")]);
    const contents = Array.from({ length: 20 }, (_, i) => `${i}${long}`);
    expect(bundleSizes(node, contents)).to.deep.equal([1, 1]);
  });

  it("are not assembled on top of each other without end", () => {
    const intents = Array.from({ length: 2 * limits.assembly }, (_, i) =>
      intent(i, ""),
    );
    const node = aCoordinator(intents);
    bundleSizes(node, [long, long]);
    const { coordinator } = node.sequencer;
    const inFlight = [...coordinator.transactions.values()].filter(
      ({ step }) => step !== undefined,
    );
    // One answer more than what is enough.
    expect(inFlight.length).to.equal(limits.assembly);
    const created: StateId[] = [...coordinator.created.keys()];
    expect(created.length * limits.contentBytes).to.equal(
      coordinator.createdLength,
    );
  });
});
