import { expect } from "chai";

import { ledgerDomain, parseAddress } from "../../src/ledger/index.ts";
import { bundleText } from "../../src/protocol/codec.ts";
import { digestOf } from "../../src/protocol/outline.ts";
import type { Bundle, State } from "../../src/protocol/transition.ts";
import { keptContent } from "../../src/node/kept-content.ts";
import { hashingOf } from "../../src/domains/states/arrange.ts";
import { createState } from "../../src/domains/states/content.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { aStep } from "../helpers/simulated-group.ts";
import {
  anIntentRecord,
  groupAt,
  intentId,
  nodeName,
} from "../helpers/stores.ts";

const group = groupAt(1);
const alice = nodeName("alice");
const hashing = hashingOf({
  domain: ledgerDomain({ chainId: 1n, group: parseAddress(group) }),
  epoch: 0n,
});

const stateOf = (number: number, label: string): State =>
  createState(
    { schema: "s", label, data: 1 },
    { intentId: intentId(number), index: 0 },
  );

/** Steps that create a state each: for this node, and for somebody else. */
function aBundle(...labels: readonly string[]): Bundle {
  const steps = labels.map((label, i) =>
    aStep({
      intentId: intentId(i + 1),
      sender: alice,
      outputs: [stateOf(i + 1, label)],
      infos: [stateOf(i + 1, `info of ${label}`)],
    }),
  );
  const bundle = { steps, places: [], validUntil: 100 };
  return { ...bundle, digest: digestOf(hashing, bundle) };
}

describe("What a node keeps of a bundle that happened", () => {
  let store: Store;
  const found = ({ digest, steps }: Bundle) =>
    keptContent(store, group, {
      fact: { digest, intents: steps.map(({ intentId: id }) => id) },
      maySee: ({ content }) => content.includes('"mine"'),
    });
  const outputsOf = ({ steps }: Bundle): State[] =>
    steps.flatMap(({ outputs }) => [...outputs]);

  beforeEach(() => {
    store = openStore({ file: ":memory:" });
  });
  afterEach(() => {
    store.close();
  });

  it("is everything, if it endorsed it", () => {
    const bundle = aBundle("mine", "another's");
    const { digest, validUntil } = bundle;
    store.write(() => {
      store.bundles.save(
        group,
        {
          kind: "endorsed",
          digest,
          coordinator: alice,
          validUntil,
          length: 1,
          signature: "0x01",
          bundle,
        },
        bundleText(bundle),
      );
    });
    expect(found(bundle)?.outputs).to.deep.equal(outputsOf(bundle));
    expect(found(bundle)?.steps).to.have.length(2);
  });

  it("is what it may see of its own steps, if it permitted them", () => {
    const bundle = aBundle("mine", "another's");
    store.write(() => {
      for (const step of bundle.steps)
        store.bundles.saveStep(group, bundle, step);
    });
    expect(found(bundle)?.outputs).to.deep.equal(outputsOf(bundle).slice(0, 1));
    expect(found(bundle)?.steps).to.have.length(2);
  });

  it("is what it may see of what was prepared for its user", () => {
    const bundle = aBundle("mine");
    store.write(() => {
      store.records.save(
        group,
        anIntentRecord(1, { prepared: { bundle, endorsements: [] } }),
      );
    });
    expect(found(bundle)?.outputs).to.deep.equal(outputsOf(bundle));
    const another = { ...bundle, digest: aBundle("theirs").digest };
    expect(found(another)).to.equal(undefined);
  });

  it("is nothing, if it never had to do with it", () => {
    expect(found(aBundle("mine"))).to.equal(undefined);
  });
});
