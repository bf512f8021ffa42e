import { expect } from "chai";

import {
  type Address,
  approvalDigest,
  buildGroupConfig,
  buildTransition,
  type Committee,
  committeeChangeDigest,
  decodeLogs,
  encodeExecuteApproved,
  findEndorsementError,
  hashTransition,
  type Hex,
  type IntentId,
  ledgerDomain,
  type LedgerError,
  type LedgerFact,
  parseAddress,
  parseBytes32,
  parseHex,
  parseIntentId,
  privacyGroupFactoryInterface,
  privacyGroupInterface,
  type StateId,
  transitionDigest,
} from "../../src/ledger/index.ts";
import { type Chain, openChain } from "../helpers/chain.ts";
import { signersInOrder } from "../helpers/keys.ts";
import {
  apply,
  approvalKey,
  encodeStep,
  type Model,
  REENTRANT,
  type Step,
} from "../helpers/ledger-model.ts";
import { aScene, nextStep, type Scene } from "../helpers/ledger-steps.ts";
import { randomFrom } from "../helpers/random.ts";

// The real contract against a naive model of it, over random sequences of calls. A sequence is one group and
// depends on nothing but its seed: SEED=<number> SEQUENCES=1 runs a single one again.

const SEQUENCES = Number(process.env["SEQUENCES"] ?? 2_000);
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const ABSENT = parseAddress(`0x${"de".repeat(20)}`);

