import { join } from "node:path";

import { expect } from "chai";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { type CheckFact, checkLog } from "../../../src/replica/check.ts";
import { openSession } from "../../../src/replica/session.ts";
import { seldom } from "../../../tasks/database/seldom.ts";
import { PostgresServer } from "../../helpers/postgres.ts";
import { newSchema } from "../../helpers/replica.ts";
import type { ReplicaNode } from "../../helpers/replica-node.ts";
import { temporaryDirectory } from "../../helpers/stores.ts";
import { aDatabaseProject, aWriter, runTask } from "../helpers/database.ts";

const id = ["sequencer:database", "check"];
const name = "alice";

describe("sequencer:database check", function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  let hre: HardhatRuntimeEnvironment;
  let directory: ReturnType<typeof temporaryDirectory>;
  let writer: ReplicaNode;

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
    const file = join(directory.path, "r1.db");
    writer = await aWriter({ url: server.url, schema, name: "r1", file }, 12);
  });
  afterEach(async () => {
    await writer.replica.stop();
    directory.remove();
  });

  async function sql(text: string): Promise<void> {
    await server.query(text.replaceAll("$schema", schema));
  }

  /** What is damaged, as the task says. */
  async function damage(): Promise<string> {
    const { exitCode, facts } = await runTask(hre, id, { name });
    expect(exitCode).to.equal(1);
    const found = facts.filter(({ type }) => type === "damage");
    expect(facts.at(-1)).to.include({ problems: found.length });
    return found.map(({ problem }) => String(problem)).join("\n");
  }

  it("says what is there, while a replica is active", async () => {
    const { exitCode, facts } = await runTask(hre, id, { name });
    expect(exitCode).to.equal(0);
    const { head } = await onlyHead();
    expect(facts.map(({ type }) => type)).to.deep.equal([
      "server-checked",
      "tables-checked",
      "turns-checked",
      "statements-checked",
      "database-checked",
    ]);
    expect(facts[0]).to.include({ host: "127.0.0.1", user: "postgres" });
    expect(facts[1]).to.include({ schema, tables: 9 });
    expect(facts[2]).to.include({ first: 1, head, turns: head });
    expect(facts.at(-1)).to.include({ node: name, problems: 0 });
  });

  async function onlyHead(): Promise<{ head: number }> {
    const [row] = await server.query<{ head: number }>(
      `SELECT head_sequence::int AS head FROM ${schema}.bucket`,
    );
    return row ?? { head: -1 };
  }

  it("reads snapshots too, and a log whose first turns were trimmed", async () => {
    for (let n = 20; n < 23; n++) {
      await runTask(hre, ["sequencer:database", "snapshot"], { name });
      await writer.save(n);
    }
    const { exitCode, facts } = await runTask(hre, id, { name });
    expect(exitCode).to.equal(0);
    const snapshots = facts.filter(({ type }) => type === "snapshot-checked");
    expect(snapshots).to.have.length(2);
    const oldest = Number(snapshots.at(-1)?.["sequence"]);
    expect(facts.find(({ type }) => type === "turns-checked")).to.include({
      first: oldest + 1,
    });
    await sql(
      "DELETE FROM $schema.turn WHERE sequence <= (SELECT max(sequence) FROM $schema.snapshot)",
    );
    expect(await damage()).to.equal(`turn ${oldest + 1} is missing`);
    await sql("DELETE FROM $schema.snapshot");
    expect(await damage()).to.include("missing, and there is no snapshot");
  });

  it("finds turns that are altered, exchanged, missing or of another epoch", async () => {
    await sql(
      "UPDATE $schema.turn SET body = set_byte(body, length(body) - 1, 255 - get_byte(body, length(body) - 1)) WHERE sequence = 5",
    );
    expect(await damage()).to.include("turn 5 does not follow turn 4");
    await sql("DELETE FROM $schema.turn WHERE sequence IN (5, 6)");
    expect(await damage()).to.equal("turns 5 to 6 are missing");
    await sql("UPDATE $schema.turn SET epoch = 7 WHERE sequence = 8");
    expect(await damage()).to.include("turn 8 has epoch 7");
  });

  it("finds a head that is not that of the last turn", async () => {
    await writer.replica.stop();
    await sql("DELETE FROM $schema.turn WHERE sequence >= 12");
    expect(await damage()).to.match(/turns? 12 .* missing at the end/);
    await sql("UPDATE $schema.bucket SET head_sequence = 11");
    expect(await damage()).to.equal(
      "the hash of the head differs from that of turn 11",
    );
    await sql("UPDATE $schema.bucket SET head_sequence = 10");
    expect(await damage()).to.equal(
      "there is turn 11, and the log ends with turn 10",
    );
  });

  it("tells twenty problems of turns, and how many more there are", async () => {
    for (let n = 12; n < 30; n++) await writer.save(n);
    await sql("UPDATE $schema.turn SET hash = sha256(hash)");
    const lines = (await damage()).split("\n");
    expect(lines).to.have.length(21);
    expect(lines[20]).to.match(/^\d+ more problems of turns$/);
  });

  it("finds statements that are altered or missing", async () => {
    await sql(
      "UPDATE $schema.statement SET sql = sql || ' ' WHERE id = (SELECT min(id) FROM $schema.statement)",
    );
    expect(await damage()).to.match(/^the statement \w{16} is not the one/);
    await sql("DELETE FROM $schema.statement");
    expect(await damage()).to.include(
      "turn 1 cannot be read: Unknown statement",
    );
  });

  it("finds snapshots that are not complete, altered, or of another log", async () => {
    await runTask(hre, ["sequencer:database", "snapshot"], { name });
    await sql("UPDATE $schema.snapshot SET hash = sha256(hash)");
    expect(await damage()).to.match(
      /another hash than that turn\n.*the store in it/,
    );
    await sql(
      "UPDATE $schema.snapshot_part SET bytes = set_byte(bytes, 5000, 255 - get_byte(bytes, 5000))",
    );
    expect(await damage()).to.include("its bytes are not those");
    await sql("DELETE FROM $schema.snapshot_part");
    expect(await damage()).to.include("part 0 of 1 is missing");
  });

  it("finds tables that are missing, and what its user may not do", async () => {
    await sql("DROP TABLE $schema.replica");
    expect(await damage()).to.equal(`the table ${schema}.replica is missing`);
    const user = `reader_${schema}`;
    await sql(
      `CREATE USER ${user}; GRANT USAGE ON SCHEMA $schema TO ${user}; GRANT SELECT ON ALL TABLES IN SCHEMA $schema TO ${user}`,
    );
    const url = server.url.replace("postgres@", `${user}@`);
    hre = await aDatabaseProject({ url, schema });
    expect(await damage()).to.include(
      `no right to INSERT, UPDATE, DELETE in the table ${schema}.turn`,
    );
    await sql(`REVOKE SELECT ON $schema.turn FROM ${user}`);
    expect(await damage()).to.include("no right to SELECT, INSERT");
  });

  it("prints one line for each fact", async () => {
    const { lines } = await runTask(hre, id, { name, json: false });
    expect(lines[0]).to.match(
      /^Server: PostgreSQL \d+.* at 127.0.0.1, as postgres$/,
    );
    expect(lines.at(-1)).to.match(
      /^alice: nothing is damaged, after \d+\.\d s$/,
    );
    await sql("DELETE FROM $schema.turn WHERE sequence = 3");
    const damaged = await runTask(hre, id, { name, json: false });
    expect(damaged.lines).to.include("DAMAGED: turn 3 is missing");
  });
});

