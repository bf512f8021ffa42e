import { expect } from "chai";

import type { Event } from "../../src/protocol/events.ts";
import type { NodeName } from "../../src/protocol/ids.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import { digestOf } from "../../src/protocol/outline.ts";
import { hashing } from "../../src/simulation/hashing.ts";
import { assembled } from "../helpers/drives/driven-coordinator.ts";
import { coordinator, Sender } from "../helpers/drives/driven-sender.ts";
import { delegation } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import { aStep, emptyView, intent } from "../helpers/simulated-group.ts";

const unsealed = {
  steps: [aStep({ intentId: intent(1, "").id, sender: rank(0) })],
  places: [],
  validUntil: 10,
};
const digest = digestOf(hashing, unsealed);

/** As if it came over the wire: another object each time. */
function request(
  key: string,
  change: Partial<MessageOf<"EndorsementRequest">["bundle"]> = {},
): MessageOf<"EndorsementRequest"> {
  return {
    type: "EndorsementRequest",
    key: keyOf(key),
    coordinator: rank(0),
    height: 0,
    bundle: structuredClone({ ...unsealed, digest, ...change }),
    view: { created: [], spent: [] },
  };
}

/** An endorser, and how many digests it has computed. */
function anEndorser(): { node: LoneNode; computed: () => number } {
  let count = 0;
  const node = new LoneNode({
    self: rank(1),
    hashing: {
      ...hashing,
      bundleDigest: (bundle) => {
        count += 1;
        return hashing.bundleDigest(bundle);
      },
    },
  });
  return { node, computed: () => count };
}

const done = {
  type: "EndorsementDone",
  digest,
  outcome: { type: "endorsed", signature: "signed" },
} as const satisfies Event;

describe("A request for an endorsement that comes again", () => {
  it("is not looked at again, and the last one is answered", () => {
    const { node, computed } = anEndorser();
    node.hear(rank(0), request("a")).hear(rank(0), request("b"));
    expect(computed()).to.equal(1);
    const [answer] = node.tell(done).sent("Endorsement");
    expect(answer).to.include({ key: "b", digest, signature: "signed" });
  });

  it("gets the same signature when it is answered already", () => {
    const { node, computed } = anEndorser();
    node.hear(rank(0), request("a")).tell(done);
    const [answer] = node.hear(rank(0), request("b")).sent("Endorsement");
    expect(answer).to.include({ key: "b", digest, signature: "signed" });
    expect(computed()).to.equal(1);
  });

  it("gets nothing that is not for its digest, whatever is in it", () => {
    const { node } = anEndorser();
    node.hear(rank(0), request("a")).tell(done);
    const [answer] = node
      .hear(rank(0), request("c", { validUntil: 11 }))
      .sent("Endorsement");
    expect(answer).to.include({ digest, signature: "signed" });
    const forged = digestOf(hashing, { ...unsealed, validUntil: 12 });
    const refused = node.hear(rank(0), request("d", { digest: forged }));
    expect(refused.sent("Endorsement")).to.deep.equal([]);
    expect(refused.sent("Refusal")).to.have.length(1);
  });
});

describe("A request for an assembly that comes again", () => {
  const quiet = (): void => undefined;
  const again = {
    type: "AssembleRequest",
    key: keyOf("assembly:1"),
    ids: [intent(1, "").id],
    height: 0,
    view: emptyView,
  } as const;
  const answersTo = (from: NodeName): readonly string[] =>
    new Sender(quiet)
      .delegated()
      .gathering()
      .node.hear(from, again)
      .sent("AssembleResponse")
      .flatMap(({ outcomes }) => outcomes.map(({ type }) => type));

  it("gets the same answer", () => {
    expect(answersTo(coordinator)).to.deep.equal(["assembled"]);
  });

  it("shows nothing to a member that guessed the key", () => {
    expect(answersTo(rank(2))).to.deep.equal(["unknown"]);
  });
});

/** A coordinator that has just asked for endorsements, and how long until it asks again. */
function aCoordinator(): { node: LoneNode; ticksUntilAsked: () => number } {
  const wish = intent(1, "");
  const node = new LoneNode({
    self: rank(0),
    threshold: 2,
    requestTicks: 16,
    retryTicks: 2,
    requestTicksMax: 64,
  }).hear(rank(2), delegation(wish));
  const [asked] = node.sent("AssembleRequest");
  if (asked === undefined) throw new Error("nothing is assembled");
  const { key } = asked;
  const outcomes = [assembled(wish)];
  node.hear(rank(2), { type: "AssembleResponse", key, outcomes });
  return {
    node,
    ticksUntilAsked: () => {
      for (let ticks = 1; ticks < 100; ticks++)
        if (node.wait(1).sent("EndorsementRequest").length > 0) return ticks;
      return Infinity;
    },
  };
}

describe("A coordinator without an endorsement", () => {
  it("asks again late, if nobody answers", () => {
    expect(aCoordinator().ticksUntilAsked()).to.be.at.least(16);
  });

  it("asks again soon, if an endorser does not know yet that it coordinates", () => {
    const { node, ticksUntilAsked } = aCoordinator();
    const [asked] = node.sent("EndorsementRequest");
    if (asked === undefined) throw new Error("nobody is asked");
    const { key, bundle } = asked;
    node.hear(rank(1), {
      type: "Refusal",
      key,
      digest: bundle.digest,
      height: 0,
      reason: "not-coordinator",
      detail: "another node coordinates",
      faults: [],
    });
    expect(ticksUntilAsked()).to.be.within(2, 4);
  });
});
