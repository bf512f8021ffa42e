import {
  type Address,
  approvalDigest,
  buildTransition,
  type CommitteeChange,
  committeeChangeDigest,
  type CompactSignature,
  type Digest,
  type Endorsements,
  type ExternalCall,
  intentIdAt,
  type IntentId,
  type Lane,
  ledgerDomain,
  packEndorsements,
  parseAddress,
  parseBytes32,
  parseCommitment,
  parseIntentId,
  parseLane,
  parseStateId,
  parseUint64,
  type StateId,
  type Transition,
  transitionDigest,
  VACANCY,
} from "../../src/ledger/index.ts";
import { aSigner, type Signer } from "./keys.ts";
import type { Model, Step } from "./ledger-model.ts";
import type { Random } from "./random.ts";

/** Everything that steps may refer to: what was seen so far, and where calls can go. */
export interface Scene {
  readonly random: Random;
  readonly model: Model;
  readonly accounts: readonly Address[];
  readonly calls: readonly ExternalCall[];
  readonly lane: Lane;
  series: bigint;
  readonly states: Set<StateId>;
  readonly intents: Set<IntentId>;
  readonly steps: Step[];
}

const ZERO = `0x${"00".repeat(32)}`;
const SIGNERS = 8;

export function aScene(
  parts: Pick<Scene, "random" | "model" | "accounts" | "calls">,
): Scene {
  return {
    ...parts,
    lane: parseLane(parts.random.bytes32().slice(0, 50)),
    // Starts close to the end of a word, so that some transitions use two.
    series: BigInt(250 + parts.random.below(8)),
    states: new Set(),
    intents: new Set(),
    steps: [],
  };
}

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

/** Signatures over a digest: all is well most of the time, and there may be more of them than needed. */
function endorse(scene: Scene, digest: Digest): Endorsements {
  const { random, model } = scene;
  const { members, threshold } = model.committee;
  const count = random.chance(0.05)
    ? threshold - 1
    : threshold + random.below(members.length - threshold + 1);
  const signers = random.shuffle(members).slice(0, count).map(signerOf);
  const valid = packEndorsements(
    model.committee,
    signers.map(({ address, sign }) => ({
      member: address,
      signature: sign(digest),
    })),
  );
  const inOrder = [...signers].sort((a, b) => (a.address < b.address ? -1 : 1));
  valid.signatures.forEach(({ r, vs }, i) => {
    const signer = inOrder[i];
    if (signer !== undefined)
      model.signedBy.set(digest + r + vs, signer.address);
  });
  return mutate(scene, 0.15, valid, wrongEndorsements(scene, digest));
}

function wrongEndorsements(
  scene: Scene,
  digest: Digest,
): readonly ((valid: Endorsements) => Endorsements)[] {
  const { random, model } = scene;
  const replaceOne = (
    valid: Endorsements,
    by: (old: CompactSignature) => CompactSignature,
  ): Endorsements => {
    const at = random.below(Math.max(1, valid.signatures.length));
    return {
      ...valid,
      signatures: valid.signatures.map((old, i) => (i === at ? by(old) : old)),
    };
  };
  const signedAs = (signer: Signer, over: Digest): CompactSignature => {
    const packed = packEndorsements({ members: [signer.address] }, [
      { member: 0, signature: signer.sign(over) },
    ]);
    const [signature] = packed.signatures;
    if (signature === undefined) throw new Error("There is one signature.");
    return signature;
  };
  const elsewhere = ledgerDomain({
    chainId: model.domain.chainId,
    group: aSigner(SIGNERS).address,
  });
  const foreign = transitionDigest(
    elsewhere,
    buildTransition({ epoch: 0n, intents: [parseIntentId(ZERO)] }),
  );
  const topBit = (vs: string): ReturnType<typeof parseBytes32> =>
    parseBytes32(
      `0x${(Number.parseInt(vs.charAt(2), 16) ^ 8).toString(16)}${vs.slice(3)}`,
    );
  return [
    (valid) => ({
      ...valid,
      signers: valid.signers | (1n << BigInt(model.committee.members.length)),
    }),
    (valid) => ({ ...valid, signers: valid.signers | (1n << 255n) }),
    (valid) => ({ ...valid, signatures: valid.signatures.slice(1) }),
    (valid) => ({
      ...valid,
      signatures: [...valid.signatures, ...valid.signatures.slice(0, 1)],
    }),
    (valid) => ({ ...valid, signatures: [...valid.signatures].reverse() }),
    (valid) => replaceOne(valid, () => signedAs(aSigner(SIGNERS + 1), digest)),
    (valid) =>
      replaceOne(valid, () =>
        signedAs(signerOf(random.pick(model.committee.members)), foreign),
      ),
    (valid) => replaceOne(valid, ({ r, vs }) => ({ r, vs: topBit(vs) })),
    (valid) => replaceOne(valid, ({ vs }) => ({ r: parseBytes32(ZERO), vs })),
    (valid) =>
      replaceOne(valid, ({ r }) => ({
        r,
        vs: parseBytes32(`0x7f${"ff".repeat(31)}`),
      })),
    (valid) =>
      replaceOne(valid, () => ({ r: random.bytes32(), vs: random.bytes32() })),
    () => ({ signers: 0n, signatures: [] }),
  ];
}

/** Changes something with a certain probability, and then sometimes something else too. */
function mutate<Value>(
  { random }: Scene,
  probability: number,
  valid: Value,
  mutations: readonly ((value: Value) => Value)[],
): Value {
  if (!random.chance(probability)) return valid;
  const once = random.pick(mutations)(valid);
  return random.chance(0.2) ? random.pick(mutations)(once) : once;
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
    random.pick([0n, 0n, block, block + BigInt(random.below(4))]),
  );
}

function signerOf(address: Address): Signer {
  for (let i = 0; i < SIGNERS; i++)
    if (aSigner(i).address === address) return aSigner(i);
  throw new Error(`${address} has no key here.`);
}
