import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import { describeRound, planRounds, playRound } from "./harness/rounds.ts";
import { Scene } from "./harness/scene.ts";
import { openReplicaWorld, type ReplicaWorld } from "./harness/world.ts";

const {
  REPLICA_SEED = "1",
  REPLICA_ROUNDS: rounds,
  REPLICA_FAULT: only,
  REPLICA_OUT: kept,
} = process.env;
const seed = Number(REPLICA_SEED);
const plan = planRounds({
  seed,
  count: rounds === undefined ? undefined : Number(rounds),
  only,
});
const drawn = only === undefined ? "" : ` REPLICA_FAULT="${only}"`;
const again = `REPLICA_SEED=${seed} REPLICA_ROUNDS=${plan.length}${drawn} npx mocha --exit test/replica/nodes.ts`;

/** A node with replicas, each in a process of its own, in a group with two other nodes, under load and faults. */
describe("Replicas of a node under load", function () {
  this.timeout(600_000);
  let outDir: string;
  let world: ReplicaWorld | undefined;
  let scene: Scene;
  /** Until it is known to have begun well. */
  let hasFailed = true;

  before(async () => {
    outDir = kept ?? mkdtempSync(path.join(tmpdir(), "replica-nodes-"));
    world = await openReplicaWorld({
      outDir,
      replicas: ["r1", "r2", "r3"],
      lease: { leaseMs: 1_500, graceMs: 500, pollMs: 50 },
      blockMs: 300,
      // The role of the coordinator moves often, so that faults meet handovers.
      settings: { policy: "rotating", heartbeatMs: 500, pollMs: 150 },
    });
    scene = await Scene.open(world, {
      replicas: ["r1", "r2"],
      seed,
      load: { everyMs: 300, openMax: 10 },
    });
    hasFailed = false;
  });

  afterEach(function () {
    hasFailed ||= this.currentTest?.state === "failed";
  });

  after(async () => {
    await world?.stop();
    if (hasFailed) console.error(`Everything is in ${outDir}. Again: ${again}`);
    else if (kept === undefined) rmSync(outDir, { recursive: true });
  });

  beforeEach(function () {
    // What went wrong once makes all that comes later worthless.
    if (hasFailed) this.skip();
  });

  for (const [index, fault] of plan.entries())
    it(`keep every promise in round ${index + 1}: ${fault}`, async () => {
      const result = await playRound(scene, { fault, seed: seed + index });
      console.log(`      ${describeRound(result)}`);
      expect(result.problems, again).to.deep.equal([]);
    });

  it("have lost nothing and done nothing twice in the end", async () => {
    const problems = await scene.close();
    const { reader, subscriber, log } = scene;
    console.log(
      `      ${log.turns} turns in ${log.epoch} epochs, ${subscriber.receipts.length} receipts in ${subscriber.count.batches} batches, ${reader.count.answered} reads answered and ${reader.count.refused} refused`,
    );
    expect(problems, again).to.deep.equal([]);
  });
});
