import {
  approvalDigest,
  buildTransition,
  type CommitteeChange,
  committeeChangeDigest,
  intentIdAt,
  type IntentId,
  parseAddress,
  parseCommitment,
  parseIntentId,
  parseStateId,
  parseUint64,
  type StateId,
  type Transition,
  transitionDigest,
  UINT64_MAX,
  VACANCY,
} from "../../../src/ledger/index.ts";
import type { Step } from "../../../src/simulation/chain-rpc/contracts/step.ts";
import { aSigner } from "../keys.ts";
import type { Random } from "../random.ts";
import { endorse } from "./endorse.ts";
import { mutate, type Scene, SIGNERS, ZERO } from "./scene.ts";

/** The next step in block `block`: about half of them valid, the others wrong in one way or two. */
export function nextStep(scene: Scene, block: bigint): Step {
  const { random, steps } = scene;
  const kind = random.below(20);
  if (kind === 0 && steps.length > 0) return random.pick(steps);
  if (kind <= 2) return committeeStep(scene, block);
  if (kind <= 5) return approveStep(scene, block);
  if (kind <= 9) return approvedStep(scene, block);
  const transition = aTransition(scene, block);
  const digest = transitionDigest(scene.model.domain, transition);
  return { type: "Execute", transition, endorsements: endorse(scene, digest) };
}

function approveStep(scene: Scene, block: bigint): Step {
  const { random, model } = scene;
  const old = scene.steps.filter((step) => step.type === "Approve");
  const [transition, delegate] =
    old.length > 0 && random.chance(0.2)
      ? [random.pick(old).transition, random.pick(old).delegate]
      : [aTransition(scene, block), random.pick(scene.accounts)];
  // Sometimes the members sign the transition itself, which is no approval.
  const digest = random.chance(0.05)
    ? transitionDigest(model.domain, transition)
    : approvalDigest(model.domain, transition, delegate);
  return {
    type: "Approve",
    transition,
    delegate,
    endorsements: endorse(scene, digest),
  };
}

function approvedStep(scene: Scene, block: bigint): Step {
  const { random } = scene;
  const approved = scene.steps.filter((step) => step.type === "Approve");
  if (approved.length === 0) return approveStep(scene, block);
  const { transition, delegate } = random.pick(approved);
  const caller = random.chance(0.8) ? delegate : random.pick(scene.accounts);
  return { type: "ExecuteApproved", transition, caller };
}

function committeeStep(scene: Scene, block: bigint): Step {
  const { random, model } = scene;
  const members = random
    .shuffle(Array.from({ length: SIGNERS }, (_, i) => aSigner(i).address))
    .slice(0, 1 + random.below(4));
  const sorted = [...members].sort();
  const change: CommitteeChange = mutate(
    scene,
    0.3,
    {
      epoch: parseUint64(model.epoch),
      members: sorted,
      threshold: 1 + random.below(sorted.length),
      validUntil: aDeadline(random, block),
    },
    [
      (valid) => ({ ...valid, epoch: parseUint64(valid.epoch + 1n) }),
      (valid) => ({ ...valid, validUntil: parseUint64(block - 1n) }),
      (valid) => ({ ...valid, threshold: 0 }),
      (valid) => ({ ...valid, threshold: valid.members.length + 1 }),
      (valid) => ({ ...valid, members: [...valid.members].reverse() }),
      (valid) => ({
        ...valid,
        members: [random.pick(sorted), ...valid.members],
      }),
      (valid) => ({
        ...valid,
        members: [parseAddress(ZERO.slice(0, 42)), ...valid.members],
      }),
      (valid) => ({ ...valid, members: [], threshold: 0 }),
      (valid) => ({
        ...valid,
        members: Array.from({ length: 256 }, () => random.pick(sorted)),
      }),
    ],
  );
  return {
    type: "ChangeCommittee",
    change,
    endorsements: endorse(scene, committeeChangeDigest(model.domain, change)),
  };
}

function aTransition(scene: Scene, block: bigint): Transition {
  const { random, model } = scene;
  const unspent = random.shuffle([...model.unspent]);
  const inputs = unspent.slice(0, random.below(4));
  const outputs = Array.from({ length: inputs.length + random.below(3) }, () =>
    random.chance(0.2) ? VACANCY : parseCommitment(random.bytes32()),
  );
  const valid = buildTransition({
    epoch: model.epoch,
    intents: Array.from({ length: 1 + random.below(3) }, () =>
      newIntent(scene),
    ),
    inputs,
    reads: random.shuffle(unspent).slice(0, random.below(3)),
    outputs: outputs.slice(
      0,
      random.chance(0.2) ? inputs.length >> 1 : outputs.length,
    ),
    details: random.bytes32(),
    validUntil: aDeadline(random, block),
    calls: random.chance(model.externalCalls ? 0.4 : 0.03)
      ? [random.pick(scene.calls)]
      : [],
  });
  const transition = mutate(scene, 0.4, valid, wrongTransitions(scene, block));
  for (const id of [...transition.inputs, ...transition.reads])
    scene.states.add(id);
  for (const id of transition.intents) scene.intents.add(id);
  return transition;
}

function wrongTransitions(
  scene: Scene,
  block: bigint,
): readonly ((valid: Transition) => Transition)[] {
  const { random } = scene;
  const anyState = (): StateId =>
    scene.states.size > 0 && random.chance(0.8)
      ? random.pick([...scene.states])
      : parseStateId(random.bytes32());
  const withInput = (valid: Transition, input: StateId): Transition => ({
    ...valid,
    inputs: [...valid.inputs, input].sort(),
    outputs: [...valid.outputs, VACANCY],
  });
  return [
    (valid) => ({ ...valid, intents: [] }),
    (valid) => ({
      ...valid,
      intents: [...valid.intents, ...valid.intents.slice(0, 1)],
    }),
    (valid) => ({
      ...valid,
      intents: [
        ...valid.intents,
        random.pick([...scene.intents, parseIntentId(ZERO)]),
      ],
    }),
    (valid) => withInput(valid, anyState()),
    (valid) => withInput(valid, valid.inputs[0] ?? anyState()),
    (valid) => withInput(valid, parseStateId(ZERO)),
    (valid) => ({ ...valid, inputs: [...valid.inputs].reverse() }),
    (valid) => ({ ...valid, reads: [...valid.reads, anyState()] }),
    (valid) => ({ ...valid, reads: [parseStateId(ZERO)] }),
    (valid) => ({ ...valid, outputs: valid.outputs.slice(1) }),
    (valid) => ({ ...valid, outputs: [] }),
    (valid) => ({ ...valid, epoch: parseUint64(valid.epoch + 1n) }),
    (valid) => ({
      ...valid,
      epoch: parseUint64(valid.epoch === 0n ? 7n : valid.epoch - 1n),
    }),
    (valid) => ({ ...valid, validUntil: parseUint64(block - 1n) }),
    (valid) => ({ ...valid, calls: [...scene.calls] }),
  ];
}

function newIntent(scene: Scene): IntentId {
  return scene.random.chance(0.2)
    ? parseIntentId(scene.random.bytes32())
    : intentIdAt(scene.lane, scene.series++);
}

/** No limit, the very next block, or some time. */
function aDeadline(
  random: Random,
  block: bigint,
): ReturnType<typeof parseUint64> {
  return parseUint64(
    random.pick([0n, 0n, UINT64_MAX, block, block + BigInt(random.below(4))]),
  );
}
