import { Writable } from "node:stream";

import { expect } from "chai";

import { monitorLimits } from "../../src/monitor/limits.ts";
import type { LogLevel } from "../../src/monitor/log-lines.ts";
import { NodeLog } from "../../src/monitor/log.ts";
import { ChainError } from "../../src/chain/ports.ts";
import { group, intentAt, payer, settled } from "../helpers/monitor/fixture.ts";

type Line = Readonly<Record<string, unknown>>;

function openLog(level?: LogLevel): {
  readonly log: NodeLog;
  readonly lines: () => readonly Line[];
} {
  let text = "";
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      done();
    },
  });
  const now = (): Date => new Date("2026-01-02T03:04:05.678Z");
  return {
    log: new NodeLog({ node: "alice", level }, { stream, now }),
    lines: () =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line),
  };
}

describe("The log of a node", () => {
  it("has one object for each line", () => {
    const { log, lines } = openLog();
    log.see({ type: "Started", height: 5 });
    log.see({ type: "PayerTrouble", payer, reason: "two\nlines" });
    log.see({ type: "PayerTrouble", payer, reason: undefined });
    const start = { time: "2026-01-02T03:04:05.678Z", node: "alice" };
    expect(lines()).to.deep.equal([
      { ...start, level: "info", event: "started", height: 5 },
      {
        ...start,
        level: "warn",
        event: "payer-trouble",
        payer,
        reason: "two lines",
      },
      { ...start, level: "info", event: "payer-trouble-over", payer },
    ]);
  });

  it("leaves out what is less than its level", () => {
    const wanted: readonly (readonly [LogLevel, number])[] = [
      ["debug", 4],
      ["info", 3],
      ["warn", 2],
      ["error", 1],
    ];
    for (const [level, count] of wanted) {
      const { log, lines } = openLog(level);
      log.see({ type: "BlockSeen", height: 1 });
      log.see({ type: "GroupJoined", group });
      log.see({ type: "BlocksReverted", height: 1 });
      log.fail("node-failed", new Error("over"));
      expect(lines(), level).to.have.length(count);
    }
  });

  it("warns of a failover, and not of a handover", () => {
    const { log, lines } = openLog();
    const change = {
      type: "CoordinatorChanged",
      group,
      from: "Elect",
      to: "Active",
    } as const;
    log.see({ ...change, takeover: "handover" });
    log.see({ ...change, takeover: "failover" });
    expect(lines().map(({ level }) => level)).to.deep.equal(["info", "warn"]);
  });

  it("tells an error by kind, code and message, without its stack", () => {
    const { log, lines } = openLog();
    log.fail(
      "node-failed",
      new ChainError("refused", "no", { code: -32000, data: "a secret" }),
    );
    log.fail("node-failed", "a secret");
    const [first, second] = lines();
    expect(first).to.include({
      level: "error",
      event: "node-failed",
      error: "ChainError",
      code: -32000,
      message: "no",
    });
    expect(second).to.include({ error: "string" });
    expect(JSON.stringify(lines())).to.not.match(/secret|\.ts/);
  });

  it("says nothing private", () => {
    const { log, lines } = openLog("debug");
    const key = `0x${"7e".repeat(32)}`;
    log.see(settled(intentAt(1), "Reverted", "mallory has only 5 coins"));
    log.see({
      type: "ChainTrouble",
      reason: "https://me:pass@rpc.example/key",
    });
    log.fail("a", new Error(`bad key ${key}`));
    log.fail("b", new Error('cannot read {"owner":"mallory"}'));
    try {
      JSON.parse("mallory owns this");
    } catch (error) {
      log.fail("c", error);
    }
    const text = JSON.stringify(lines());
    expect(lines()).to.have.length(5);
    expect(text).to.not.match(/mallory|coins|7e7e|pass|\/key/);
    expect(text).to.include("https://rpc.example");
  });

  it("does not let fields pretend to be something else, and keeps texts short", () => {
    const { log, lines } = openLog();
    log.note("info", "opened", { event: "started", node: "bob", port: 1 });
    log.fail("a", new Error("x".repeat(10_000)));
    const [first, second] = lines();
    expect(first).to.include({ event: "opened", node: "alice", port: 1 });
    expect(String(second?.["message"])).to.have.length(
      monitorLimits.textLength,
    );
  });

  it("does not throw when nobody reads any more", async () => {
    const broken = new Writable({
      write: (_chunk, _encoding, done) => {
        done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
      },
    });
    const log = new NodeLog({ node: "alice" }, { stream: broken });
    for (let i = 0; i < 10; i++) {
      log.see({ type: "Started", height: i });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(log.linesLost).to.be.greaterThan(8);
    const throwing = new Writable();
    throwing.write = () => {
      throw new Error("closed");
    };
    new NodeLog({ node: "alice" }, { stream: throwing }).see({
      type: "Started",
      height: 0,
    });
  });

  it("loses lines rather than memory when the reader is slow, and says so", async () => {
    const written: string[] = [];
    let isSlow = true;
    let release = (): void => undefined;
    const stream = new Writable({
      write: (chunk: Buffer, _, done) => {
        written.push(chunk.toString());
        if (isSlow) release = done;
        else done();
      },
    });
    const log = new NodeLog({ node: "alice" }, { stream });
    for (let i = 0; i < 20_000; i++) log.see({ type: "Started", height: i });
    const lines = log.linesLost;
    expect(lines).to.be.greaterThan(1_000);
    expect(stream.writableLength).to.be.lessThan(
      monitorLimits.logBytes + 1_000,
    );
    isSlow = false;
    const drained = new Promise((resolve) => stream.once("drain", resolve));
    release();
    await drained;
    log.see({ type: "Started", height: 20_000 });
    const last = written.slice(-2).map((text) => JSON.parse(text) as Line);
    expect(last[0]).to.include({ event: "log-lines-lost", lines });
    expect(last[1]).to.include({ event: "started", height: 20_000 });
    expect(log.linesLost).to.equal(lines);
  });
});
