import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

import { expect } from "chai";
import pg from "pg";

import { prepareSchema } from "../../src/replica/prepare.ts";
import { openSession } from "../../src/replica/session.ts";
import { PostgresServer } from "../helpers/postgres.ts";
import { newSchema, Writer } from "../helpers/replica.ts";

/** Authentication is fine, and the server is ready. */
const WELCOME = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, 73]);

async function serve(
  onSocket: (socket: Socket) => void,
): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onSocket(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
}

describe("the lease of a log when requests fail", function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  let other: pg.Client;
  const writers: Writer[] = [];

  before(async () => {
    server = await PostgresServer.start();
  });
  after(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    schema = await newSchema(server);
    other = new pg.Client({ connectionString: server.url });
    await other.connect();
  });
  afterEach(async () => {
    for (const { lease } of writers.splice(0))
      await lease.release().catch(() => undefined);
    await other.end();
  });

  function writer(name: string, url = server.url): Writer {
    const one = new Writer(server, { schema, name, url });
    writers.push(one);
    return one;
  }

  async function locks(): Promise<number> {
    const rows = await server.query(
      "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted",
    );
    return rows.length;
  }

  it("can be taken after an attempt that failed in the middle", async () => {
    await other.query("BEGIN");
    await other.query(`SELECT 1 FROM ${schema}.bucket FOR UPDATE`);
    const r1 = writer("r1");
    const outcome = await r1.take().catch(() => "failed");
    expect(outcome).to.equal("failed");
    await other.query("ROLLBACK");
    expect(await r1.untilTaken()).to.have.property("head");
  });

  it("is one lease also for those who knew the table before it was restored", async () => {
    const early = writer("r1");
    await early.untilTaken();
    await early.lease.release();
    // As a restored schema, or that of another server: the same rows in a table with another number.
    await server.query(
      `CREATE TABLE ${schema}.restored (LIKE ${schema}.bucket INCLUDING ALL);
       INSERT INTO ${schema}.restored SELECT * FROM ${schema}.bucket;
       DROP TABLE ${schema}.bucket;
       ALTER TABLE ${schema}.restored RENAME TO bucket`,
    );
    const late = writer("r2");
    await late.untilTaken();
    const end = performance.now() + 1_000;
    while (performance.now() < end)
      expect(await early.take()).to.equal(undefined);
    expect(late.losses).to.deep.equal([]);
  });

  it("is one lease for two who take it at once", async () => {
    const { lease } = writer("r1");
    const [first, second] = await Promise.all([lease.take(), lease.take()]);
    expect(second).to.equal(first);
    const sessions = await server.query(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'hardhat-sequencer r1'",
    );
    expect(sessions).to.have.length(1);
  });

  it("is free at once when it is given up while its session is regained", async () => {
    const { lease } = writer("r1");
    await lease.take();
    const regained = lease.regain(new Error("The session has ended."));
    await lease.release();
    expect(await regained).to.equal(undefined);
    while ((await locks()) > 0);
    const sessions = await server.query(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'hardhat-sequencer r1' AND state = 'idle'",
    );
    expect(sessions).to.have.length(0);
  });

  it("goes to another process when its holder has sent half of a request", async () => {
    const [{ version } = { version: 0 }] = await server.query<{
      readonly version: number;
    }>("SELECT current_setting('server_version_num')::int AS version");
    if (version < 170_000) return;
    let left = Infinity;
    const { port, close } = await serve((socket) => {
      const upstream = connect(server.port, "127.0.0.1");
      upstream.on("error", () => undefined);
      upstream.on("data", (data) => {
        if (left > 0) socket.write(data);
      });
      socket.on("data", (data) => {
        if (left > 0) upstream.write(data.subarray(0, left));
        left -= data.length;
      });
    });
    const r1 = writer("r1", `postgres://postgres@127.0.0.1:${port}/postgres`);
    const r2 = writer("r2");
    await r1.take();
    left = 10_000;
    const appended = r1.append("a".repeat(100_000));
    expect(await r2.untilTaken()).to.have.property("epoch", 2);
    close();
    expect(await appended).to.equal(false);
  });

  it("is given up when the database refuses its turns for good", async () => {
    const r1 = writer("r1");
    await r1.take();
    expect(await r1.append("a")).to.equal(true);
    await other.query(`ALTER TABLE ${schema}.turn RENAME TO gone`);
    expect(await r1.append("b")).to.equal(false);
    expect(r1.losses).to.have.length(1);
  });

  it("is prepared again while somebody reads the log", async () => {
    await other.query("BEGIN");
    await other.query(`SELECT count(*) FROM ${schema}.turn`);
    const { url } = server;
    await prepareSchema({ url, schema, buckets: 1, requestMs: 1_000 });
    await other.query("ROLLBACK");
  });

  it("tells of a session that ends while it is opened only by failing", async () => {
    const { port, close } = await serve((socket) => {
      socket.once("data", () => {
        socket.write(WELCOME);
        socket.once("data", () => socket.end());
      });
    });
    let ends = 0;
    const url = `postgres://x@127.0.0.1:${port}/x`;
    const options = { url, name: "x", idleMs: 1_000, requestMs: 5_000 };
    const outcome = await openSession(options, () => ends++).catch(
      () => "failed",
    );
    close();
    expect([outcome, ends]).to.deep.equal(["failed", 0]);
  });
});
