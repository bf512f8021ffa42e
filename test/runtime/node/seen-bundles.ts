import { expect } from "chai";

import { ledgerDomain, parseAddress } from "../../../src/ledger/index.ts";
import { digestOf } from "../../../src/protocol/outline.ts";
import type { Bundle } from "../../../src/protocol/transition.ts";
import { SeenBundles } from "../../../src/runtime/node/seen-bundles.ts";
import { hashingOf } from "../../../src/runtime/states/arrange.ts";
import { createState } from "../../../src/runtime/states/content.ts";
import { aStep, alice, bob, intent } from "../../helpers/simulated-group.ts";

const hashing = hashingOf({
  domain: ledgerDomain({
    chainId: 1n,
    group: parseAddress(`0x${"ab".repeat(20)}`),
  }),
  epoch: 0n,
});

/** A bundle with one intent that creates one state. */
function bundleWith(number: number, data = "content"): Bundle {
  const { id: intentId } = intent(number, "");
  const origin = { intentId, index: 0 };
  const output = createState({ schema: "s", label: "l", data }, origin);
  const bundle = {
    steps: [aStep({ intentId, sender: alice, outputs: [output] })],
    places: [],
    validUntil: 100,
  };
  return { ...bundle, digest: digestOf(hashing, bundle) };
}

function withContent(bundle: Bundle, content: string): Bundle {
  const steps = bundle.steps.map((step) => ({
    ...step,
    outputs: step.outputs.map(({ id }) => ({ id, content })),
  }));
  return { ...bundle, steps };
}

const outputsOf = (bundle: Bundle) =>
  bundle.steps.flatMap(({ outputs }) => outputs);

describe("bundles that a node has seen", () => {
  const factOf = ({ digest, steps }: Bundle) => ({
    digest,
    intents: steps.map(({ intentId }) => intentId),
  });
  const ownStep = (bundle: Bundle) => ({
    intentId: bundle.steps[0]?.intentId ?? intent(0, "").id,
    outputs: outputsOf(bundle),
  });

  it("are forgotten when they have happened", () => {
    const seen = new SeenBundles();
    const [one, other] = [bundleWith(1), bundleWith(2)];
    seen.add(alice, one);
    seen.add(bob, one);
    seen.addOwn(one, ownStep(one));
    seen.add(bob, other);
    seen.happened([factOf(one)], 10);
    expect(seen.outputsOf(one.digest)).to.deep.equal([]);
    expect(seen.outputsOf(other.digest)).to.deep.equal(outputsOf(other));
    seen.happened([factOf(other)], 10);
    expect(seen.mayHappen(10)).to.equal(false);
  });

  it("may happen as long as they are valid, or blocks can be taken back", () => {
    const seen = new SeenBundles();
    expect(seen.mayHappen(1)).to.equal(false);
    seen.addOwn(bundleWith(1), ownStep(bundleWith(1)));
    seen.add(alice, bundleWith(2));
    expect(seen.mayHappen(100 + 128)).to.equal(true);
    expect(seen.mayHappen(100 + 129)).to.equal(false);
  });

  it("cannot happen when another with the same intent has", () => {
    const seen = new SeenBundles();
    const [one, other] = [bundleWith(1), bundleWith(1, "another content")];
    seen.add(alice, one);
    seen.addOwn(one, ownStep(one));
    seen.happened([factOf(other)], 10);
    // The block may be taken back.
    seen.happened([factOf(bundleWith(2))], 10 + 128);
    expect(seen.mayHappen(10 + 128)).to.equal(true);
    expect(seen.outputsOf(one.digest)).to.not.deep.equal([]);
    seen.happened([factOf(bundleWith(3))], 10 + 129);
    expect(seen.mayHappen(10)).to.equal(false);
    expect(seen.outputsOf(one.digest)).to.deep.equal([]);
  });

  it("keep their content when somebody sends the same digest with another one", () => {
    const seen = new SeenBundles();
    const bundle = bundleWith(1);
    seen.add(bob, withContent(bundle, "a lie"));
    seen.add(alice, bundle);
    seen.add(bob, withContent(bundle, "another lie"));
    expect(seen.outputsOf(bundle.digest)).to.deep.equal(outputsOf(bundle));
  });

  it("stay when somebody sends another bundle under their digest", () => {
    const seen = new SeenBundles();
    const bundle = bundleWith(1);
    seen.add(bob, { ...bundleWith(2), digest: bundle.digest });
    seen.add(alice, bundle);
    expect(seen.outputsOf(bundle.digest)).to.deep.include.members(
      outputsOf(bundle),
    );
  });

  it("are pushed out by none but newer ones of the same node", () => {
    const seen = new SeenBundles();
    const bundle = bundleWith(0);
    const first = bundleWith(1);
    seen.add(alice, bundle);
    seen.add(bob, first);
    for (let number = 2; number < 300; number++)
      seen.add(bob, bundleWith(number));
    expect(seen.outputsOf(bundle.digest)).to.deep.equal(outputsOf(bundle));
    expect(seen.outputsOf(first.digest)).to.deep.equal([]);
  });

  it("take a bounded amount of memory, however large they are", () => {
    const seen = new SeenBundles();
    const large = "x".repeat(4_000_000);
    const bundles = Array.from({ length: 12 }, (_, i) =>
      withContent(bundleWith(i), large),
    );
    const small = bundleWith(100);
    seen.add(bob, small);
    for (const bundle of bundles) seen.add(bob, bundle);
    expect(seen.outputsOf(small.digest)).to.deep.equal([]);
  });
});
