import { randomBytes } from "node:crypto";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "chai";

import { machineTimers } from "../../src/async/timers.ts";
import { Acknowledged } from "../../src/replica/acknowledged.ts";
import { Control } from "../../src/replica/control.ts";
import { ReplicaError } from "../../src/replica/errors.ts";
import {
  acknowledgedFileOf,
  LogFollower,
} from "../../src/replica/log-follower.ts";
import { openMachineDisk } from "../../src/store/disk.ts";
import { storeKindOf } from "../../src/store/log/kind.ts";
import { openStore } from "../../src/store/store.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { PostgresServer } from "../helpers/postgres.ts";
import { newSchema } from "../helpers/replica.ts";
import { aNode, ReplicaNode } from "../helpers/replica-node.ts";
import {
  anIntentRecord,
  groupAt,
  temporaryDirectory,
} from "../helpers/stores.ts";

describe("A store that was written without a database", function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  let directory: ReturnType<typeof temporaryDirectory>;
  let file: string;

  before(async () => {
    server = await PostgresServer.start();
  });
  after(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    schema = await newSchema(server);
    directory = temporaryDirectory();
    file = join(directory.path, "node.db");
  });
  afterEach(() => {
    directory.remove();
  });

  /** Of a node that was killed: its last writes are only in the log of SQLite. */
  function aStore(how: "closed" | "killed"): void {
    const made = how === "closed" ? file : `${file}.live`;
    const store = openStore({ file: made }, { randomBytes });
    store.write(() => {
      store.records.save(groupAt(1), anIntentRecord(1));
    });
    if (how === "killed")
      for (const suffix of ["", "-wal"])
        cpSync(`${made}${suffix}`, `${file}${suffix}`);
    store.close();
  }

  const bytes = (): readonly (Buffer | undefined)[] =>
    ["", "-wal"].map((suffix) => {
      const one = `${file}${suffix}`;
      if (!existsSync(one)) return undefined;
      const content = readFileSync(one);
      return content.length === 0 ? undefined : content;
    });

  async function refusal(act: () => Promise<unknown>): Promise<ReplicaError> {
    try {
      await act();
    } catch (error) {
      if (error instanceof ReplicaError) return error;
      throw error;
    }
    throw new Error("It was not refused.");
  }

  for (const how of ["closed", "killed"] as const)
    it(`is refused by a replica before anything happens, after it was ${how}`, async () => {
      aStore(how);
      const before = bytes();
      const node = new ReplicaNode({
        url: server.url,
        schema,
        name: "r1",
        file,
      });
      const error = await refusal(async () => {
        await node.replica.start();
      });
      expect(error.code).to.equal("NOT_IMPORTED");
      expect(error.message).to.include(file);
      expect(error.message).to.include("database import --name alice");
      expect(bytes()).to.deep.equal(before);
      expect(existsSync(acknowledgedFileOf(file))).to.equal(false);
      const rows = await server.query(`SELECT FROM ${schema}.node`);
      expect(rows).to.deep.equal([]);
    });

  /** Follows a log that has turns with the file, as a replica does that has started before. */
  async function follow(): Promise<unknown> {
    const other = new ReplicaNode({
      url: server.url,
      schema,
      name: "r2",
      file: join(directory.path, "other.db"),
    });
    await other.replica.start();
    await other.untilRole("active");
    await other.save(7);
    await other.replica.stop();
    const control = new Control(
      { url: server.url, schema, name: "r1", requestMs: 5_000 },
      { timers: machineTimers, wakesUp: () => false },
    );
    const acknowledged = new Acknowledged(
      { file: acknowledgedFileOf(file) },
      { timers: machineTimers },
    );
    const follower = new LogFollower(
      { schema, bucket: 0, file, node: aNode },
      {
        timers: machineTimers,
        isStopping: () => false,
        control,
        openDisk: openMachineDisk,
        acknowledged,
        onFact: () => undefined,
        onBytes: () => undefined,
      },
    );
    try {
      return await follower.catchUp();
    } catch (error) {
      return error;
    } finally {
      follower.close();
      acknowledged.close();
      control.close();
    }
  }

  it("is neither followed nor deleted where a log is followed", async () => {
    aStore("closed");
    const before = bytes();
    const error = await follow();
    expect(error).to.be.instanceOf(ReplicaError);
    expect(bytes()).to.deep.equal(before);
    expect(storeKindOf(file)).to.equal("alone");
  });

  it("is not deleted if it is damaged, as long as the replica had no other", async () => {
    writeFileSync(file, "This may have been the store of a node.");
    const before = bytes();
    const error = await follow();
    expect(error).to.be.instanceOf(StoreError);
    expect(bytes()).to.deep.equal(before);
  });

  it("is told from a store with a log, and from a file without tables", async () => {
    expect(storeKindOf(file)).to.equal("empty");
    writeFileSync(file, "");
    expect(storeKindOf(file)).to.equal("empty");
    await follow();
    expect(storeKindOf(file)).to.equal("logged");
  });
});
