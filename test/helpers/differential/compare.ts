import assert from "node:assert/strict";

import {
  type Address,
  approvalDigest,
  type Committee,
  committeeChangeDigest,
  decodeLogs,
  findEndorsementError,
  hashTransition,
  type Hex,
  type IntentId,
  type LedgerError,
  type LedgerFact,
  parseHex,
  privacyGroupInterface,
  type StateId,
  transitionDigest,
} from "../../../src/ledger/index.ts";
import { approvalKey } from "../../../src/simulation/chain-rpc/contracts/group.ts";
import {
  encodeStep,
  type Step,
} from "../../../src/simulation/chain-rpc/contracts/step.ts";
import type { Chain } from "../chain.ts";
import { type apply, type Model } from "./model.ts";
import { ask } from "./questions.ts";
import type { Scene } from "./scene.ts";

/** How a model takes a step: as it should, or sabotaged. */
export type Apply = typeof apply;

/** Makes a step in the model and on the chain, and gives the name of what both say. */
export async function compareStep(
  chain: Chain,
  model: Model,
  step: Step,
  block: bigint,
  applyStep: Apply,
): Promise<string> {
  const committee = model.committee;
  const expected = applyStep(model, step, block);
  const sent = await chain.send({
    to: model.domain.group,
    data: encodeStep(step),
    ...(step.type === "ExecuteApproved" ? { from: step.caller } : {}),
  });
  if (sent.type === "Refused") {
    assert.deepEqual(sent, expected);
    if (ENDORSEMENT_ERRORS.has(sent.error.type)) {
      // The check that nodes make before they submit says exactly what the contract says.
      assert.deepEqual(endorsementError(model, step, committee), sent.error);
    }
    return sent.error.type;
  }
  const events = decodeLogs(sent.logs).map(eventOf);
  assert.deepEqual({ type: "Done", event: events[0] }, expected);
  assert.equal(events.length, 1);
  // Recovering signatures is slow, so only some of the good ones.
  if (block % 16n === 0n)
    assert.equal(endorsementError(model, step, committee), undefined);
  return events[0]?.type ?? "nothing";
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
  assert.equal(log.address, address);
  return event;
}

/** Asks the contract about every id that ever occurred in the sequence. */
export async function compareState(
  chain: Chain,
  { model, states, intents, steps }: Scene,
): Promise<void> {
  const to = model.domain.group;
  const facts = [
    ...[...new Set([...states, ...model.unspent])].map((id) => ({
      data: IS_UNSPENT + id.slice(2),
      isTrue: model.unspent.has(id),
    })),
    ...[...intents].map((id) => ({
      data: IS_FULFILLED + id.slice(2),
      isTrue: model.fulfilled.has(id),
    })),
    ...steps.flatMap((step) => {
      if (step.type !== "Approve") return [];
      const hash = hashTransition(step.transition);
      const delegate = step.delegate.slice(2).padStart(64, "0");
      return {
        data: IS_APPROVED + hash.slice(2) + delegate,
        isTrue: model.approvals.has(approvalKey(hash, step.delegate)),
      };
    }),
  ].map(({ data, isTrue }) => ({ to, data: parseHex(data), isTrue }));
  const answers = await ask(chain, facts);
  for (const [i, { data, isTrue }] of facts.entries())
    assert.equal(answers[i], isTrue ? 1n : 0n, data);
  const committee = await chain.call({ to, data: COMMITTEE });
  assert.equal(
    committee,
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
export async function compareRebuilt(
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
  const rebuilt = { epoch, committee, unspent, fulfilled, approvals };
  assert.deepEqual(rebuilt, {
    epoch: model.epoch,
    committee: { members, threshold },
    unspent: model.unspent,
    fulfilled: model.fulfilled,
    approvals: model.approvals,
  });
}
