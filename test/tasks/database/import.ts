import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

import { expect } from "chai";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { prepareSchema } from "../../../src/replica/prepare.ts";
import { openSession } from "../../../src/replica/session.ts";
import { storeKindOf } from "../../../src/store/log/kind.ts";
import { openStore } from "../../../src/store/store.ts";
import { refuseLogged } from "../../../tasks/shared/store-log.ts";
import { PostgresServer } from "../../helpers/postgres.ts";
import { tablesOf } from "../../helpers/recorded-disk.ts";
import { newSchema } from "../../helpers/replica.ts";
import { ReplicaNode } from "../../helpers/replica-node.ts";
import { temporaryDirectory } from "../../helpers/stores.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import {
  aDatabaseProject,
  aLoneStore,
  aWriter,
  runTask,
} from "../helpers/database.ts";

const id = ["sequencer:database", "import"];
const name = "alice";
const intents = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index);

describe("sequencer:database import", function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  let hre: HardhatRuntimeEnvironment;
  let directory: ReturnType<typeof temporaryDirectory>;
  let file: string;
  let schemas = 0;
  const nodes: ReplicaNode[] = [];

  before(async () => {
    server = await PostgresServer.start();
  });
  after(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    // The task makes the tables itself.
    schema = `imported_${++schemas}`;
    directory = temporaryDirectory();
    hre = await aDatabaseProject({ url: server.url, schema });
    mkdirSync(join(directory.path, name));
    file = join(directory.path, name, "node.db");
  });
  afterEach(async () => {
    for (const { replica } of nodes.splice(0)) await replica.stop();
    directory.remove();
  });

  async function imported(): Promise<Readonly<Record<string, unknown>>> {
    const dataDir = directory.path;
    const { facts } = await runTask(hre, id, { name, dataDir });
    expect(facts).to.have.length(1);
    return facts[0] ?? {};
  }

  function tables(): ReturnType<typeof tablesOf> {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return tablesOf(database);
    } finally {
      database.close();
    }
  }

  async function active(replica: string, own: string): Promise<ReplicaNode> {
    const node = new ReplicaNode({
      url: server.url,
      schema,
      name: replica,
      file: own,
    });
    nodes.push(node);
    await node.replica.start();
    await node.untilRole("active");
    return node;
  }

  it("lets the log begin with the store, and its replica go on with the next boot", async () => {
    aLoneStore(file, 7);
    const before = tables();
    expect(storeKindOf(file)).to.equal("alone");
    refuseLogged({ node: name, file });
    expect(await imported()).to.include({
      type: "store-imported",
      node: name,
      file,
      wasThere: false,
    });
    expect(tables()).to.deep.equal(before);
    expect(storeKindOf(file)).to.equal("logged");
    await expectError("DATABASE_REQUIRED", () => {
      refuseLogged({ node: name, file });
    });
    const r1 = await active("r1", file);
    expect(r1.saved()).to.deep.equal(intents(7));
    expect(r1.store?.boot).to.equal(2);
    expect(r1.facts.filter(({ type }) => type === "Rebuilt")).to.deep.equal([]);
    await r1.save(7);
  });

  it("is where all later replicas begin, and the log counts from there", async () => {
    aLoneStore(file, 5);
    await imported();
    const r2 = await active("r2", join(directory.path, "r2.db"));
    expect(r2.saved()).to.deep.equal(intents(5));
    const rebuilt = await r2.untilFact("Rebuilt");
    expect(rebuilt.snapshot).to.equal(1);
    await r2.save(5);
    await r2.replica.stop();
    const { facts, exitCode } = await runTask(
      hre,
      ["sequencer:database", "check"],
      { name },
    );
    expect(exitCode).to.equal(0);
    expect(facts.find(({ type }) => type === "turns-checked")).to.include({
      first: 2,
    });
    const r1 = await active("r1", file);
    expect(r1.saved()).to.deep.equal(intents(6));
  });

  it("can be restored before any replica has started", async () => {
    aLoneStore(file, 3);
    await imported();
    const copy = join(directory.path, "copy.db");
    await runTask(hre, ["sequencer:database", "restore"], { name, file: copy });
    expect(readFileSync(copy).length).to.be.greaterThan(4_096);
    const turns = ["sequencer:database", "turns"];
    const { facts } = await runTask(hre, turns, { name });
    expect(facts).to.deep.equal([]);
    const { lines } = await runTask(hre, turns, { name, json: false });
    expect(lines).to.deep.equal(["The log has no turns to print"]);
    const r2 = await active("r2", copy);
    expect(r2.saved()).to.deep.equal(intents(3));
  });

  it("completes what an earlier import has begun", async () => {
    aLoneStore(file, 4);
    const before = readFileSync(file);
    await imported();
    // As if the process had ended before the store got its place.
    writeFileSync(file, before);
    expect(await imported()).to.include({ wasThere: true });
    expect(storeKindOf(file)).to.equal("logged");
    const r1 = await active("r1", file);
    expect(r1.saved()).to.deep.equal(intents(4));
    expect(r1.facts.filter(({ type }) => type === "Rebuilt")).to.deep.equal([]);
    // The log has more than the store now.
    await r1.replica.stop();
    nodes.pop();
    writeFileSync(file, before);
    await expectError("DATABASE_NOT_EMPTY", imported);
  });

  it("begins anew where an earlier import ended before the log had the store", async () => {
    aLoneStore(file, 4);
    await prepareSchema({
      url: server.url,
      schema,
      buckets: 1,
      requestMs: 5_000,
    });
    await server.query(
      `INSERT INTO ${schema}.snapshot_part VALUES (0, 1, 0, 'half'), (0, 1, 7, 'of it');
       UPDATE ${schema}.bucket SET epoch = 1, owner = 'import', instance = 'that ended'`,
    );
    expect(await imported()).to.include({ wasThere: false });
    const r2 = await active("r2", join(directory.path, "r2.db"));
    expect(r2.saved()).to.deep.equal(intents(4));
    const check = ["sequencer:database", "check"];
    expect((await runTask(hre, check, { name })).exitCode).to.equal(0);
  });

  it("refuses a log that is not empty, and changes nothing", async () => {
    aLoneStore(file, 4);
    schema = await newSchema(server);
    hre = await aDatabaseProject({ url: server.url, schema });
    const own = join(directory.path, "r1.db");
    nodes.push(
      await aWriter({ url: server.url, schema, name: "r1", file: own }, 2),
    );
    const before = readFileSync(file);
    await expectError("DATABASE_NOT_EMPTY", imported);
    expect(readFileSync(file)).to.deep.equal(before);
    const snapshots = await server.query(`SELECT FROM ${schema}.snapshot_part`);
    expect(snapshots).to.deep.equal([]);
  });

  it("refuses a log whose lease another process has", async () => {
    aLoneStore(file, 1);
    schema = await newSchema(server);
    hre = await aDatabaseProject({
      url: server.url,
      schema,
      leaseMs: 500,
      graceMs: 100,
    });
    const holder = await openSession({
      url: server.url,
      name: "holder",
      idleMs: undefined,
      requestMs: 5_000,
    });
    await holder.query(
      `SELECT pg_advisory_lock('${schema}.bucket'::regclass::oid::int, 0)`,
    );
    await expectError("DATABASE_BUSY", imported);
    await holder.end();
    await imported();
  });

  it("refuses a store that another process has, that belongs to a log, or is not there", async () => {
    const dataDir = directory.path;
    await expectError("STORE_MISSING", imported);
    const store = openStore({ file }, { randomBytes });
    await expectError("DATA_DIR_LOCKED", imported);
    store.close();
    await imported();
    await expectError("STORE_BELONGS_TO_LOG", imported);
    expect(readdirSync(dataDir)).to.deep.equal([name]);
  });
});