describe("the progress of sequencer:database", () => {
  it("is told at most once a second", () => {
    let now = 5;
    const isTime = seldom(() => now);
    const told: number[] = [];
    for (; now <= 2_500; now += 5) if (isTime()) told.push(now);
    expect(told).to.deep.equal([1_005, 2_005]);
  });

  it("counts turns, and parts of snapshots", async function () {
    this.timeout(60_000);
    const server = await PostgresServer.start();
    const directory = temporaryDirectory();
    try {
      const schema = await newSchema(server);
      const place = (file: string): string => join(directory.path, file);
      const { url } = server;
      const writer = await aWriter(
        { url, schema, name: "r1", file: place("r1.db") },
        3,
      );
      await writer.save(3, "x".repeat(3_000_000));
      const hre = await aDatabaseProject({ url, schema });
      await runTask(hre, ["sequencer:database", "snapshot"], { name });
      const client = await openSession({
        url,
        name: "check",
        idleMs: undefined,
        requestMs: 5_000,
      });
      const progress: CheckFact[] = [];
      const file = place("draft.db");
      await checkLog(client, { schema, bucket: 0, file }, (fact) => {
        if (fact.type === "check-progress") progress.push(fact);
      });
      await client.end();
      await writer.replica.stop();
      const [turns, ...parts] = progress;
      expect(turns).to.include({ part: "turns" });
      expect(parts.length).to.be.greaterThan(2);
      expect(parts).to.deep.equal(
        parts.map((_, index) => ({
          type: "check-progress",
          part: "snapshot",
          done: index + 1,
          of: parts.length,
        })),
      );
    } finally {
      directory.remove();
      await server.stop();
    }
  });
});
