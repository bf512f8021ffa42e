import { join } from "node:path";

import { expect } from "chai";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { PostgresServer } from "../../helpers/postgres.ts";
import { newSchema } from "../../helpers/replica.ts";
import { ReplicaNode } from "../../helpers/replica-node.ts";
import { temporaryDirectory } from "../../helpers/stores.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { aDatabaseProject, aWriter, runTask } from "../helpers/database.ts";

const id = ["sequencer:replicas"];
const name = "alice";

describe("sequencer:replicas", function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  let hre: HardhatRuntimeEnvironment;
  let directory: ReturnType<typeof temporaryDirectory>;
  const nodes: ReplicaNode[] = [];

  before(async () => {
    server = await PostgresServer.start();
  });
  after(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    schema = await newSchema(server);
    directory = temporaryDirectory();
    hre = await aDatabaseProject({ url: server.url, schema });
  });
  afterEach(async () => {
    for (const { replica } of nodes.splice(0)) await replica.stop();
    directory.remove();
  });

  const settings = (
    replica: string,
  ): ConstructorParameters<typeof ReplicaNode>[0] => ({
    url: server.url,
    schema,
    name: replica,
    file: join(directory.path, `${replica}.db`),
    about: {
      version: "1.2.3",
      rpc: `http://${replica}.example:8550`,
      peersAddress: `${replica}.example:8650`,
    },
  });

  /** An active replica with some turns, and a passive one that has been seen. */
  async function two(): Promise<{ r1: ReplicaNode; r2: ReplicaNode }> {
    const r1 = await aWriter(settings("r1"), 5);
    nodes.push(r1);
    const r2 = new ReplicaNode(settings("r2"));
    nodes.push(r2);
    await r2.replica.start();
    for (;;) {
      const { replicas } = await r1.replica.status();
      if (replicas.some((one) => one.name === "r2" && one.lag === 0)) break;
    }
    return { r1, r2 };
  }

  it("shows who is active, the log, and how far each replica is", async () => {
    await two();
    await runTask(hre, ["sequencer:database", "snapshot"], { name });
    const { facts, exitCode } = await runTask(hre, id, { name });
    expect(exitCode).to.equal(0);
    const [node, first, second] = facts;
    expect(facts).to.have.length(3);
    expect(node).to.include({
      type: "replicas",
      node: name,
      active: "r1",
      epoch: 1,
      isStopped: false,
    });
    expect(node?.["snapshot"]).to.equal(node?.["head"]);
    expect(Date.parse(String(node?.["since"]))).to.be.closeTo(
      Date.now(),
      60_000,
    );
    expect(first).to.include({
      type: "replica",
      name: "r1",
      role: "active",
      isAway: false,
      version: "1.2.3",
      rpc: "http://r1.example:8550",
      peersAddress: "r1.example:8650",
    });
    expect(second).to.include({ name: "r2", role: "passive", lag: 0 });
    expect(second?.["applied"]).to.equal(node?.["head"]);
  });

  it("makes another one active, and says how long that took", async () => {
    const { r1, r2 } = await two();
    const { facts } = await runTask(hre, id, { name, promote: "r2" });
    expect(facts.map(({ type }) => type)).to.deep.equal([
      "promoting",
      "promoted",
      "replicas",
      "replica",
      "replica",
    ]);
    expect(facts[0]).to.include({ replica: "r2", from: "r1" });
    expect(facts[1]).to.include({ replica: "r2", epoch: 2 });
    expect(facts[1]?.["elapsedMs"]).to.be.within(1, 10_000);
    expect(facts[2]).to.include({ active: "r2", epoch: 2 });
    await r2.untilRole("active");
    expect(r1.replica.role).to.equal("passive");
    const again = await runTask(hre, id, { name, promote: "r2", json: false });
    expect(again.lines[0]).to.match(/^r2 is active, after \d/);
  });

  it("refuses to make one active that is not there or not ready, and changes nothing", async () => {
    const none = await expectError(
      "REPLICA_NOT_READY",
      async () => await runTask(hre, id, { name, promote: "r9" }),
    );
    expect(none.message).to.include("which knows none");
    const { r1, r2 } = await two();
    const { message } = await expectError(
      "REPLICA_NOT_READY",
      async () => await runTask(hre, id, { name, promote: "r9" }),
    );
    expect(message).to.include("r9").and.include("r1, r2");
    await r2.replica.stop();
    await expectError(
      "REPLICA_NOT_READY",
      async () => await runTask(hre, id, { name, promote: "r2" }),
    );
    expect(r1.replica.role).to.equal("active");
  });

  it("shows a replica as away that has not been seen for longer than the lease", async () => {
    await two();
    await server.query(
      `UPDATE ${schema}.replica SET seen = seen - interval '1 hour' WHERE name = 'r2'`,
    );
    await server.query(
      `INSERT INTO ${schema}.replica (name, instance, version, role, applied_sequence, seen)
       VALUES ('r0', 'none', '1.0.0', 'passive', 1, now() - interval '1 hour')`,
    );
    const { facts } = await runTask(hre, id, { name });
    expect(facts.find((one) => one["name"] === "r0")).to.include({
      isAway: true,
      role: "passive",
      rpc: null,
    });
    const { lines } = await runTask(hre, id, { name, json: false });
    expect(lines[0]).to.match(
      /^alice: r1 is active since .*, epoch 1, turn \d+, no snapshot$/,
    );
    expect(lines.find((line) => line.startsWith("r0"))).to.include(
      "away (was passive)",
    );
    expect(lines.find((line) => line.startsWith("r1"))).to.include(
      "http://r1.example:8550",
    );
  });

  it("works when no replica runs, and says that none is active", async () => {
    const { r1, r2 } = await two();
    await r1.replica.stop();
    await r2.untilRole("active");
    await r2.replica.stop();
    const { facts, exitCode } = await runTask(hre, id, { name });
    expect(exitCode).to.equal(0);
    expect(facts[0]).to.include({ active: null });
    const { lines } = await runTask(hre, id, { name, json: false });
    expect(lines[0]).to.include("no replica is active since");
  });
});
