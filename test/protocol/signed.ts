import { expect } from "chai";

import type { MessageOf } from "../../src/protocol/messages.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { EndorsedRecord } from "../../src/protocol/records.ts";
import { digestOf } from "../../src/protocol/outline.ts";
import { isAtRest } from "../../src/protocol/sequencer.ts";
import {
  createSigned,
  expireSigned,
  hasTooMuchSigned,
  keepSigned,
  signedHappened,
  signedReturned,
} from "../../src/protocol/signed.ts";
import { lengthOfBundle } from "../../src/protocol/size.ts";
import type { Bundle } from "../../src/protocol/transition.ts";
import { hashing } from "../../src/simulation/hashing.ts";
import { block } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  alice,
  aStep,
  bob,
  emptyView,
  intent,
} from "../helpers/simulated-group.ts";

const coordinator = rank(0);

/** A bundle with one intent. */
function bundleOf(number: number, validUntil = 20): Bundle {
  const { id: intentId } = intent(number, "");
  const steps = [aStep({ intentId, sender: coordinator })];
  const bundle = { steps, places: [], validUntil };
  return { ...bundle, digest: digestOf(hashing, bundle) };
}

/** An endorser, and the coordinator's request. */
function asked(bundle: Bundle, node = new LoneNode({ self: rank(1) })) {
  node.hear(coordinator, {
    type: "EndorsementRequest",
    key: keyOf(`${coordinator}:1:1`),
    coordinator,
    height: 0,
    bundle,
    view: emptyView,
  });
  return node;
}

/** The domain agrees. */
function signed(bundle: Bundle, node?: LoneNode): LoneNode {
  return asked(bundle, node).tell({
    type: "EndorsementDone",
    digest: bundle.digest,
    outcome: { type: "endorsed", signature: "0x01" },
  });
}

const endorsements = (node: LoneNode): readonly MessageOf<"Endorsement">[] =>
  node.sent("Endorsement");

describe("What an endorser signed", () => {
  it("is saved with its content in the turn in which the signature leaves", () => {
    const bundle = bundleOf(1);
    const node = signed(bundle);
    expect(node.effects.map(({ type }) => type)).to.deep.equal([
      "Save",
      "Send",
    ]);
    const expected: EndorsedRecord = {
      kind: "endorsed",
      digest: bundle.digest,
      coordinator,
      validUntil: bundle.validUntil,
      length: lengthOfBundle(bundle),
      signature: "0x01",
      bundle,
    };
    expect(node.records.get(`endorsed:${bundle.digest}`)).to.deep.equal(
      expected,
    );
  });

  it("is not saved when the domain refuses it", () => {
    const bundle = bundleOf(1);
    const node = asked(bundle).tell({
      type: "EndorsementDone",
      digest: bundle.digest,
      outcome: { type: "refused", detail: "no", faults: [] },
    });
    expect(node.records.size).to.equal(0);
  });

  it("gets the same signature after a restart, without another check", () => {
    const bundle = bundleOf(1);
    const node = signed(bundle).restart();
    asked(bundle, node);
    expect(endorsements(node)).to.deep.include({
      type: "Endorsement",
      key: keyOf(`${coordinator}:1:1`),
      digest: bundle.digest,
      signature: "0x01",
    });
    expect(node.effects.map(({ type }) => type)).to.deep.equal(["Send"]);
  });

  it("is not pushed out by whatever else the coordinator asks for", () => {
    const bundle = bundleOf(0);
    const node = signed(bundle);
    for (let number = 1; number <= 1_000; number++)
      signed(bundleOf(number), node);
    asked(bundle, node);
    expect(endorsements(node)).to.have.length(1);
  });

  it("is forgotten in memory when it can no longer happen, and does not keep the node awake", () => {
    const node = signed(bundleOf(1, 3));
    expect(isAtRest(node.sequencer)).to.equal(true);
    const { byDigest } = node.sequencer.endorser.signed;
    node.tell(block(3));
    expect(byDigest.size).to.equal(1);
    node.tell(block(4));
    expect(byDigest.size).to.equal(0);
    expect(node.effects).to.deep.equal([]);
  });

  it("is bounded for each coordinator: nothing more is signed, and that is said", () => {
    const node = new LoneNode({ self: rank(1) });
    for (let number = 0; number < limits.signed; number++)
      keepSigned(node.sequencer.endorser.signed, recordOf(bundleOf(number)));
    const more = bundleOf(limits.signed);
    asked(more, node);
    expect(node.sent("Refusal")[0]).to.deep.include({
      digest: more.digest,
      detail: "too many signed bundles of this coordinator can still happen",
    });
    node.tell(block(21));
    asked(bundleOf(limits.signed, 40), node);
    expect(node.effects.map(({ type }) => type)).to.include("Endorse");
  });
});

function recordOf(bundle: Bundle, by = coordinator) {
  const { digest, validUntil } = bundle;
  const length = lengthOfBundle(bundle);
  return { digest, validUntil, length, coordinator: by, signature: "0x01" };
}

describe("The room for signed bundles", () => {
  const full = () => {
    const kept = createSigned();
    for (let number = 0; number < limits.signed; number++)
      keepSigned(kept, recordOf(bundleOf(number), alice));
    return kept;
  };
  const next = bundleOf(limits.signed);

  it("is every coordinator's own", () => {
    expect(hasTooMuchSigned(full(), alice, next)).to.equal(true);
    expect(hasTooMuchSigned(full(), bob, next)).to.equal(false);
  });

  it("grows when one happens, and shrinks when its block is taken back", () => {
    const kept = full();
    const { digest } = bundleOf(0);
    signedHappened(kept, [digest, digest]);
    expect(hasTooMuchSigned(kept, alice, next)).to.equal(false);
    signedReturned(kept, [digest, digest]);
    expect(hasTooMuchSigned(kept, alice, next)).to.equal(true);
  });

  it("is all there again when everything has expired, happened or not", () => {
    const kept = full();
    signedHappened(kept, [bundleOf(0).digest, bundleOf(7).digest]);
    expireSigned(kept, 21);
    expect(kept.byDigest.size + kept.loads.size + kept.over.size).to.equal(0);
  });

  it("counts characters too", () => {
    const kept = createSigned();
    const length = limits.signedLength - 1;
    keepSigned(kept, { ...recordOf(bundleOf(0), alice), length });
    expect(hasTooMuchSigned(kept, alice, next)).to.equal(true);
  });
});
