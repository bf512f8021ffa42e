import { expect } from "chai";

import { parsePlace } from "../../src/protocol/ids.ts";
import { netOf } from "../../src/protocol/net.ts";
import { digestOf } from "../../src/protocol/outline.ts";
import type { DispatchRecord } from "../../src/protocol/records.ts";
import type { Bundle } from "../../src/protocol/transition.ts";
import { Chain, type ChainTransaction } from "../../src/simulation/chain.ts";
import { FaultCounter, noFaults } from "../../src/simulation/faults.ts";
import { genesisPlace, hashing } from "../../src/simulation/hashing.ts";
import { Random } from "../../src/simulation/random.ts";
import {
  execute,
  type LedgerState,
  undo,
} from "../../src/simulation/transition.ts";
import {
  alice,
  bob,
  bundleOf,
  endorsementsOf,
  genesis,
  group,
  nodeNamed,
  stepsOf,
} from "../helpers/simulated-group.ts";

function ledgerAtGenesis(): LedgerState {
  return {
    unspent: new Map(genesis.map(({ state }) => [state.id, genesisPlace])),
    fulfilled: new Map(),
  };
}

function run(
  bundle: Bundle,
  {
    ledger = ledgerAtGenesis(),
    endorsements = endorsementsOf(bundle),
    block = 1,
  } = {},
): ReturnType<typeof execute> {
  return execute(ledger, group, { bundle, endorsements, block });
}

const payAndPayOn = ["pay a b 10", "pay b c 1010", "split c"];

describe("The ledger's rules", () => {
  it("nets a bundle: what is created and spent inside never appears", () => {
    const steps = stepsOf(["merge a", "split a"]);
    const [merge, split] = steps;
    const net = netOf(steps);
    expect(net.inputs).to.deep.equal(merge?.inputs);
    expect(net.outputs).to.deep.equal(split?.outputs);
    expect(net.intents).to.have.length(2);
  });

  it("does all of a bundle at once", () => {
    const ledger = ledgerAtGenesis();
    const bundle = bundleOf(stepsOf(payAndPayOn));
    expect(run(bundle, { ledger })).to.be.an("object");
    for (const { intentId, outputs, inputs } of bundle.steps) {
      expect(ledger.fulfilled.has(intentId)).to.equal(true);
      for (const id of inputs) expect(ledger.unspent.has(id)).to.equal(false);
      expect(outputs).to.have.length.greaterThan(0);
    }
  });

  it("fulfils no intent twice and spends no state twice", () => {
    const ledger = ledgerAtGenesis();
    const bundle = bundleOf(stepsOf(["pay a b 10"]));
    run(bundle, { ledger });
    expect(run(bundle, { ledger })).to.equal("IntentFulfilled");
    const other = bundleOf(stepsOf(["pay a c 10"], undefined, 7));
    expect(run(other, { ledger })).to.equal("StateNotAvailable");
  });

  it("refuses the same intent, and the same state, twice in one bundle", () => {
    const [first] = stepsOf(["note a"]);
    const [second] = stepsOf(["pay a b 10"], undefined, 7);
    const [third] = stepsOf(["pay a c 10"], undefined, 8);
    if (first === undefined || second === undefined || third === undefined)
      throw new Error("no steps");
    expect(run(bundleOf([first, first]))).to.equal("IntentFulfilled");
    expect(run(bundleOf([second, third]))).to.equal("InputsNotAscending");
  });

  it("counts distinct members over exactly this bundle", () => {
    const steps = stepsOf(["pay a b 10"]);
    const bundle = bundleOf(steps);
    const one = endorsementsOf(bundle, [alice]);
    const twice = endorsementsOf(bundle, [alice, alice]);
    const stranger = endorsementsOf(bundle, [alice, nodeNamed("mallory")]);
    const other = endorsementsOf(bundleOf(steps, 99), [alice, bob]);
    const refusalOf = (endorsements: typeof one): unknown =>
      run(bundle, { endorsements });
    expect(refusalOf(one)).to.equal("ThresholdNotReached");
    expect(refusalOf(twice)).to.equal("ThresholdNotReached");
    expect(refusalOf(stranger)).to.equal("UnknownSigners");
    expect(refusalOf(other)).to.equal("InvalidEndorsement");
    const forged = { ...bundle, validUntil: 1_000 };
    expect(run(forged, { endorsements: endorsementsOf(bundle) })).to.equal(
      "InvalidEndorsement",
    );
  });

  it("takes a bundle in its last block and not after it", () => {
    const bundle = bundleOf(stepsOf(["pay a b 10"]), 5);
    expect(run(bundle, { block: 5 })).to.be.an("object");
    expect(run(bundle, { block: 6 })).to.equal("Expired");
  });

  it("wants what is read to be unspent", () => {
    const ledger = ledgerAtGenesis();
    const [note] = stepsOf(["note a"], undefined, 7);
    const [pay] = stepsOf(["pay a b 10"]);
    if (note === undefined || pay === undefined) throw new Error("no steps");
    expect(run(bundleOf([note, pay]))).to.be.an("object");
    run(bundleOf([pay]), { ledger });
    expect(run(bundleOf([note]), { ledger })).to.equal("StateNotAvailable");
  });

  it("wants every state to be where the bundle says", () => {
    const bundle = bundleOf(stepsOf(["pay a b 10"]));
    const elsewhere = parsePlace("0x01");
    if (elsewhere === undefined) throw new Error("no place");
    const places = bundle.places.map(({ id }) => ({ id, place: elsewhere }));
    const moved = { ...bundle, places };
    const digest = digestOf(hashing, moved);
    expect(run({ ...moved, digest })).to.equal("StateNotAvailable");
    const lost = { ...bundle, places: [] };
    const lostDigest = digestOf(hashing, lost);
    expect(run({ ...lost, digest: lostDigest })).to.equal("StateNotAvailable");
  });

  it("takes a transition back without a trace", () => {
    const ledger = ledgerAtGenesis();
    const net = run(bundleOf(stepsOf(payAndPayOn)), { ledger });
    if (typeof net === "string") throw new Error(net);
    undo(ledger, net);
    const before = ledgerAtGenesis();
    expect([...ledger.unspent].sort()).to.deep.equal(
      [...before.unspent].sort(),
    );
    expect(ledger.fulfilled.size).to.equal(0);
  });
});

