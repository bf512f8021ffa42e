import { expect } from "chai";

import { ledgerDomain, parseAddress } from "../../src/ledger/index.ts";
import type { LedgerFact } from "../../src/protocol/events.ts";
import { digestOf } from "../../src/protocol/outline.ts";
import type { Bundle, State } from "../../src/protocol/transition.ts";
import { contentOf, SeenBundles } from "../../src/node/seen-bundles.ts";
import { hashingOf } from "../../src/domains/states/arrange.ts";
import { createState } from "../../src/domains/states/content.ts";
import { aStep, alice, bob, intent } from "../helpers/simulated-group.ts";

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

const factOf = ({ digest, steps }: Bundle): LedgerFact => ({
  digest,
  intents: steps.map(({ intentId }) => intentId),
});

/** Bundles of a node that has nothing on its disk, or what the test says. */
function seenWith(onDisk: readonly Bundle[] = []): SeenBundles {
  return new SeenBundles({
    onDisk: ({ digest }) => {
      const kept = onDisk.find((bundle) => bundle.digest === digest);
      return kept && contentOf(kept.steps);
    },
  });
}

describe("bundles that a node has seen", () => {
  const found = (seen: SeenBundles, bundle: Bundle): readonly State[] =>
    seen.contentOf(factOf(bundle)).outputs;

  it("are forgotten when they have happened", () => {
    const seen = seenWith();
    const [one, other] = [bundleWith(1), bundleWith(2)];
    seen.add(alice, one);
    seen.add(bob, one);
    seen.add(bob, other);
    seen.happened([factOf(one)], 10);
    expect(found(seen, one)).to.deep.equal([]);
    expect(found(seen, other)).to.deep.equal(outputsOf(other));
    seen.happened([factOf(other)], 10);
    expect(seen.mayHappen(10)).to.equal(false);
  });

  it("may happen as long as they are valid, or blocks can be taken back", () => {
    const seen = seenWith();
    expect(seen.mayHappen(1)).to.equal(false);
    seen.add(alice, bundleWith(2));
    expect(seen.mayHappen(100 + 128)).to.equal(true);
    expect(seen.mayHappen(100 + 129)).to.equal(false);
  });

  it("need not be in memory once they are on the disk", () => {
    const seen = seenWith();
    const bundle = bundleWith(1);
    seen.add(alice, bundle);
    seen.keep(bundle.digest);
    expect(seen.mayHappen(1)).to.equal(false);
    seen.add(alice, bundleWith(2));
    expect(seen.mayHappen(1)).to.equal(true);
  });

  it("cannot happen when another with the same intent has", () => {
    const seen = seenWith();
    const [one, other] = [bundleWith(1), bundleWith(1, "another content")];
    seen.add(alice, one);
    seen.happened([factOf(other)], 10);
    // The block may be taken back.
    seen.happened([factOf(bundleWith(2))], 10 + 128);
    expect(seen.mayHappen(10 + 128)).to.equal(true);
    expect(found(seen, one)).to.not.deep.equal([]);
    seen.happened([factOf(bundleWith(3))], 10 + 129);
    expect(seen.mayHappen(10)).to.equal(false);
    expect(found(seen, one)).to.deep.equal([]);
  });

  it("keep their content when somebody sends the same digest with another one", () => {
    const seen = seenWith();
    const bundle = bundleWith(1);
    seen.add(bob, withContent(bundle, "a lie"));
    seen.add(alice, bundle);
    seen.add(bob, withContent(bundle, "another lie"));
    expect(found(seen, bundle)).to.deep.equal(outputsOf(bundle));
  });

  it("are read from the disk when memory has nothing but lies", () => {
    const bundle = bundleWith(1);
    const seen = seenWith([bundle]);
    expect(found(seen, bundle)).to.deep.equal(outputsOf(bundle));
    seen.add(bob, withContent(bundle, "a lie"));
    expect(found(seen, bundle)).to.deep.equal(outputsOf(bundle));
  });

  it("are pushed out of memory by none but newer ones of the same node", () => {
    const seen = seenWith();
    const bundle = bundleWith(0);
    const first = bundleWith(1);
    seen.add(alice, bundle);
    seen.add(bob, first);
    for (let number = 2; number < 1_100; number++)
      seen.add(bob, bundleWith(number));
    expect(found(seen, bundle)).to.deep.equal(outputsOf(bundle));
    expect(found(seen, first)).to.deep.equal([]);
  });

  it("take a bounded amount of memory, however large they are", () => {
    const seen = seenWith();
    const large = "x".repeat(4_000_000);
    const bundles = Array.from({ length: 12 }, (_, i) =>
      withContent(bundleWith(i), large),
    );
    const small = bundleWith(100);
    seen.add(bob, small);
    for (const bundle of bundles) seen.add(bob, bundle);
    expect(found(seen, small)).to.deep.equal([]);
  });
});
