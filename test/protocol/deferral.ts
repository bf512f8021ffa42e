import { expect } from "chai";

import { defer, type Deferral } from "../../src/protocol/deferral.ts";
import { parsePlace, parseStateId } from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import { block } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  bundleOf,
  emptyView,
  intent,
  nodeNamed,
} from "../helpers/simulated-group.ts";

type Request = MessageOf<"EndorsementRequest">;

/** A request of a coordinator that has seen a block more. Numbers are different bundles. */
function request(
  number: number,
  parts: { readonly height?: number; readonly payload?: string } = {},
): Request {
  const { height = 1, payload = "" } = parts;
  const { id: intentId } = intent(number, "");
  const step = aStep({ intentId, sender: rank(0), payload });
  return {
    type: "EndorsementRequest",
    key: keyOf(`request:${number}`),
    coordinator: rank(0),
    height,
    bundle: bundleOf([step], 10),
    view: emptyView,
  };
}

/** An endorser that is a block behind whoever asks it all of this. */
function behind(requests: readonly Request[]): LoneNode {
  const node = new LoneNode({ self: rank(1) });
  for (const one of requests) {
    node.hear(rank(0), one);
    expect(node.effects).to.deep.equal([]);
  }
  return node;
}

/** What is looked at, in order. */
function looksAt({ effects }: LoneNode): readonly string[] {
  return effects.flatMap((effect) =>
    effect.type === "Endorse" ? [effect.bundle.digest] : [],
  );
}

const digests = (requests: readonly Request[]): readonly string[] =>
  requests.map(({ bundle }) => bundle.digest);

const count = (length: number): Request[] =>
  Array.from({ length }, (_, index) => request(index + 1));

describe("An endorser that is behind", () => {
  it("looks at all that it was asked for, in order, once it has seen the block", () => {
    const requests = count(limits.bundle);
    const node = behind(requests).tell(block(1));
    expect(looksAt(node)).to.deep.equal(digests(requests));
    expect(looksAt(node.tell(block(2)))).to.deep.equal([]);
  });

  it("goes on waiting for blocks that have not come yet", () => {
    const late = request(2, { height: 2 });
    const node = behind([request(1), late]);
    expect(looksAt(node.tell(block(1)))).to.deep.equal(digests([request(1)]));
    expect(looksAt(node.tell(block(2)))).to.deep.equal(digests([late]));
  });

  it("answers the last one, if it is asked again", () => {
    const again = { ...request(1), key: keyOf("again") };
    const node = behind([request(1), again]).tell(block(1));
    expect(looksAt(node)).to.deep.equal(digests([again]));
    const { digest } = again.bundle;
    const outcome = { type: "endorsed", signature: "signed" } as const;
    const [answer] = node
      .tell({ type: "EndorsementDone", digest, outcome })
      .sent("Endorsement");
    expect(answer).to.include({ key: "again", digest });
  });

  it("keeps as much as a coordinator has on its way, and no more", () => {
    const most = limits.bundles * limits.bundle;
    const requests = count(most + 50);
    const node = behind(requests).tell(block(1));
    expect(looksAt(node)).to.deep.equal(digests(requests.slice(-most)));
  });

  it("keeps little of what is large, and always the last", () => {
    const payload = "x".repeat(0.4 * limits.messageBytes);
    const requests = [1, 2, 3].map((number) => request(number, { payload }));
    const node = behind(requests).tell(block(1));
    expect(looksAt(node)).to.deep.equal(digests(requests.slice(1)));
    const huge = request(4, { payload: payload.repeat(3) });
    const other = behind([...requests, huge]).tell(block(1));
    expect(looksAt(other)).to.deep.equal(digests([huge]));
  });

  /** How many of 1,000 such requests are kept. */
  function keptOf(change: (one: Request) => Request): number {
    const deferral: Deferral = new Map();
    for (let number = 1; number <= 1_000; number++)
      defer(deferral, rank(0), change(request(number)));
    return deferral.get(rank(0))?.length ?? 0;
  }

  it("keeps little, whatever it is that makes a request large", () => {
    const id = parseStateId(`0x${"1".repeat(64)}`);
    const place = parsePlace(`0x${"1".repeat(88)}`);
    if (id === undefined || place === undefined) throw new Error("no state");
    const many = Array.from({ length: 1_000 });
    const large: readonly ((one: Request) => Request)[] = [
      (one) => ({
        ...one,
        view: { created: [], spent: many.map(() => id) },
      }),
      (one) => ({
        ...one,
        view: { created: [{ id, content: "x".repeat(200_000) }], spent: [] },
      }),
      (one) => ({
        ...one,
        bundle: { ...one.bundle, places: many.map(() => ({ id, place })) },
      }),
      (one) => ({
        ...one,
        bundle: {
          ...one.bundle,
          steps: one.bundle.steps.map((step) => ({
            ...step,
            inputs: many.map(() => id),
          })),
        },
      }),
    ];
    for (const change of large) expect(keptOf(change)).to.be.within(10, 25);
    // Nothing at all is asked for, and often.
    const empty = keptOf((one) => ({
      ...one,
      bundle: { ...one.bundle, steps: [] },
    }));
    expect(empty).to.equal(limits.bundles * limits.bundle);
  });

  it("forgets what expires while it waits", () => {
    const node = behind([request(1, { height: 10 })]);
    expect(looksAt(node.tell(block(9)).tell(block(11)))).to.deep.equal([]);
    expect(node.effects).to.deep.equal([]);
  });

  it("believes nobody who is far ahead", () => {
    const node = behind([request(1, { height: limits.aheadBlocks + 1 })]);
    expect(node.sequencer.endorser.deferred.size).to.equal(0);
  });

  it("keeps room for some coordinators, whatever one of them asks for", () => {
    const deferral: Deferral = new Map();
    for (let number = 0; number < limits.deferred + 4; number++)
      for (const one of count(3)) defer(deferral, nodeNamed(`n${number}`), one);
    expect(deferral.size).to.equal(limits.deferred);
    defer(deferral, nodeNamed("n0"), request(4));
    expect(deferral.get(nodeNamed("n0"))).to.have.length(4);
  });

  it("keeps nothing that will have expired when it may be looked at", () => {
    const node = new LoneNode({ self: rank(1) });
    node.hear(rank(0), { ...request(1), bundle: bundleOf([], 0) });
    expect(node.sent("Refusal")).to.have.length(1);
    expect(node.sequencer.endorser.deferred.size).to.equal(0);
  });
});
