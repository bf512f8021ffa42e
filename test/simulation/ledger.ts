import { expect } from "chai";

import {
  hashing,
  intentIdOf,
  stateIdOf,
} from "../../src/simulation/hashing.ts";
import {
  execute,
  type ExecutedTransition,
  type LedgerState,
  undo,
} from "../../src/simulation/transition.ts";
import { type Chain, openChain } from "../helpers/chain.ts";
import { randomFrom } from "../helpers/random.ts";
import { aStep, bundleOf, nodeNamed } from "../helpers/simulated-group.ts";
import {
  type Attempt,
  drawAttempt,
  endorsementsOf,
  type Scene,
} from "../helpers/twin/attempt.ts";
import { Contract, effectOf, type Verdict } from "../helpers/twin/contract.ts";

// The simulated ledger against the real contract, over random sequences of bundles. A sequence is one group and depends
// on nothing but its seed: SEED=<number> SEQUENCES=1 runs a single one again.

const SEQUENCES = Number(process.env["SEQUENCES"] ?? 200);
const SEED = Number(process.env["SEED"] ?? 1);

/** How the simulated ledger takes a bundle: as it should, or sabotaged. */
type Execute = typeof execute;

const names = ["alice", "bob", "carol", "dave"].map(nodeNamed);
const counts = new Map<string, number>();

const sabotages: Readonly<Record<string, Execute>> = {
  "forgets that a state is spent": (ledger, group, call) => {
    const net = execute(ledger, group, call);
    if (typeof net !== "string")
      for (const { id, place } of net.taken) ledger.unspent.set(id, place);
    return net;
  },
  "forgets that an intent is fulfilled": (ledger, group, call) => {
    const net = execute(ledger, group, call);
    if (typeof net !== "string")
      for (const id of net.intents) ledger.fulfilled.delete(id);
    return net;
  },
  "takes a bundle one block too long": (ledger, group, call) =>
    execute(ledger, group, { ...call, block: call.block - 1 }),
  "is content with one endorsement less": (ledger, group, call) =>
    execute(ledger, { ...group, threshold: group.threshold - 1 }, call),
  "takes the endorsement of a stranger": (ledger, group, call) =>
    execute(
      ledger,
      { ...group, committee: [...group.committee, nodeNamed("mallory")] },
      call,
    ),
  "does not look at what is read": (ledger, group, call) => {
    const absent = call.bundle.steps
      .flatMap(({ reads }) => reads)
      .filter((id) => !ledger.unspent.has(id));
    const { places } = call.bundle;
    for (const { id, place } of places)
      if (absent.includes(id)) ledger.unspent.set(id, place);
    const net = execute(ledger, group, call);
    for (const id of absent) ledger.unspent.delete(id);
    return net;
  },
  "does not mind where a state is": (ledger, group, call) => {
    for (const { id, place } of call.bundle.places)
      if (ledger.unspent.has(id)) ledger.unspent.set(id, place);
    return execute(ledger, group, call);
  },
};

/** Outcomes that a long run must have met; a generator that no longer reaches one proves nothing. */
const reached = [
  "Done",
  "Undone",
  "Expired",
  "UnknownSigners",
  "InvalidEndorsement",
  "ThresholdNotReached",
  "NoIntent",
  "IntentFulfilled",
  "StateNotAvailable",
  "InputsNotAscending",
];

describe("The simulated ledger and the contract", function () {
  this.timeout(120_000);
  let chain: Chain;

  before(async () => {
    chain = await openChain();
  });

  it(`agree on ${SEQUENCES} random sequences`, async () => {
    counts.clear();
    for (let i = 0; i < SEQUENCES; i++)
      await runSequence(chain, SEED + i, execute);
    if (process.env["SHOW_COUNTS"] !== undefined)
      console.table([...counts].sort());
    if (SEQUENCES >= 200)
      expect([...counts.keys()]).to.include.members(reached);
  });

  it("agree on how large a transition can be", async () => {
    const group = { committee: names.slice(0, 1), threshold: 1, hashing };
    const contract = await Contract.create(chain, group);
    const refusalWith = async (reads: number): Promise<string[]> => {
      const ledger = { unspent: new Map(), fulfilled: new Map() };
      const attempt = readingAttempt(reads);
      const endorsements = endorsementsOf(attempt);
      const call = { bundle: attempt.bundle, endorsements, block: 1 };
      const verdict = await contract.execute(attempt);
      const reason = verdict.type === "Refused" ? verdict.reason : "";
      return [nameOf(execute(ledger, group, call)), reason];
    };
    const notThere = "StateNotAvailable";
    expect(await refusalWith(4_074)).to.deep.equal([notThere, notThere]);
    const tooLarge = "TransitionTooLarge";
    expect(await refusalWith(4_075)).to.deep.equal([tooLarge, tooLarge]);
  });

  for (const [name, sabotaged] of Object.entries(sabotages)) {
    it(`disagree when the simulated one ${name}`, async () => {
      let found: unknown;
      let seed = 0;
      while (found === undefined && ++seed <= 100)
        found = await runSequence(chain, seed, sabotaged).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
      expect(found)
        .to.be.an("error")
        .with.property("message")
        .that.includes(`SEED=${seed}`);
    });
  }
});

