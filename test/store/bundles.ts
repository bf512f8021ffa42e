import { expect } from "chai";

import { ledgerDomain, parseAddress } from "../../src/ledger/index.ts";
import {
  bundleText,
  decodeBundle,
  decodeMessage,
  encodeMessage,
} from "../../src/protocol/codec.ts";
import { parseRequestKey } from "../../src/protocol/ids.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import { digestOf } from "../../src/protocol/outline.ts";
import {
  type DispatchRecord,
  type EndorsedRecord,
  recordKey,
} from "../../src/protocol/records.ts";
import { lengthOfBundle } from "../../src/protocol/size.ts";
import type { Bundle } from "../../src/protocol/transition.ts";
import { hashingOf } from "../../src/domains/states/arrange.ts";
import { createState } from "../../src/domains/states/content.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { aStep } from "../helpers/simulated-group.ts";
import {
  groupAt,
  intentId,
  nodeName,
  stateId,
  withEachStore,
} from "../helpers/stores.ts";

const group = groupAt(1);
const alice = nodeName("alice");
const hashing = hashingOf({
  domain: ledgerDomain({ chainId: 1n, group: parseAddress(group) }),
  epoch: 0n,
});

function aBundle(number: number, validUntil = 100): Bundle {
  const id = intentId(number);
  const origin = { intentId: id, index: 0 };
  const output = createState({ schema: "s", label: "l", data: 1 }, origin);
  const salt = `0x${"ab".repeat(16)}`;
  const steps = [
    aStep({ intentId: id, sender: alice, outputs: [output], salt }),
  ];
  const bundle = { steps, places: [], validUntil };
  return { ...bundle, digest: digestOf(hashing, bundle) };
}

function recordOf(bundle: Bundle): EndorsedRecord {
  return {
    kind: "endorsed",
    digest: bundle.digest,
    coordinator: alice,
    validUntil: bundle.validUntil,
    length: lengthOfBundle(bundle),
    signature: "0x01",
    bundle,
  };
}

function requestOf(
  bundle: Bundle,
  spent: MessageOf<"EndorsementRequest">["view"]["spent"] = [],
): MessageOf<"EndorsementRequest"> {
  const key = parseRequestKey("alice:1:1");
  if (key === undefined) throw new Error("The key is malformed.");
  return {
    type: "EndorsementRequest",
    key,
    coordinator: alice,
    height: 1,
    bundle,
    view: { created: [], spent },
  };
}

describe("The text of a bundle", () => {
  it("is that of the message in which it came, and gives the bundle back", () => {
    const wire = encodeMessage(requestOf(aBundle(1)));
    const decoded = decodeMessage(wire);
    if (decoded.type !== "message" || !("bundle" in decoded.message))
      throw new Error("The message is malformed.");
    const { bundle } = decoded.message;
    const text = bundleText(bundle as Bundle);
    expect(text).to.equal(wire);
    expect(decodeBundle(text)).to.deep.equal(bundle);
  });

  it("is written anew when there is too much around it", () => {
    const bundle = aBundle(1);
    const spent = Array.from({ length: 1_000 }, (_, i) => stateId(i));
    const wire = encodeMessage(requestOf(bundle, spent));
    const text = bundleText(bundle);
    expect(text.length).to.be.lessThan(wire.length / 10);
    expect(decodeBundle(text)).to.deep.equal(bundle);
  });

  it("is written anew when it never travelled", () => {
    const bundle = aBundle(1);
    expect(decodeBundle(bundleText(bundle))).to.deep.equal(bundle);
    for (const nonsense of ["", "{}", '{"message":{}}'])
      expect(decodeBundle(nonsense)).to.equal(undefined);
  });
});