type Apply = typeof apply;
const counts = new Map<string, number>();
const count = (name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

describe("ledger: the contract and a naive model", function () {
  this.timeout(300_000);
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
      await compareStep(chain, scene.model, step, block, applyStep);
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
  ];
  const failures = new Map<Address, Map<Hex, Hex | "no code">>([
    [chain.factory, new Map([[parseHex("0x12345678"), parseHex("0x")]])],
    [ABSENT, new Map([[parseHex("0x"), "no code"]])],
    [group, new Map([[again, REENTRANT]])],
  ]);
  const model: Model = {
    domain: ledgerDomain({ chainId: chain.chainId, group }),
    externalCalls: config.externalCalls,
    failureOf: (target, data) => failures.get(target)?.get(data),
    epoch: 0n,
    committee: config,
    unspent: new Set(),
    fulfilled: new Set(),
    approvals: new Set(),
    signedBy: new Map(),
  };
  return {
    scene: aScene({ random, model, accounts: chain.accounts, calls }),
    firstBlock,
  };
}

async function compareStep(
  chain: Chain,
  model: Model,
  step: Step,
  block: bigint,
  applyStep: Apply,
): Promise<void> {
  const committee = model.committee;
  const expected = applyStep(model, step, block);
  const sent = await chain.send({
    to: model.domain.group,
    data: encodeStep(step),
    ...(step.type === "ExecuteApproved" ? { from: step.caller } : {}),
  });
  if (sent.type === "Refused") {
    expect(sent).to.deep.equal(expected);
    if (ENDORSEMENT_ERRORS.has(sent.error.type)) {
      // The check that nodes make before they submit says exactly what the contract says.
      expect(endorsementError(model, step, committee)).to.deep.equal(
        sent.error,
      );
    }
    count(sent.error.type);
    return;
  }
  const events = decodeLogs(sent.logs).map(eventOf);
  expect({ type: "Done", event: events[0] }).to.deep.equal(expected);
  expect(events).to.have.lengthOf(1);
  // Recovering signatures is slow, so only some of the good ones.
  if (block % 16n === 0n)
    expect(endorsementError(model, step, committee)).to.equal(undefined);
  count(events[0]?.type ?? "nothing");
}

const ENDORSEMENT_ERRORS = new Set(
  [
    "UnknownSigners",
    "SignatureCount",
    "InvalidEndorsement",
    "ThresholdNotReached",
  ].map((name) => `PrivacyGroup${name}`),
);

function endorsementError(
  { domain }: Model,
  step: Step,
  committee: Committee,
): LedgerError | undefined {
  switch (step.type) {
    case "Execute":
      return findEndorsementError(
        transitionDigest(domain, step.transition),
        committee,
        step.endorsements,
      );
    case "Approve":
      return findEndorsementError(
        approvalDigest(domain, step.transition, step.delegate),
        committee,
        step.endorsements,
      );
    case "ChangeCommittee":
      return findEndorsementError(
        committeeChangeDigest(domain, step.change),
        committee,
        step.endorsements,
      );
    case "ExecuteApproved":
      return undefined;
  }
}

/** What a fact says, without where it stands. */
function eventOf(fact: LedgerFact): Partial<LedgerFact> {
  const { log, address, ...event } = fact;
  expect(log.address).to.equal(address);
  return event;
}

/** Asks the contract about every id that ever occurred in the sequence. */
async function compareState(
  chain: Chain,
  { model, states, intents, steps }: Scene,
): Promise<void> {
  const to = model.domain.group;
  const isTrue = async (
    selector: Hex,
    ...words: readonly string[]
  ): Promise<boolean> =>
    BigInt(
      await chain.call({ to, data: parseHex(selector + words.join("")) }),
    ) === 1n;
  for (const stateId of new Set([...states, ...model.unspent])) {
    expect(
      await isTrue(IS_UNSPENT, stateId.slice(2)),
      `unspent ${stateId}`,
    ).to.equal(model.unspent.has(stateId));
  }
  for (const intentId of intents) {
    expect(
      await isTrue(IS_FULFILLED, intentId.slice(2)),
      `fulfilled ${intentId}`,
    ).to.equal(model.fulfilled.has(intentId));
  }
  for (const step of steps) {
    if (step.type !== "Approve") continue;
    const hash = hashTransition(step.transition);
    expect(
      await isTrue(
        IS_APPROVED,
        hash.slice(2),
        step.delegate.slice(2).padStart(64, "0"),
      ),
      `approved ${hash}`,
    ).to.equal(model.approvals.has(approvalKey(hash, step.delegate)));
  }
  const committee = await chain.call({ to, data: COMMITTEE });
  expect(committee).to.equal(
    privacyGroupInterface.encodeFunctionResult("committee", [
      model.epoch,
      model.committee.members,
      model.committee.threshold,
    ]),
  );
}

const selectorOf = (name: string): Hex =>
  parseHex(privacyGroupInterface.getFunction(name)?.selector);
const IS_UNSPENT = selectorOf("isUnspent");
const IS_FULFILLED = selectorOf("isFulfilled");
const IS_APPROVED = selectorOf("isApproved");
const COMMITTEE = selectorOf("committee");

/** Rebuilds the group from its events alone. */
async function compareRebuilt(
  chain: Chain,
  { model }: Scene,
  firstBlock: number,
): Promise<void> {
  const group = model.domain.group;
  const unspent = new Set<StateId>();
  const fulfilled = new Set<IntentId>();
  const approvals = new Set<string>();
  let [epoch, committee] = [
    0n,
    { members: [] as readonly Address[], threshold: 0 },
  ];
  const logs = [
    ...(await chain.logsOf(chain.factory, firstBlock)),
    ...(await chain.logsOf(group, firstBlock)),
  ];
  for (const fact of decodeLogs(logs)) {
    switch (fact.type) {
      case "GroupCreated":
        committee = { members: fact.members, threshold: fact.threshold };
        break;
      case "CommitteeChanged":
        [epoch, committee] = [
          fact.epoch,
          { members: fact.members, threshold: fact.threshold },
        ];
        break;
      case "TransitionApproved":
        approvals.add(approvalKey(fact.transitionHash, fact.delegate));
        break;
      case "Transitioned":
        for (const intentId of fact.intents) fulfilled.add(intentId);
        for (const stateId of fact.inputs) unspent.delete(stateId);
        for (const stateId of fact.outputs) unspent.add(stateId);
        break;
      case "AtomExecuted":
      case "Malformed":
        throw new Error(`A group does not log ${fact.type}.`);
    }
  }
  const { members, threshold } = model.committee;
  expect({ epoch, committee, unspent, fulfilled, approvals }).to.deep.equal({
    epoch: model.epoch,
    committee: { members, threshold },
    unspent: model.unspent,
    fulfilled: model.fulfilled,
    approvals: model.approvals,
  });
}
