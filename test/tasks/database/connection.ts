import { expect } from "chai";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { databaseOf, withSession } from "../../../tasks/shared/database.ts";
import { replicaDefaults } from "../../../src/replica/options.ts";
import { PostgresServer } from "../../helpers/postgres.ts";
import { newSchema } from "../../helpers/replica.ts";
import { anEnvironment } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { runTask } from "../helpers/database.ts";

const id = ["sequencer:database", "check"];
const name = "alice";

async function project(url: string): Promise<HardhatRuntimeEnvironment> {
  return await anEnvironment({ sequencer: { database: { url } } });
}

describe("the database of the configuration", function () {
  this.timeout(60_000);
  let server: PostgresServer;

  before(async () => {
    server = await PostgresServer.start();
  });
  after(async () => {
    await server.stop();
  });

  it("has a schema for each node, and the settings of a replica", async () => {
    const hre = await project(server.url);
    expect(await databaseOf(hre, "Alice-1")).to.deep.equal({
      ...replicaDefaults,
      url: server.url,
      schema: "sequencer_alice_1",
      node: "Alice-1",
      host: "127.0.0.1",
    });
    const own = await anEnvironment({
      sequencer: {
        database: { url: server.url, schema: "mine", leaseMs: 9_000 },
      },
    });
    expect(await databaseOf(own, name)).to.include({
      schema: "mine",
      leaseMs: 9_000,
      graceMs: replicaDefaults.graceMs,
    });
  });

  it("must be there", async () => {
    const hre = await anEnvironment();
    const error = await expectError(
      "DATABASE_NOT_CONFIGURED",
      async () => await runTask(hre, id, { name }),
    );
    expect(error.message).to.include(name);
  });

  it("must be on this machine, or encrypted with a certificate that is checked", async () => {
    const far = "postgres://user:secret@db.example/nodes";
    // It is only read.
    const certificate = encodeURIComponent(import.meta.filename);
    for (const url of [
      far,
      `${far}?sslmode=disable`,
      `${far}?sslmode=no-verify`,
      `${far}?uselibpqcompat=true&sslmode=require`,
      `${far}?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=${certificate}`,
      "postgres://user:secret@127.0.0.1/nodes?host=db.example",
      "postgres://user:secret@localhost.db.example/nodes",
    ]) {
      const hre = await project(url);
      const error = await expectError(
        "DATABASE_NOT_ENCRYPTED",
        async () => await databaseOf(hre, name),
      );
      expect(error.message).to.include("db.example").and.not.include("secret");
    }
    for (const url of [
      `${far}?sslmode=verify-full`,
      `${far}?sslmode=require`,
      `${far}?ssl=true`,
      "postgres://user:secret@localhost/nodes",
      "postgres://user:secret@[::1]:5433/nodes",
      "postgres://user:secret@127.0.0.3/nodes",
      "postgres://user:secret@/nodes?host=/var/run/postgresql",
      "socket:/var/run/postgresql?db=nodes",
    ]) {
      const { host } = await databaseOf(await project(url), name);
      expect(host).to.not.include("secret");
    }
  });

  it("is not shown if its address is none", async () => {
    for (const url of [
      "user:secret@nowhere",
      "mysql://user:secret@127.0.0.1/nodes",
      "postgres://user:secret@127.0.0.1:99999999/nodes",
      "postgres://user:secret@[::/nodes",
      "",
    ]) {
      const hre = await project(url);
      const error = await expectError(
        "DATABASE_URL_INVALID",
        async () => await databaseOf(hre, name),
      );
      expect(JSON.stringify([error.message, error.stack])).to.not.include(
        "secret",
      );
      expect(error.cause).to.equal(undefined);
    }
  });

  it("must answer, and take its user", async () => {
    const port = await freePort();
    const away = await project(
      `postgres://user:secret@127.0.0.1:${port}/nodes`,
    );
    for (const act of [
      async () => await runTask(away, id, { name }),
      async () => await runTask(away, ["sequencer:replicas"], { name }),
    ]) {
      const error = await expectError("DATABASE_UNREACHABLE", act);
      expect(error.message).to.include("127.0.0.1").and.not.include("secret");
    }
    const unknown = await project(server.url.replace(/postgres$/, "nodes"));
    const refused = await expectError(
      "DATABASE_REFUSED",
      async () => await runTask(unknown, id, { name }),
    );
    expect(refused.message).to.include('database "nodes" does not exist');
    const plain = await project(`${server.url}?sslmode=verify-full`);
    await expectError(
      "DATABASE_UNREACHABLE",
      async () => await runTask(plain, id, { name }),
    );
  });

  it("must have tables of the node, and is not given any", async () => {
    const hre = await project(server.url);
    for (const task of [
      id,
      ["sequencer:replicas"],
      ["sequencer:database", "turns"],
    ]) {
      const error = await expectError(
        "DATABASE_EMPTY",
        async () => await runTask(hre, task, { name: "carol" }),
      );
      expect(error.message).to.include("sequencer_carol");
    }
    const schemas = await server.query(
      "SELECT FROM pg_namespace WHERE nspname = 'sequencer_carol'",
    );
    expect(schemas).to.deep.equal([]);
  });

  it("must take writes", async () => {
    const schema = await newSchema(server);
    const url = `${server.url}?options=-c%20default_transaction_read_only%3Don`;
    const hre = await anEnvironment({
      sequencer: { database: { url, schema } },
    });
    await expectError(
      "DATABASE_UNSUITABLE",
      async () => await runTask(hre, id, { name }),
    );
  });

  it("that ends while it is asked is an error for its operator", async () => {
    const schema = await newSchema(server);
    const hre = await anEnvironment({
      sequencer: { database: { url: server.url, schema } },
    });
    const database = await databaseOf(hre, name);
    await expectError("DATABASE_REFUSED", async () => {
      await withSession(database, async (client) => {
        await client.query("SELECT pg_terminate_backend(pg_backend_pid())");
      });
    });
  });
});