describe("The table of endorsed bundles", () => {
  withEachStore((store) => {
    const save = (bundle: Bundle): void => {
      const { bundles, write } = store();
      write(() => {
        bundles.save(group, recordOf(bundle), bundleText(bundle));
      });
    };

    it("gives a bundle back with all that is in it, and again after it was saved twice", () => {
      const bundle = aBundle(1);
      save(bundle);
      save(bundle);
      const { bundles } = store();
      expect(bundles.find(group, bundle.digest)).to.deep.equal(bundle);
      expect(bundles.find(groupAt(2), bundle.digest)).to.equal(undefined);
      expect(bundles.find(group, aBundle(2).digest)).to.equal(undefined);
    });

    it("lists those that can still happen, without their content", () => {
      const [one, other] = [aBundle(1, 10), aBundle(2, 20)];
      save(one);
      save(other);
      const { bundles } = store();
      const headOf = (bundle: Bundle, number: number) => {
        const { bundle: _, ...head } = recordOf(bundle);
        return { ...head, firstIntent: intentId(number) };
      };
      expect(bundles.endorsed(group, 10)).to.have.deep.members([
        headOf(one, 1),
        headOf(other, 2),
      ]);
      expect(bundles.endorsed(group, 11)).to.deep.equal([headOf(other, 2)]);
    });

    it("keeps steps that a sender permitted", () => {
      const bundle = aBundle(1);
      const [step] = bundle.steps;
      if (step === undefined) throw new Error("There is no step.");
      const { bundles, write } = store();
      write(() => {
        bundles.saveStep(group, bundle, step);
      });
      expect(bundles.permitted(group, bundle.digest)).to.deep.equal([step]);
      expect(bundles.permitted(group, aBundle(2).digest)).to.deep.equal([]);
    });

    it("erases what can no longer happen, and nothing else", () => {
      const [one, other] = [aBundle(1, 10), aBundle(2, 20)];
      const { bundles, write } = store();
      for (const bundle of [one, other]) {
        save(bundle);
        for (const step of bundle.steps)
          write(() => {
            bundles.saveStep(group, bundle, step);
          });
      }
      write(() => {
        bundles.prune(20);
      });
      expect(bundles.find(group, one.digest)).to.equal(undefined);
      expect(bundles.permitted(group, one.digest)).to.deep.equal([]);
      expect(bundles.find(group, other.digest)).to.deep.equal(other);
      expect(bundles.permitted(group, other.digest)).to.have.length(1);
    });

    /** A dispatch of a bundle whose signatures have another form than those of the endorsed one. */
    const dispatchOf = (bundle: Bundle): DispatchRecord => ({
      kind: "dispatch",
      bundle: {
        ...bundle,
        steps: bundle.steps.map((step) => ({ ...step, signature: "0xaa" })),
      },
      endorsements: [
        { endorser: alice, digest: bundle.digest, signature: "0x01" },
      ],
      acknowledged: [],
    });

    it("holds the bundle of a dispatch, which is not written again", () => {
      const bundle = aBundle(1);
      const dispatch = dispatchOf(bundle);
      const { records, database, write } = store();
      save(bundle);
      write(() => {
        records.save(group, dispatch);
      });
      const row = database.get("SELECT record FROM records");
      expect(row?.["record"]).to.not.include("schema");
      expect(records.open(group)).to.deep.equal([dispatch]);
      const acknowledged = { ...dispatch, acknowledged: [alice] };
      write(() => {
        records.save(group, acknowledged);
      });
      expect(records.open(group)).to.deep.equal([acknowledged]);
    });

    it("holds the bundle of a dispatch for as long as that is open", () => {
      const bundle = aBundle(1, 10);
      const dispatch = dispatchOf(bundle);
      const { records, bundles, write } = store();
      save(bundle);
      write(() => {
        records.save(group, dispatch);
        bundles.prune(20);
      });
      expect(records.open(group)).to.deep.equal([dispatch]);
      write(() => {
        records.erase(group, recordKey(dispatch));
        bundles.prune(20);
      });
      expect(bundles.find(group, bundle.digest)).to.equal(undefined);
    });

    it("notices that the bundle of a dispatch is missing", () => {
      const bundle = aBundle(1);
      const { records, database, write } = store();
      save(bundle);
      write(() => {
        records.save(group, dispatchOf(bundle));
        database.run("DELETE FROM endorsed_bundles");
      });
      expect(() => records.open(group)).to.throw(StoreError, bundle.digest);
    });

    it("notices that a bundle is not what was saved", () => {
      const bundle = aBundle(1);
      save(bundle);
      const { bundles, database, write } = store();
      write(() => {
        database.run(
          "UPDATE endorsed_bundles SET bundle = replace(bundle, 'schema', 'schemb')",
        );
      });
      expect(() => bundles.find(group, bundle.digest)).to.throw(StoreError);
    });
  });
});
