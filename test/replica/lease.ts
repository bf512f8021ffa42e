import { type ChildProcessByStdio, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import { expect } from "chai";

import { ReplicaError } from "../../src/replica/errors.ts";
import { prepareSchema } from "../../src/replica/prepare.ts";
import { openSession } from "../../src/replica/session.ts";
import { emptyHead, headAfter } from "../../src/store/log/chain.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { HoldingProxy } from "../helpers/holding-proxy.ts";
import { PoolingProxy } from "../helpers/pooling-proxy.ts";
import { PostgresServer } from "../helpers/postgres.ts";
import { newSchema, Writer } from "../helpers/replica.ts";

const program = path.resolve(
  import.meta.dirname,
  "../helpers/replica-child.ts",
);

/** A process of its own that wants the lease. */
class OtherProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  constructor(server: PostgresServer, schema: string, name: string) {
    this.#child = spawn(process.execPath, [program, server.url, schema, name], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#lines = createInterface({ input: this.#child.stdout })[
      Symbol.asyncIterator
    ]();
  }

  /** Says a line; resolves with the answer. */
  async ask(line: string): Promise<unknown> {
    this.#child.stdin.write(`${line}\n`);
    const next = await this.#lines.next();
    if (next.done === true) throw new Error("The process has ended.");
    return JSON.parse(next.value) as unknown;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

describe("the lease of a log in PostgreSQL", function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  const writers: Writer[] = [];

  before(async () => {
    server = await PostgresServer.start();
  });
  after(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    schema = await newSchema(server);
  });
  afterEach(async () => {
    for (const { lease } of writers.splice(0))
      await lease.release().catch(() => undefined);
  });

  function writer(name: string): Writer {
    const one = new Writer(server, { schema, name });
    writers.push(one);
    return one;
  }

  /** The log as it is in the database: it must be one chain, and each epoch must have one writer. */
  async function log(): Promise<
    readonly { sequence: string; epoch: string; body: Buffer }[]
  > {
    const turns = await server.query<{
      readonly sequence: string;
      readonly epoch: string;
      readonly hash: Buffer;
      readonly body: Buffer;
    }>(`SELECT * FROM ${schema}.turn ORDER BY sequence`);
    let head = emptyHead;
    let epoch = 0;
    for (const turn of turns) {
      head = headAfter(head, turn.body);
      expect(Number(turn.sequence)).to.equal(head.sequence);
      expect(turn.hash.toString("hex")).to.equal(head.hash);
      expect(Number(turn.epoch)).to.be.at.least(epoch);
      epoch = Number(turn.epoch);
    }
    const [bucket] = await server.query<{
      readonly head_sequence: string;
      readonly head_hash: Buffer;
    }>(`SELECT * FROM ${schema}.bucket`);
    expect(Number(bucket?.head_sequence)).to.equal(head.sequence);
    expect(bucket?.head_hash.toString("hex")).to.equal(head.hash);
    return turns;
  }

  async function terminate(name: string): Promise<void> {
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
      [`hardhat-sequencer ${name}`],
    );
  }

  it("belongs to one process, and to the next one when it is given up", async () => {
    const [r1, r2] = [writer("r1"), writer("r2")];
    expect(await r1.take()).to.deep.equal({
      epoch: 1,
      head: emptyHead,
      takeover: "start",
    });
    expect(await r2.take()).to.equal(undefined);
    expect(r1.lease.isCertain).to.equal(true);
    expect(r2.lease.isCertain).to.equal(false);
    expect(await r1.append("a")).to.equal(true);
    expect(await r1.append("b")).to.equal(true);
    await r1.lease.release();
    expect(r1.lease.isCertain).to.equal(false);
    const taken = await r2.take();
    expect(taken).to.have.property("epoch", 2);
    expect(taken?.head.sequence).to.equal(2);
    expect(await r2.append("c")).to.equal(true);
    expect((await log()).map(({ epoch }) => epoch)).to.deep.equal([
      "1",
      "1",
      "2",
    ]);
    expect(r1.losses).to.deep.equal([]);
  });

  it("lasts for as long as its holder gives signs of life", async () => {
    const [r1, r2] = [writer("r1"), writer("r2")];
    await r1.take();
    const end = performance.now() + 2_500;
    // Longer than the lease and the grace, without a single turn.
    while (performance.now() < end) expect(await r2.take()).to.equal(undefined);
    expect(await r1.append("a")).to.equal(true);
    expect(r1.lease.isCertain).to.equal(true);
    expect(r1.losses).to.deep.equal([]);
  });

  it("stays with a process whose session is ended, also when an answer is lost", async () => {
    const [r1, r2] = [writer("r1"), writer("r2")];
    await r1.take();
    const over = new AbortController();
    const other = (async () => {
      while (!over.signal.aborted) expect(await r2.take()).to.equal(undefined);
    })();
    for (let round = 0; round < 10; round++) {
      const appended = r1.append(`turn ${round}`);
      if (round % 2 === 1) await terminate("r1");
      expect(await appended).to.equal(true);
    }
    over.abort();
    await other;
    expect(r1.losses).to.deep.equal([]);
    expect(await log()).to.have.length(10);
  });

  it("goes to another process when its holder is frozen, which then writes and answers nothing", async () => {
    const r1 = new OtherProcess(server, schema, "r1");
    const r2 = writer("r2");
    try {
      expect(await r1.ask("take")).to.equal(1);
      expect(await r1.ask("a")).to.equal(true);
      expect(await r1.ask("certain")).to.equal(true);
      r1.kill("SIGSTOP");
      expect(await r2.untilTaken()).to.have.property("epoch", 2);
      expect(await r2.append("b")).to.equal(true);
      r1.kill("SIGCONT");
      expect(await r1.ask("certain")).to.equal(false);
      expect(await r1.ask("c")).to.equal(false);
      expect(await r1.ask("certain")).to.equal(false);
      expect(await r1.ask("take")).to.equal(null);
      expect((await log()).map(({ epoch }) => epoch)).to.deep.equal(["1", "2"]);
    } finally {
      r1.kill("SIGKILL");
    }
  });

  it("goes to another process at once when its holder is killed, after the grace", async () => {
    const r1 = new OtherProcess(server, schema, "r1");
    const r2 = writer("r2");
    expect(await r1.ask("take")).to.equal(1);
    expect(await r1.ask("a")).to.equal(true);
    expect(await r2.take()).to.equal(undefined);
    r1.kill("SIGKILL");
    expect(await r2.untilTaken()).to.have.property("epoch", 2);
    expect(await r2.append("b")).to.equal(true);
    expect(await log()).to.have.length(2);
  });

  it("is not free for those who did not see that its owner had it in between", async () => {
    const proxy = await HoldingProxy.start(server.port);
    const timers = new FakeTimers();
    const settings = { schema, leaseMs: 20_000, graceMs: 500 };
    const r1 = new Writer(server, { ...settings, name: "r1", url: proxy.url });
    const r2 = new Writer(server, { ...settings, name: "r2" }, timers);
    writers.push(r1, r2);
    const isFree = async (): Promise<boolean> =>
      (await server.query("SELECT FROM pg_locks WHERE locktype = 'advisory'"))
        .length === 0;
    const lose = async (): Promise<void> => {
      proxy.hold();
      await terminate("r1");
      while (!(await isFree()));
    };
    try {
      await r1.take();
      await lose();
      expect(await r2.take()).to.equal(undefined);
      proxy.letGo();
      while (await isFree());
      await lose();
      timers.advance(500);
      expect(await r2.take()).to.equal(undefined);
      timers.advance(499);
      expect(await r2.take()).to.equal(undefined);
      timers.advance(1);
      expect(await r2.take()).to.have.property("epoch", 2);
    } finally {
      proxy.letGo();
      proxy.close();
    }
  });

  for (const [way, before] of [
    ["granted", "state = 'stopped'"],
    ["left", "heir = 'r1'"],
  ] as const)
    it(`is not free for those who did not see that a replica had it in between to which it was ${way}`, async () => {
      const proxy = await HoldingProxy.start(server.port);
      const timers = new FakeTimers();
      const settings = { schema, leaseMs: 20_000, graceMs: 5_000 };
      const { url } = proxy;
      const r1 = new Writer(server, { ...settings, name: "r1", url });
      const r2 = new Writer(server, { ...settings, name: "r2" }, timers);
      writers.push(r1, r2);
      const isFree = async (): Promise<boolean> =>
        (await server.query("SELECT FROM pg_locks WHERE locktype = 'advisory'"))
          .length === 0;
      try {
        await server.query(`UPDATE ${schema}.bucket SET ${before}`);
        expect(await r2.take()).to.equal(undefined);
        timers.advance(4_999);
        const grant = { hash: emptyHead.hash, epoch: 0 };
        const taken = await r1.lease.take(
          way === "granted" ? grant : undefined,
        );
        expect(taken).to.have.property("epoch", 1);
        proxy.hold();
        await terminate("r1");
        while (!(await isFree()));
        timers.advance(1);
        expect(await r2.take()).to.equal(undefined);
        expect(r1.lease.isCertain).to.equal(true);
        timers.advance(5_000);
        expect(await r2.take()).to.have.property("epoch", 2);
      } finally {
        proxy.letGo();
        proxy.close();
      }
    });

  it("survives the end of the server, and loses nothing that was told", async () => {
    const r1 = writer("r1");
    await r1.take();
    await r1.append("a");
    await server.kill("SIGKILL");
    const appended = r1.append("b");
    await server.resume();
    const isTold = await appended;
    const turns = await log();
    expect(turns.length).to.be.at.least(isTold ? 2 : 1);
    if (!isTold) {
      r1.forget();
      await r1.untilTaken();
      expect(await r1.append("c")).to.equal(true);
    }
  });

  it("is fenced by an epoch that another process began", async () => {
    const r1 = writer("r1");
    await r1.take();
    await r1.append("a");
    await server.query(`UPDATE ${schema}.bucket SET epoch = epoch + 1`);
    expect(await r1.append("b")).to.equal(false);
    expect(r1.losses).to.have.length(1);
    expect(await log()).to.have.length(1);
  });

  it("cannot be taken while the log is stopped", async () => {
    const r1 = writer("r1");
    await server.query(`UPDATE ${schema}.bucket SET state = 'stopped'`);
    expect(await r1.take()).to.equal(undefined);
    await server.query(`UPDATE ${schema}.bucket SET state = 'open'`);
    expect(await r1.take()).to.have.property("epoch", 1);
  });

  it("keeps the log in one piece over random ends of sessions and processes", async () => {
    const names = ["r1", "r2", "r3"];
    const current = new Map(names.map((name) => [name, writer(name)]));
    const told: number[] = [];
    let seed = 7;
    const draw = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let step = 0; step < 60; step++) {
      const name = names[draw(names.length)] ?? "r1";
      const one = current.get(name) ?? writer(name);
      if (!one.holds()) await one.take();
      if (one.holds()) {
        const appended = one.append(`step ${step}.`);
        const what = draw(6);
        if (what === 0) await terminate(name);
        if (what === 1) await one.lease.release();
        if (await appended) told.push(step);
        if (!one.holds()) current.set(name, writer(name));
      }
    }
    const turns = await log();
    expect(told.length).to.be.greaterThan(10);
    for (const step of told) {
      const holds = turns.filter(({ body }) => body.includes(`step ${step}.`));
      expect(holds, `step ${step}`).to.have.length(1);
    }
  });

  it("waits for the disk of the server, whatever the server is set to", async () => {
    for (const [set, used] of [
      ["off", "on"],
      ["remote_write", "remote_write"],
    ]) {
      const options = encodeURIComponent(`-c synchronous_commit=${set ?? ""}`);
      const url = `${server.url}?options=${options}`;
      const client = await openSession({
        url,
        name: "x",
        idleMs: undefined,
        requestMs: 5_000,
      });
      const { rows } = await client.query("SHOW synchronous_commit");
      expect(rows).to.deep.equal([{ synchronous_commit: used }]);
      await client.end();
    }
  });

  it("refuses what is no database for it, with the reason", async () => {
    const { url } = server;
    const readOnly = `${url}?options=${encodeURIComponent("-c default_transaction_read_only=on")}`;
    const failures = [
      openSession({ url: readOnly, name: "x", idleMs: 1, requestMs: 5_000 }),
      prepareSchema({ url, schema: "No Name", buckets: 1, requestMs: 5_000 }),
    ].map(async (work) => {
      try {
        await work;
      } catch (error) {
        return error instanceof ReplicaError ? error.code : error;
      }
      return "nothing";
    });
    expect(await Promise.all(failures)).to.deep.equal(["READ_ONLY", "SCHEMA"]);
  });

  it("refuses a pool that divides sessions, also while nobody else uses it", async () => {
    const pool = await PoolingProxy.start(server.port);
    try {
      const options = { url: pool.url, schema, buckets: 1, requestMs: 5_000 };
      for (let attempt = 0; attempt < 3; attempt++) {
        const outcome = await prepareSchema(options).catch(
          (error: unknown) => error,
        );
        expect(outcome).to.have.property("code", "POOLED");
      }
    } finally {
      pool.close();
    }
  });
});
