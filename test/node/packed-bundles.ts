import { expect } from "chai";

import { bundleText, decodeBundle } from "../../src/protocol/codec.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import type { Bundle } from "../../src/protocol/transition.ts";
import { type Body, decodeBody, encodeBody } from "../../src/node/body.ts";
import { packedBundle } from "../../src/node/packed-bundles.ts";
import { Showing } from "../../src/node/showing.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  bundleOf,
  emptyView,
  intent,
} from "../helpers/simulated-group.ts";
import { alice, Checker, signAs } from "../helpers/step-signers.ts";
import { groupAt } from "../helpers/stores.ts";

const group = groupAt(1);
const STEPS = 50;
const { sequencer } = new LoneNode({ self: rank(0) });
const { stepHash } = sequencer.config.hashing;

/** A bundle of most steps of one answer. */
function aBundle(): Bundle {
  const steps = Array.from({ length: STEPS }, (_, i) =>
    aStep({ intentId: intent(i, "").id, sender: alice }),
  );
  const signatures = signAs(alice, steps.map(stepHash));
  const signed = steps.map((step, i) => ({
    ...step,
    signature: signatures[i] ?? "",
  }));
  return bundleOf(signed.slice(3), 10);
}

const requestFor = (bundle: Bundle): MessageOf<"EndorsementRequest"> => ({
  type: "EndorsementRequest",
  key: keyOf("bob:1:0"),
  coordinator: rank(0),
  height: 1,
  bundle,
  view: emptyView,
});

const wireOf = (bundle: Bundle): string =>
  encodeBody({ type: "message", group, message: requestFor(bundle) });

function received(bundle: Bundle): Bundle {
  const decoded = decodeBody(wireOf(bundle));
  if (
    decoded.type !== "body" ||
    decoded.body.type !== "message" ||
    decoded.body.message.type !== "EndorsementRequest"
  )
    throw new Error("It is read as something else.");
  return decoded.body.message.bundle;
}

describe("A bundle on its way to endorsers", () => {
  it("carries one signature for all steps of an answer, and proves all of them", async () => {
    const bundle = aBundle();
    const carried = received(bundle);
    const length = ({ steps }: Bundle): number =>
      steps.reduce((sum, { signature }) => sum + signature.length, 0);
    expect(length(carried)).to.be.below(length(bundle) / 10);
    const signed = carried.steps.map((step) => ({
      ...step,
      hash: stepHash(step),
    }));
    const checker = new Checker();
    expect(await checker.areSigned(signed)).to.deep.equal(
      signed.map(() => true),
    );
    expect(checker.looks).to.equal(1);
    expect(carried.digest).to.equal(bundle.digest);
  });

  it("is the same on the disk of its coordinator, and is not written down again for that", () => {
    const bundle = aBundle();
    const wire = wireOf(bundle);
    const text = bundleText(packedBundle(bundle));
    expect(wire.endsWith(text)).to.equal(true);
    expect(decodeBundle(text)).to.deep.equal(packedBundle(bundle));
  });

  it("is not changed in the memory of its coordinator", () => {
    const bundle = aBundle();
    const before = structuredClone(bundle);
    wireOf(bundle);
    expect(bundle).to.deep.equal(before);
  });

  it("gives every step back as its sender signed it", async () => {
    const bundle = aBundle();
    const carried = received(bundle);
    for (const [at, { intentId: id, signature }] of bundle.steps.entries()) {
      if (at % 10 !== 0) continue;
      const sent: Body[] = [];
      const showing = new Showing({
        bundles: { find: () => carried },
        send: (_, body) => sent.push(body),
      });
      showing.show(
        { stored: { address: group }, sequencer },
        { type: "ShowStep", to: alice, id, digest: bundle.digest },
      );
      const [body] = sent;
      if (body?.type !== "message" || body.message.type !== "FulfilmentProof")
        throw new Error("Nothing is shown.");
      const { step } = body.message;
      expect(step.signature).to.equal(signature);
      expect(
        await new Checker().isSigned(stepHash(step), step.signature),
      ).to.equal(true);
    }
  });
});
