import { expect } from "chai";

import {
  type Address,
  buildGroupConfig,
  buildTransition,
  encodeExecuteApproved,
  type Hex,
  ledgerDomain,
  parseAddress,
  parseBytes32,
  parseHex,
  parseIntentId,
  parseUint64,
  privacyGroupFactoryInterface,
  recoverSigner,
} from "../../src/ledger/index.ts";
import type { Step } from "../../src/simulation/chain-rpc/contracts/step.ts";
import { type Chain, openChain } from "../helpers/chain.ts";
import {
  type Apply,
  compareRebuilt,
  compareState,
  compareStep,
} from "../helpers/differential/compare.ts";
import { apply, type Model, REENTRANT } from "../helpers/differential/model.ts";
import { nextStep } from "../helpers/differential/next-step.ts";
import { aScene, type Scene } from "../helpers/differential/scene.ts";
import { signersInOrder } from "../helpers/keys.ts";
import { randomFrom } from "../helpers/random.ts";

// The real contract against a naive model of it, over random sequences of calls. A sequence is one group and
// depends on nothing but its seed: SEED=<number> SEQUENCES=1 runs a single one again. The seeds of a plain run
// are fixed, so that it fails only for the change at hand; SEED=<number> SEQUENCES=<many> goes looking.

const SEQUENCES = Number(process.env["SEQUENCES"] ?? 2_000);
const SEED = Number(process.env["SEED"] ?? 1);
const ABSENT = parseAddress(`0x${"de".repeat(20)}`);

