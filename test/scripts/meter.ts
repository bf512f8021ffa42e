import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { expect } from "chai";
import fc from "fast-check";

import {
  type Costs,
  costsOf,
  idleOf,
  medianCosts,
  ratiosOf,
} from "../../scripts/bench/meter/costs.ts";
import { listenForUsage } from "../../scripts/bench/meter/listen.ts";
import {
  type Measured,
  type NodeUsage,
  usageBetween,
} from "../../scripts/bench/meter/usage.ts";

const preload = path.resolve(
  import.meta.dirname,
  "../../scripts/bench/meter/report-usage.ts",
);

describe("The meter of the benchmark", function () {
  this.timeout(60_000);

  it("tells the coordinator from members by who submits", () => {
    const nodes = [
      usageOf({ allMs: 100, mainMs: 60 }),
      usageOf({ allMs: 300, mainMs: 200, transactions: 7 }),
      usageOf({ allMs: 200, mainMs: 120 }),
    ];
    const costs = costsOf(measuredOf({ seconds: 2, nodes }), {
      intents: 100,
      idleMsPerSecond: 10,
    });
    expect(costs).to.deep.equal({
      coordinator: { all: 3, main: 2, net: 2.8 },
      member: { all: 1.5, main: 0.9, net: 1.3 },
    });
  });

  it("counts no round in which the role moved, nobody had it, or a submission failed", () => {
    const options = { intents: 10, idleMsPerSecond: 0 };
    const one = usageOf({ transactions: 1 });
    const none = usageOf({});
    const failed = { ...measuredOf({ nodes: [one, none] }), failures: ["no"] };
    for (const measured of [
      measuredOf({ nodes: [one, one, none] }),
      measuredOf({ nodes: [none, none] }),
      measuredOf({ nodes: [one] }),
      failed,
    ])
      expect(costsOf(measured, options)).to.equal(undefined);
  });

  it("finds a tree that costs so many times as much, however slow single moments are", () => {
    const positive = fc.double({ min: 0.01, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        positive,
        fc.array(positive, { minLength: 1, maxLength: 9 }),
        (ratio, slowness) => {
          const pairs = slowness.map((slow) => ({
            now: costOf(slow * ratio),
            before: costOf(slow),
          }));
          // Costs are rounded where they are measured, so that tiny ones have no ratio.
          fc.pre(slowness.every((slow) => slow * ratio >= 0.01));
          const { coordinator, member } = ratiosOf(pairs);
          for (const cost of [coordinator, member])
            for (const value of Object.values(cost))
              expect(Math.abs(value / ratio - 1) < 1e-6).to.equal(true);
        },
      ),
    );
  });

  it("takes no notice of a few rounds that went wrong", () => {
    const rounds = [1, 1, 50, 1, 0].map(costOf);
    expect(medianCosts(rounds)).to.deep.equal(costOf(1));
  });

  it("takes the mean of all nodes when they are idle", () => {
    const nodes = [usageOf({ allMs: 100 }), usageOf({ allMs: 300 })];
    expect(idleOf(measuredOf({ seconds: 4, nodes }))).to.equal(50);
  });

  it("takes the difference of two reports", () => {
    expect(
      usageBetween({ allMs: 10, mainMs: 5 }, { allMs: 25, mainMs: 7 }),
    ).to.deep.equal({ allMs: 15, mainMs: 2 });
  });

  it("hears of the CPU of a program that knows nothing of it, and takes none of its messages", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "meter-"));
    const socket = path.join(folder, "meter.sock");
    const program = path.join(folder, "node-process.ts");
    writeFileSync(program, PROGRAM);
    const listener = await listenForUsage(socket);
    const child = fork(program, {
      env: { ...process.env, BENCH_METER: socket },
      execArgv: [`--import=${pathToFileURL(preload).href}`],
    });
    try {
      const ask = async (request: object): Promise<unknown> => {
        child.send(request);
        const [answer] = (await once(child, "message")) as [unknown];
        return answer;
      };
      const peers = [
        { name: "alice", endorser: "0xa" },
        { name: "bob", endorser: "0xb" },
      ];
      await ask({ name: "start", asks: { name: "bob", peers } });
      await listener.named(1);
      const before = (await listener.read()).get("0xb");
      expect(await ask({ name: "work" })).to.equal("work");
      const after = (await listener.read()).get("0xb");
      if (before === undefined || after === undefined)
        throw new Error("Bob did not report.");
      const { allMs, mainMs } = usageBetween(before, after);
      expect(mainMs).to.be.at.least(20);
      expect(allMs).to.be.at.least(mainMs);
    } finally {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
      listener.close();
      rmSync(folder, { recursive: true });
    }
  });
});

/** Works for 30 ms of CPU whenever it is told to, and echoes names. */
const PROGRAM = `
process.on("message", (request: { name: string }) => {
  const start = process.threadCpuUsage();
  const worked = (): number => {
    const { user, system } = process.threadCpuUsage(start);
    return user + system;
  };
  while (request.name === "work" && worked() < 30_000);
  process.send?.(request.name);
});
process.once("disconnect", () => process.exit(0));
`;

function usageOf(usage: Partial<NodeUsage>): NodeUsage {
  return { payer: "0x", allMs: 0, mainMs: 0, transactions: 0, ...usage };
}

function measuredOf(measured: Partial<Measured>): Measured {
  return { seconds: 1, failures: [], nodes: [], ...measured };
}

function costOf(value: number): Costs {
  const cost = { all: value, main: value, net: value };
  return { coordinator: cost, member: cost };
}
