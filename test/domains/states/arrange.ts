import { expect } from "chai";

import { ledgerDomain, parseAddress } from "../../../src/ledger/index.ts";
import { outlineOf } from "../../../src/protocol/outline.ts";
import type { Step } from "../../../src/protocol/transition.ts";
import {
  hashingOf,
  transitionOf,
} from "../../../src/domains/states/arrange.ts";
import { groupAt, intentId, nodeName } from "../../helpers/stores.ts";

const group = groupAt(1);
const hashing = hashingOf({
  domain: ledgerDomain({ chainId: 1n, group: parseAddress(group) }),
  epoch: 0n,
});

const call = { target: `0x${"11".repeat(20)}`, data: "0x1234", gasMin: 1_000 };
const step: Step = {
  intentId: intentId(1),
  laneSalt: "",
  sender: nodeName("alice"),
  payload: "",
  inputs: [],
  reads: [],
  outputs: [],
  infos: [],
  calls: [call],
  found: [],
  validUntil: 10,
  salt: "",
  signature: "",
};

const outline = (steps: readonly Step[]) =>
  outlineOf(hashing, { steps, places: [], validUntil: 10 });

describe("A public call of a step", () => {
  it("is on the ledger with the gas that was signed", () => {
    expect(transitionOf(outline([step]), 0n).calls).to.deep.equal([
      { ...call, gasMin: 1_000n },
    ]);
  });

  it("is signed by the sender and by endorsers, with everything that it says", () => {
    const changes = [
      { target: `0x${"22".repeat(20)}` },
      { data: "0x1235" },
      { gasMin: 999 },
    ];
    for (const change of changes) {
      const other = { ...step, calls: [{ ...call, ...change }] };
      expect(hashing.stepHash(other)).to.not.equal(hashing.stepHash(step));
      expect(hashing.bundleDigest(outline([other]))).to.not.equal(
        hashing.bundleDigest(outline([step])),
      );
      // A coordinator that changes the call alone changes what endorsers sign.
      const [hashed] = outline([step]).steps;
      if (hashed === undefined) throw new Error("There is no step.");
      const forged = {
        ...outline([step]),
        steps: [{ ...hashed, calls: other.calls }],
      };
      expect(hashing.bundleDigest(forged)).to.not.equal(
        hashing.bundleDigest(outline([step])),
      );
    }
  });
});