const counts = new Map<string, number>();
const count = (name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

describe("ledger: the contract and a naive model", function () {
  this.timeout(900_000);
  let chain: Chain;

  before(async function () {
    chain = await openChain();
  });

  it(`agree on ${SEQUENCES} random sequences`, async function () {
    for (let i = 0; i < SEQUENCES; i++)
      await runSequence(chain, SEED + i, apply);
    if (process.env["SHOW_COUNTS"] !== undefined)
      console.table([...counts].sort());
    if (SEQUENCES >= 1_000)
      expect([...counts.keys()]).to.include.members(REACHED);
  });

  const sabotages: Record<string, Apply> = {
    "forgets that a state is spent": (model, step, block) => {
      const outcome = apply(model, step, block);
      if (outcome.type === "Done" && outcome.event.type === "Transitioned") {
        for (const input of outcome.event.inputs) model.unspent.add(input);
      }
      return outcome;
    },
    "forgets that an intent is fulfilled": (model, step, block) => {
      const outcome = apply(model, step, block);
      if (outcome.type === "Done" && outcome.event.type === "Transitioned") {
        for (const intentId of outcome.event.intents)
          model.fulfilled.delete(intentId);
      }
      return outcome;
    },
    "takes one block too many": (model, step, block) =>
      apply(model, step, block - 1n),
    "is content with one signature": (model, step, block) => {
      const { committee } = model;
      model.committee = { ...committee, threshold: 1 };
      const outcome = apply(model, step, block);
      if (model.committee.members === committee.members)
        model.committee = committee;
      return outcome;
    },
    "forgets approvals": (model, step, block) => {
      const outcome = apply(model, step, block);
      model.approvals.clear();
      return outcome;
    },
  };
  for (const [name, sabotaged] of Object.entries(sabotages)) {
    it(`disagree when the model ${name}`, async function () {
      let seed = 0;
      const error = async (applyStep: Apply): Promise<unknown> =>
        await runSequence(chain, seed, applyStep).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
      let found = await error(sabotaged);
      while (found === undefined && seed < 200) {
        seed += 1;
        found = await error(sabotaged);
      }
      expect(found)
        .to.be.an("error")
        .with.property("message")
        .that.includes(`SEED=${seed}`);
      expect(await error(apply)).to.equal(undefined);
    });
  }
});

/** Outcomes that a long run must have met; a generator that no longer reaches one proves nothing. */
const REACHED = [
  ...["Transitioned", "TransitionApproved", "CommitteeChanged"],
  ...[
    "WrongEpoch",
    "Expired",
    "NoIntent",
    "IntentFulfilled",
    "StateNotAvailable",
  ].map((name) => `PrivacyGroup${name}`),
  ...[
    "InputWithoutSuccessor",
    "InputsNotAscending",
    "ExternalCallsDisabled",
  ].map((name) => `PrivacyGroup${name}`),
  ...[
    "UnknownSigners",
    "SignatureCount",
    "InvalidEndorsement",
    "ThresholdNotReached",
  ].map((name) => `PrivacyGroup${name}`),
  ...["InvalidThreshold", "TooManyMembers", "MembersNotAscending"].map(
    (name) => `PrivacyGroup${name}`,
  ),
  ...["AlreadyApproved", "NotApproved"].map((name) => `PrivacyGroup${name}`),
  ...["ExternalCallWithoutCode", "ExternalCallFailed"],
];

async function runSequence(
  chain: Chain,
  seed: number,
  applyStep: Apply,
): Promise<void> {
  const steps: Step[] = [];
  try {
    const { scene, firstBlock } = await openScene(chain, seed);
    const length = 3 + scene.random.below(5);
    let block = BigInt(await chain.blockNumber());
    for (let i = 0; i < length; i++) {
      block += 1n;
      const step = nextStep(scene, block);
      steps.push(step);
      scene.steps.push(step);
      count(await compareStep(chain, scene.model, step, block, applyStep));
    }
    await compareState(chain, scene);
    await compareRebuilt(chain, scene, firstBlock);
  } catch (error) {
    const story = JSON.stringify(
      steps,
      (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value),
      1,
    );
    throw new Error(
      `With SEED=${seed} SEQUENCES=1: ${error instanceof Error ? error.message : String(error)}\n${story}`,
      { cause: error },
    );
  }
}

async function openScene(
  chain: Chain,
  seed: number,
): Promise<{ readonly scene: Scene; readonly firstBlock: number }> {
  const random = randomFrom(seed);
  const members = signersInOrder(1 + random.below(4)).map(
    ({ address }) => address,
  );
  const config = buildGroupConfig({
    members,
    threshold: 1 + random.below(members.length),
    externalCalls: random.chance(0.3),
  });
  const firstBlock = (await chain.blockNumber()) + 1;
  // Two runs with the same seed on one chain still need two groups.
  const { group } = await chain.createGroup(
    config,
    parseBytes32(`0x${firstBlock.toString(16).padStart(64, "0")}`),
  );
  const again = encodeExecuteApproved(
    buildTransition({ epoch: 0n, intents: [parseIntentId(random.bytes32())] }),
  );
  const calls = [
    {
      target: chain.factory,
      data: parseHex(
        privacyGroupFactoryInterface.encodeFunctionData("implementation"),
      ),
    },
    { target: chain.factory, data: parseHex("0x12345678") },
    { target: ABSENT, data: parseHex("0x") },
    { target: group, data: again },
  ].map((call) => ({ ...call, gasMin: parseUint64(random.below(100_000)) }));
  const failures = new Map<Address, Map<Hex, Hex | "no code">>([
    [chain.factory, new Map([[parseHex("0x12345678"), parseHex("0x")]])],
    [ABSENT, new Map([[parseHex("0x"), "no code"]])],
    [group, new Map([[again, REENTRANT]])],
  ]);
  const signedBy: Model["signedBy"] = new Map();
  const model: Model = {
    domain: ledgerDomain({ chainId: chain.chainId, group }),
    externalCalls: config.externalCalls,
    failureOf: (target, data) => failures.get(target)?.get(data),
    epoch: 0n,
    committee: config,
    unspent: new Set(),
    fulfilled: new Set(),
    approvals: new Set(),
    signedBy,
    recover: (digest, signature) =>
      signedBy.get(digest + signature.r + signature.vs) ??
      recoverSigner(digest, signature),
  };
  return {
    scene: aScene({ random, model, accounts: chain.accounts, calls }),
    firstBlock,
  };
}
