import { expect } from "chai";
import fc from "fast-check";

import type {
  Candidate,
  Observation,
  Step,
} from "../../src/supervisor/election.ts";
import {
  type Action,
  type Decision,
  ElectionWorld,
  names,
  options,
  windowSize,
} from "../helpers/supervisor/election-world.ts";

/** More in long runs. */
const numRuns = Number(process.env["SEQUENCER_ELECTION_RUNS"] ?? 2_000);

const name = fc.constantFrom(...names);
const supervisor = fc.constantFrom(0 as const, 1 as const);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ does: fc.constant("round" as const), supervisor }),
  },
  fc.record({ does: fc.constant("late step" as const), supervisor }),
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom(
        "append" as const,
        "take" as const,
        "die" as const,
        "switch" as const,
        "grant is lost" as const,
        "time passes" as const,
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom(
        "break" as const,
        "mend" as const,
        "cut" as const,
        "join" as const,
        "fork" as const,
        "catch up" as const,
      ),
      name,
    }),
  },
  fc.record({
    does: fc.constant("wish" as const),
    name,
    isForced: fc.boolean(),
  }),
);

const history = fc.array(action, { maxLength: 80, size: "max" });

function after(actions: readonly Action[]): ElectionWorld {
  const world = new ElectionWorld();
  world.takeFreeLease();
  for (const one of actions) world.do(one);
  return world;
}

function check(holds: (decision: Decision, world: ElectionWorld) => void) {
  return (): void => {
    fc.assert(
      fc.property(history, (actions) => {
        const world = after(actions);
        for (const decision of world.decisions) holds(decision, world);
      }),
      { numRuns },
    );
  };
}

const grantOf = ({
  step,
}: Decision): (Step & { readonly type: "grant" }) | undefined =>
  step.type === "grant" ? step : undefined;

const hasHash = ({ applied }: Candidate, { head }: Observation): boolean =>
  applied?.sequence === head.sequence && applied.hash === head.hash;

/** Whether it lacks a few turns at most, and has no others. */
const follows = (one: Candidate, observation: Observation): boolean => {
  const behind =
    observation.head.sequence - (one.applied?.sequence ?? -Infinity);
  if (behind > options.lagMax || behind < 0) return false;
  return behind > 0 || hasHash(one, observation);
};

describe("Election", function () {
  this.timeout(600_000);

  it("grants each epoch at most once", () => {
    fc.assert(
      fc.property(history, (actions) => {
        const { grantedEpochs } = after(actions);
        expect(new Set(grantedEpochs).size).to.equal(grantedEpochs.length);
      }),
      { numRuns },
    );
  });

  it(
    "grants a stopped log only, under its epoch and with its head",
    check((decision) => {
      const grant = grantOf(decision);
      if (grant === undefined) return;
      const { epoch, head, isStopped, trustedForMs } = decision.observation;
      expect(trustedForMs).to.equal(0);
      expect({ isStopped, epoch, head }).to.deep.equal({
        isStopped: true,
        epoch: grant.epoch,
        head: grant.head,
      });
    }),
  );

  it(
    "grants nothing to a replica that does not answer, or without the stopped hash, also if it is forced",
    check((decision) => {
      const grant = grantOf(decision);
      if (grant === undefined) return;
      const { observation } = decision;
      const target = observation.replicas.find(({ name }) => name === grant.to);
      expect(target?.isAnswering).to.equal(true);
      expect(target && hasHash(target, observation)).to.equal(true);
    }),
  );

  it(
    "grants to healthy replicas only, unless it is forced",
    check((decision) => {
      const grant = grantOf(decision);
      if (grant === undefined || grant.reason === "forced") return;
      const { replicas } = decision.observation;
      const target = replicas.find(({ name }) => name === grant.to);
      expect(target?.health).to.equal("healthy");
      expect(target?.problem).to.equal(undefined);
    }),
  );

  it(
    "chooses the one whose last tenure is longest ago",
    check((decision) => {
      const grant = grantOf(decision);
      if (grant?.reason !== "elected") return;
      const { observation } = decision;
      const target = observation.replicas.find(({ name }) => name === grant.to);
      const others = observation.replicas.filter(
        (one) =>
          one.isAnswering &&
          one.health === "healthy" &&
          one.problem === undefined &&
          hasHash(one, observation),
      );
      const oldest = Math.min(...others.map(({ lastTenure }) => lastTenure));
      expect(target?.lastTenure).to.equal(oldest);
    }),
  );

  it(
    "revokes without a wish only an unhealthy master, after its minimum tenure, if another replica is healthy",
    check(({ step, observation }) => {
      if (step.type !== "revoke" || step.reason !== "unhealthy") return;
      const { master, replicas, tenureMs } = observation;
      const { isElectionOn, isStopped } = observation;
      expect({ isElectionOn, isStopped }).to.deep.equal({
        isElectionOn: true,
        isStopped: false,
      });
      expect(tenureMs).to.be.at.least(options.tenureMsMin);
      expect(step.master).to.equal(master);
      expect(step.epoch).to.equal(observation.epoch);
      const of = (wanted: string | undefined) =>
        replicas.filter(({ name }) => name === wanted);
      expect(of(master).map(({ health }) => health)).to.deep.equal([
        "unhealthy",
      ]);
      expect(
        replicas.some(
          (one) =>
            one.name !== master &&
            one.isAnswering &&
            one.health === "healthy" &&
            one.problem === undefined &&
            follows(one, observation),
        ),
      ).to.equal(true);
    }),
  );

  it(
    "does nothing by itself while elections are stopped, and says if nobody can be active then",
    check(({ step, observation: { isElectionOn, isStopped, wish } }) => {
      if (!isElectionOn && wish === undefined)
        expect(step).to.deep.equal({
          type: "wait",
          reason: isStopped ? "nobody-may-begin" : "elections-are-stopped",
        });
    }),
  );

  it(
    "refuses wishes for unhealthy replicas before anything is changed, unless they are forced",
    check(({ step, observation: { wish, replicas } }) => {
      if (wish === undefined || wish.isForced) return;
      if (step.type !== "revoke") return;
      expect(step.reason).to.equal("wish");
      const target = replicas.find(({ name }) => name === wish.name);
      expect(target?.health).to.equal("healthy");
      expect(target?.problem).to.equal(undefined);
    }),
  );

  it(
    "says of what was forced that it was",
    check(({ step, observation: { wish } }) => {
      if (step.type !== "revoke" && step.type !== "grant") return;
      expect(step.reason === "forced").to.equal(wish?.isForced === true);
    }),
  );

  it("comes to a healthy master when a healthy replica has the hash", () => {
    fc.assert(
      fc.property(history, supervisor, (actions, one) => {
        const world = after(actions);
        if (!world.isElectionOn) world.do({ does: "switch" });
        for (const name of names) world.do({ does: "catch up", name });
        if (!names.some((name) => world.isGood(name))) return;
        // A grant of the history may still be lost, and a wish be refused.
        const roundsMax = options.tenureMsMin / 1_000 + windowSize + 6;
        for (let n = 0; n < 2 * roundsMax; n++) {
          world.takeFreeLease();
          world.do({ does: "round", supervisor: one });
          for (const name of names) world.do({ does: "catch up", name });
        }
        const { master } = world;
        expect(master !== undefined && world.isGood(master)).to.equal(true);
      }),
      { numRuns },
    );
  });
});
