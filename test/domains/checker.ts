import { expect } from "chai";

import { ledgerDomain, parseAddress } from "../../src/ledger/index.ts";
import { parseDigest } from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { Bundle, Step } from "../../src/protocol/transition.ts";
import {
  type CheckerPorts,
  type Fault,
  findFault,
} from "../../src/domains/checker.ts";
import { groupToken } from "../../src/domains/group-token.ts";
import { stepHashIn } from "../../src/domains/states/arrange.ts";
import { StateBook } from "../../src/domains/states/book.ts";
import { createState } from "../../src/domains/states/content.ts";
import { openStore } from "../../src/store/store.ts";
import { groupAt, intentId, nodeName, word } from "../helpers/stores.ts";

const group = groupAt(1);
const ledger = ledgerDomain({ chainId: 1n, group: parseAddress(group) });
const sender = nodeName("alice");

/** A step that creates so many states. */
function aStep(number: number, outputs: number): Step {
  const id = intentId(number);
  return {
    intentId: id,
    laneSalt: "",
    sender,
    payload: "",
    inputs: [],
    reads: [],
    outputs: Array.from({ length: outputs }, (_, index) =>
      createState(
        { schema: "coin", label: "", data: {} },
        { intentId: id, index },
      ),
    ),
    infos: [],
    calls: [],
    found: [],
    validUntil: 10,
    salt: "",
    signature: "",
  };
}

/** What an endorser has against a bundle, if everything but the ledger takes it. */
async function faultOf(
  steps: readonly Step[],
  ports: Partial<CheckerPorts> = {},
): Promise<Fault | undefined> {
  const digest = parseDigest(word(1));
  if (digest === undefined) throw new Error("Invalid digest.");
  const bundle: Bundle = { steps, places: [], validUntil: 10, digest };
  return await findFault(
    { bundle, view: { created: [], spent: [] } },
    {
      domain: { ...groupToken, endorse: () => undefined },
      group: {
        address: group,
        members: [sender],
        endorsers: [sender],
        configuration: {},
      },
      book: new StateBook(
        { group },
        { states: openStore({ file: ":memory:" }).states },
      ),
      hashing: { stepHash: stepHashIn({ domain: ledger, epoch: 0n }) },
      epoch: 0n,
      allowsCalls: true,
      membersCount: 3,
      isFulfilled: () => false,
      isSignedBy: () => true,
      ...ports,
    },
  );
}

describe("The checker of an endorser", () => {
  it("takes the largest bundle that a coordinator makes, however many sign", async () => {
    const each = Math.floor(limits.bundleStates / limits.bundle);
    const steps = Array.from({ length: limits.bundle }, (_, i) =>
      aStep(i, each),
    );
    expect(await faultOf(steps, { membersCount: 255 })).to.equal(undefined);
  });

  it("names all steps at fault, each checked on top of the good ones before it", async () => {
    const forged = { ...aStep(1, 1), signature: "forged" };
    const [state] = forged.outputs;
    if (state === undefined) throw new Error("Nothing is created.");
    const steps = [
      aStep(0, 1),
      forged,
      { ...aStep(2, 1), inputs: [state.id] },
      aStep(3, 1),
      { ...aStep(4, 1), signature: "forged" },
    ];
    const fault = await faultOf(steps, {
      isSignedBy: (_sender, _hash, signature) => signature !== "forged",
    });
    expect(fault?.faults).to.deep.equal([
      { intentId: intentId(1), detail: "its sender did not sign it" },
      { intentId: intentId(2), detail: "a state that is not there" },
      { intentId: intentId(4), detail: "its sender did not sign it" },
    ]);
  });

  it("refuses a bundle that needs more gas than a transaction may have", async () => {
    const steps = Array.from({ length: limits.bundle }, (_, i) => aStep(i, 8));
    const fault = await faultOf(steps);
    expect(fault?.detail).to.match(/may need \d+ gas.*16777216/);
    expect(fault?.faults).to.deep.equal([]);
  });

  it("blames a step that needs more gas alone than a transaction may have", async () => {
    const target = `0x${"11".repeat(20)}`;
    const call = { target, data: "0x", gasMin: limits.callsGas };
    const step = aStep(1, 0);
    expect(await faultOf([{ ...step, calls: [call] }])).to.equal(undefined);
    const fault = await faultOf([{ ...step, calls: [call, call, call] }]);
    expect(fault?.detail).to.match(/may need \d+ gas.*16777216/);
    expect(fault?.faults.map(({ intentId }) => intentId)).to.deep.equal([
      step.intentId,
    ]);
  });
});
