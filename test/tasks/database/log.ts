import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect } from "chai";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { openSession } from "../../../src/replica/session.ts";
import { lockSnapshots } from "../../../src/replica/snapshot.ts";
import { refuseLogged } from "../../../tasks/shared/store-log.ts";
import { PostgresServer } from "../../helpers/postgres.ts";
import { tablesOf } from "../../helpers/recorded-disk.ts";
import { newSchema } from "../../helpers/replica.ts";
import { ReplicaNode } from "../../helpers/replica-node.ts";
import { temporaryDirectory } from "../../helpers/stores.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { aDatabaseProject, aWriter, runTask } from "../helpers/database.ts";

const name = "alice";

describe("sequencer:database", function () {
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

  const place = (file: string): string => join(directory.path, file);

  /** A replica that has written so many intents and has stopped. */
  async function written(replica: string, intents: number): Promise<void> {
    const file = place(`${replica}.db`);
    const node = await aWriter(
      { url: server.url, schema, name: replica, file },
      intents,
    );
    await node.replica.stop();
  }

  const headOf = async (): Promise<number> => {
    const [row] = await server.query<{ readonly head: number }>(
      `SELECT head_sequence::int AS head FROM ${schema}.bucket`,
    );
    return row?.head ?? -1;
  };

  const firstTurn = async (): Promise<number | null> => {
    const [row] = await server.query<{ readonly first: number | null }>(
      `SELECT min(sequence)::int AS first FROM ${schema}.turn`,
    );
    return row?.first ?? null;
  };

  function tables(file: string): ReturnType<typeof tablesOf> {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return tablesOf(database);
    } finally {
      database.close();
    }
  }

  describe("snapshot", () => {
    const id = ["sequencer:database", "snapshot"];

    it("is made without a replica, trims the log, and is where a replica begins", async () => {
      await written("r1", 10);
      const first = await headOf();
      const { facts } = await runTask(hre, id, { name });
      expect(facts).to.have.length(1);
      expect(facts[0]).to.include({
        type: "snapshot-made",
        sequence: first,
        trimmed: 0,
      });
      expect(await firstTurn()).to.equal(1);
      await written("r2", 3);
      const again = await runTask(hre, id, { name });
      expect(again.facts[0]).to.include({ trimmed: first });
      expect(await firstTurn()).to.equal(first + 1);
      const present = await runTask(hre, id, { name });
      expect(present.facts).to.deep.equal([
        { version: 1, type: "snapshot-present", sequence: await headOf() },
      ]);
      const file = place("r3.db");
      const r3 = await aWriter(
        { url: server.url, schema, name: "r3", file },
        0,
      );
      nodes.push(r3);
      expect(r3.saved()).to.have.length(10);
    });

    it("is not made twice at once", async () => {
      await written("r1", 1);
      const other = await openSession({
        url: server.url,
        name: "other",
        idleMs: undefined,
        requestMs: 5_000,
      });
      expect(await lockSnapshots(other, { schema, bucket: 0 })).to.equal(true);
      await expectError(
        "DATABASE_BUSY",
        async () => await runTask(hre, id, { name }),
      );
      // The server notices the end of a session a moment later.
      await other.query("SELECT pg_advisory_unlock_all()");
      await other.end();
      await runTask(hre, id, { name });
    });

    it("is refused for a log without turns", async () => {
      await expectError(
        "DATABASE_NO_SOURCE",
        async () => await runTask(hre, id, { name }),
      );
    });
  });

  describe("restore", () => {
    const id = ["sequencer:database", "restore"];

    it("writes the store as of the end of the log, for one pair of eyes", async () => {
      await written("r1", 10);
      await runTask(hre, ["sequencer:database", "snapshot"], { name });
      await written("r1", 12);
      const file = place("restored.db");
      const { facts } = await runTask(hre, id, { name, file });
      expect(facts).to.deep.equal([
        {
          version: 1,
          type: "store-restored",
          file,
          turn: await headOf(),
          bytes: statSync(file).size,
        },
      ]);
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      expect(readdirSync(directory.path)).to.deep.equal([
        "r1.db",
        "r1.db.acknowledged",
        "restored.db",
      ]);
      expect(tables(file)).to.deep.equal(tables(place("r1.db")));
    });

    it("is the store of a log, which no node without a database takes", async () => {
      await written("r1", 2);
      const file = place("restored.db");
      await runTask(hre, id, { name, file });
      await expectError("DATABASE_REQUIRED", () => {
        refuseLogged({ node: name, file });
      });
      const r2 = await aWriter(
        { url: server.url, schema, name: "r2", file },
        0,
      );
      nodes.push(r2);
      expect(r2.saved()).to.deep.equal([0, 1]);
      expect(r2.facts.filter(({ type }) => type === "Rebuilt")).to.deep.equal(
        [],
      );
    });

    it("overwrites nothing, and leaves nothing if there is nothing to restore", async () => {
      const file = place("node.db");
      writeFileSync(file, "precious");
      await expectError(
        "FILE_NOT_WRITTEN",
        async () => await runTask(hre, id, { name, file }),
      );
      await expectError(
        "FILE_NOT_WRITTEN",
        async () =>
          await runTask(hre, id, { name, file: place("nowhere/node.db") }),
      );
      await expectError(
        "DATABASE_NO_SOURCE",
        async () => await runTask(hre, id, { name, file: place("empty.db") }),
      );
      expect(existsSync(place("empty.db"))).to.equal(false);
      expect(readdirSync(directory.path)).to.deep.equal(["node.db"]);
    });
  });

  describe("turns", () => {
    const id = ["sequencer:database", "turns"];
    const sequences = (
      facts: readonly Readonly<Record<string, unknown>>[],
    ): unknown[] => facts.map(({ sequence }) => sequence);

    it("are the last ones, oldest first, without values", async () => {
      await written("r1", 30);
      const head = await headOf();
      const { facts } = await runTask(hre, id, { name });
      expect(sequences(facts)).to.deep.equal(
        Array.from({ length: 20 }, (_, index) => head - 19 + index),
      );
      const rows = await server.query<{
        readonly hash: string;
        readonly bytes: number;
      }>(
        `SELECT encode(hash, 'hex') AS hash, length(body) AS bytes FROM ${schema}.turn ORDER BY sequence DESC LIMIT 1`,
      );
      expect(facts.at(-1)).to.include({ epoch: 1, ...rows[0] });
      const text = JSON.stringify(facts);
      expect(text).to.include("INSERT INTO records");
      expect(text).to.not.include("payload 29");
      expect(text).to.not.include('"values"');
    });

    it("have their values only if that is asked for", async () => {
      await written("r1", 3);
      const { facts } = await runTask(hre, id, { name, values: true });
      expect(JSON.stringify(facts)).to.include("payload 2");
      const plain = await runTask(hre, id, { name, values: true, json: false });
      expect(plain.lines.join("\n")).to.include("payload 2");
      const secret = await runTask(hre, id, { name, json: false });
      expect(secret.lines.join("\n")).to.not.include("payload");
    });

    it("are those that are asked for, also across pages", async () => {
      await written("r1", 130);
      const { facts } = await runTask(hre, id, {
        name,
        from: "4",
        count: "121",
      });
      expect(sequences(facts)).to.deep.equal(
        Array.from({ length: 121 }, (_, index) => index + 4),
      );
      const head = await headOf();
      const last = await runTask(hre, id, {
        name,
        from: String(head),
        count: "5",
      });
      expect(sequences(last.facts)).to.deep.equal([head]);
    });

    it("say which there are if one is asked for that is not there", async () => {
      await written("r1", 3);
      const head = await headOf();
      const { message } = await expectError(
        "DATABASE_TURN_UNKNOWN",
        async () => await runTask(hre, id, { name, from: String(head + 1) }),
      );
      expect(message).to.include(`from 1 to ${head}`);
    });

    it("that cannot be read are an error", async () => {
      await written("r1", 3);
      await server.query(`DELETE FROM ${schema}.statement`);
      await expectError(
        "DATABASE_DAMAGED",
        async () => await runTask(hre, id, { name }),
      );
    });
  });
});