/** What the contract says of an input that cannot be spent. */
const inputRefusals: ReadonlySet<string> = new Set([
  "StateNotAvailable",
  "InputsNotAscending",
]);

function nameOf(outcome: ExecutedTransition | string): string {
  return typeof outcome === "string" ? outcome : "Done";
}

function count(name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** A bundle that reads many states that are not there. */
function readingAttempt(count: number): Attempt {
  const intentId = intentIdOf(0, 1);
  const [sender] = names;
  if (sender === undefined) throw new Error("nobody");
  const reads = Array.from({ length: count }, (_, index) =>
    stateIdOf({ intentId, index, content: "never" }),
  );
  const step = aStep({
    intentId,
    sender,
    reads,
  });
  return { bundle: bundleOf([step], 0), signers: new Map([[sender, "right"]]) };
}

async function runSequence(
  chain: Chain,
  seed: number,
  executeStep: Execute,
): Promise<void> {
  const random = randomFrom(seed);
  const committee = names.slice(0, 1 + random.below(names.length));
  const threshold = 1 + random.below(committee.length);
  const scene: Scene = {
    random,
    seed,
    committee,
    threshold,
    ledger: { unspent: new Map(), fulfilled: new Map() },
    places: new Map(),
    states: new Set(),
    intents: new Set(),
    attempts: [],
    next: 0,
  };
  const made: Attempt[] = [];
  try {
    const contract = await Contract.create(chain, scene);
    const length = 4 + random.below(6);
    while (made.length < length) {
      const goBack = random.chance(0.1) ? await chain.snapshot() : undefined;
      const done: ExecutedTransition[] = [];
      for (let i = 0; i < (goBack === undefined ? 1 : 2); i++) {
        const block = await contract.nextBlock();
        const attempt = drawAttempt(scene, block);
        made.push(attempt);
        const net = await compare(contract, scene, attempt, block, executeStep);
        if (net !== undefined) done.push(net);
      }
      if (goBack === undefined) continue;
      await goBack();
      for (const net of done.reverse()) undo(scene.ledger, net);
      if (done.length > 0) count("Undone");
    }
    await compareState(contract, scene);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(
      `With SEED=${seed} SEQUENCES=1: ${message}\n${JSON.stringify(made, undefined, 1)}`,
      { cause: error },
    );
  }
}

/** Gives an attempt to both, and expects them to say the same. */
async function compare(
  contract: Contract,
  { ledger, places, ...group }: Scene,
  attempt: Attempt,
  block: number,
  executeStep: Execute,
): Promise<ExecutedTransition | undefined> {
  const { bundle } = attempt;
  const isOpen = isOrderOpen(contract, ledger, attempt);
  const inputs = contract.inputsOf(bundle);
  const call = { bundle, endorsements: endorsementsOf(attempt), block };
  const net = executeStep(ledger, { ...group, hashing }, call);
  const verdict = await contract.execute(attempt);
  count(verdict.type === "Done" ? "Done" : verdict.reason);
  const expected: Verdict =
    typeof net === "string"
      ? { type: "Refused", reason: net }
      : {
          type: "Done",
          intents: net.intents,
          inputs,
          outputs: net.put.map(({ id, place }) => contract.nameOf(id, place)),
        };
  const isEither =
    isOpen && inputRefusals.has(nameOf(net)) && verdict.type === "Refused";
  if (isEither) expect([...inputRefusals]).to.include(verdict.reason);
  else expect(verdict).to.deep.equal(expected);
  if (typeof net === "string") return undefined;
  for (const { id, place } of net.put) places.set(id, place);
  return net;
}

/**
 * Whether several inputs are wrong in different ways. The contract looks at them in the order of their registers, which
 * the simulated ledger does not have.
 */
function isOrderOpen(
  contract: Contract,
  { unspent }: LedgerState,
  { bundle }: Attempt,
): boolean {
  const { inputs } = effectOf(bundle);
  if (contract.hasSharedRegister(bundle)) return true;
  const placeOf = new Map(bundle.places.map(({ id, place }) => [id, place]));
  const hasTwice = new Set(inputs).size < inputs.length;
  const isThere = (id: (typeof inputs)[number]): boolean =>
    unspent.has(id) && unspent.get(id) === placeOf.get(id);
  return hasTwice && !inputs.every(isThere);
}

async function compareState(
  contract: Contract,
  { ledger, places, states, intents }: Scene,
): Promise<void> {
  for (const id of states)
    expect(
      await contract.isUnspent(id, places.get(id)),
      `unspent ${id}`,
    ).to.equal(ledger.unspent.has(id));
  for (const id of intents)
    expect(await contract.isFulfilled(id), `fulfilled ${id}`).to.equal(
      ledger.fulfilled.has(id),
    );
}