describe("Chain", () => {
  const transactionOf = (bundle: Bundle, nonce: number): ChainTransaction => {
    const dispatch: DispatchRecord = {
      kind: "dispatch",
      bundle,
      endorsements: endorsementsOf(bundle),
      acknowledged: [],
    };
    return {
      signer: 0,
      nonce,
      dispatch,
      status: "out",
      block: 0,
      refusal: undefined,
    };
  };
  const chainOf = (): Chain =>
    new Chain(
      {
        group,
        signers: 4,
        plan: noFaults,
        genesis: genesis.map(({ state }) => state),
      },
      {
        random: new Random(1),
        faults: new FaultCounter(),
        onTransition: () => undefined,
      },
    );

  it("mines the transactions of a signer in the order of their nonces", () => {
    const chain = chainOf();
    const [first, second] = stepsOf(["pay a b 10", "pay b c 1010"]);
    if (first === undefined || second === undefined) throw new Error("no step");
    chain.submit(transactionOf(bundleOf([second]), 1));
    expect(chain.mine().transactions).to.have.length(0);
    chain.submit(transactionOf(bundleOf([first]), 0));
    const { transactions, facts } = chain.mine();
    expect(transactions.map(({ nonce }) => nonce)).to.deep.equal([0, 1]);
    expect(facts).to.have.length(2);
  });

  it("mines what members submit who do not endorse", () => {
    const chain = chainOf();
    const bundle = bundleOf(stepsOf(["pay a b 10"]));
    chain.submit({ ...transactionOf(bundle, 0), signer: 3 });
    expect(chain.mine().facts).to.have.length(1);
    expect(chain.hasHappened(bundle.digest)).to.equal(true);
  });

  it("replaces blocks, and what was in them happens again or not at all", () => {
    const chain = chainOf();
    const bundle = bundleOf(stepsOf(["pay a b 10"]));
    chain.submit(transactionOf(bundle, 0));
    chain.mine();
    chain.mine();
    const before = chain.blocks[1];
    chain.reorganise(2);
    expect(chain.height).to.equal(3);
    expect(chain.blocks[1]).to.not.equal(before);
    const times = chain.blocks
      .flatMap(({ facts }) => facts)
      .filter(({ digest }) => digest === bundle.digest).length;
    expect(times).to.equal(chain.hasHappened(bundle.digest) ? 1 : 0);
    expect(chain.ledger.fulfilled.size).to.equal(times);
  });
});
