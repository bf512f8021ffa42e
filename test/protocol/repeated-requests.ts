import { expect } from "chai";

import type { Event } from "../../src/protocol/events.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import { digestOf } from "../../src/protocol/outline.ts";
import { hashing } from "../../src/simulation/hashing.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import { aStep, intent } from "../helpers/simulated-group.ts";

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
