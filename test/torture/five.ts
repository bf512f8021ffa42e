import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

import { expect } from "chai";

import { defaultSettings } from "../../src/node/settings.ts";
import { openLyingPeer } from "./harness/liar.ts";
import { until } from "./harness/processes/until.ts";
import type { Transfer } from "./harness/stories/bank.ts";
import { paceOf } from "./harness/stories/pace.ts";
import { Stage } from "./harness/stories/stage.ts";

const SEED = 5;
/** So long that what a busy machine adds to it is little. Where it is more, time is taken as nodes count it. */
const HEARTBEAT_MS = 1_000;
/** For each of the other nodes, once in a heartbeat; and how often they get transfers meanwhile. */
const LIES = 50;
const BATCHES = 6;
const DEADLINE_MS = 240_000;
const { heartbeatGrace } = defaultSettings;

describe("Five nodes in processes of their own, of which three must endorse", function () {
  this.timeout(600_000);
  let outDir: string;
  let stage: Stage;
  let hasFailed = false;

  before(async () => {
    outDir = mkdtempSync(path.join(tmpdir(), "five-"));
    stage = await Stage.open({
      outDir,
      nodes: 5,
      threshold: 3,
      // Forty-five seconds of blocks, several times as long as anything here needs.
      rangeSizeBlocks: 90,
      settings: { heartbeatMs: HEARTBEAT_MS, suspicionMs: 5_000 },
    });
  });

  afterEach(function () {
    hasFailed ||= this.currentTest?.state === "failed";
  });

  beforeEach(function () {
    // What went wrong once makes all that comes later worthless.
    if (hasFailed) this.skip();
  });

  after(async () => {
    await stage.world.stop();
    if (hasFailed) console.error(`Everything is in ${outDir}`);
    else rmSync(outDir, { recursive: true });
  });

  const transfers = async (nodes: readonly string[]): Promise<Transfer[]> =>
    await Promise.all(nodes.map((node) => stage.bank.transfer(node)));

  /** A new range, in which whoever comes first has dispatched something. */
  const atWork = async (): Promise<readonly [string, readonly string[]]> => {
    const [coordinator = "", ...others] = await stage.freshRange({});
    const { mark } = stage;
    await until(
      { what: `${coordinator} dispatches`, deadlineMs: DEADLINE_MS },
      async () => {
        await stage.endsWell(await transfers(others.slice(0, 1)));
        return stage.dispatchersSince(mark).includes(coordinator) || undefined;
      },
    );
    return [coordinator, others];
  };

  /** When one of these nodes dispatched first after a time, by its own log. */
  const dispatchedAfter = async (
    nodes: readonly string[],
    sinceMs: number,
  ): Promise<number> =>
    await until({ what: "dispatches go on", deadlineMs: DEADLINE_MS }, () => {
      for (const fact of stage.world.facts.entries) {
        if (fact.event !== "bundle-dispatched") continue;
        const atMs = Date.parse(String(Reflect.get(fact, "time")));
        if (nodes.includes(fact.node) && atMs > sinceMs) return atMs;
      }
      return undefined;
    });

  /** Transfers at these nodes, one after the other, until it is over. Gives all of them. */
  const flow = async (
    nodes: readonly string[],
    over: AbortSignal,
  ): Promise<readonly Transfer[]> => {
    const made: Transfer[] = [];
    while (!over.aborted) {
      made.push(...(await transfers(nodes)));
      await setTimeout(HEARTBEAT_MS / 2);
    }
    return made;
  };

  it(`go on within ${heartbeatGrace + 2} heartbeats after the coordinator was killed`, async () => {
    const heartbeats: number[] = [];
    for (const when of ["busy", "idle", "busy"] as const) {
      const [coordinator, others] = await atWork();
      const before = when === "busy" ? await transfers(others.slice(0, 2)) : [];
      if (when === "idle")
        await stage.see(coordinator, "has nothing to do", (own) =>
          ["Idle", "Observing"].includes(own.coordinator),
        );
      const killedMs = Date.now();
      await stage.node(coordinator).kill();
      const over = new AbortController();
      const flowing = flow(others.slice(0, 2), over.signal);
      const pacing = paceOf(stage, others, over.signal);
      try {
        const atMs = await dispatchedAfter(others, killedMs);
        over.abort();
        heartbeats.push((atMs - killedMs) / (HEARTBEAT_MS * (await pacing)));
      } finally {
        over.abort();
      }
      await stage.bank.confirmed([...before, ...(await flowing)]);
      await stage.node(coordinator).start();
      await stage.endsWell([]);
    }
    expect(medianOf(heartbeats), heartbeats.join(", ")).to.be.at.most(
      heartbeatGrace + 2,
    );
  });

  it("have one coordinator within 3 heartbeats after a partition was healed", async () => {
    const heartbeats: number[] = [];
    for (let sample = 0; sample < 3; sample += 1) {
      const [coordinator, others] = await atWork();
      const heal = stage.world.links.partition([[coordinator], others]);
      const cutMs = Date.now();
      const over = new AbortController();
      const flowing = flow([coordinator, ...others.slice(0, 1)], over.signal);
      const pacing = paceOf(stage, others, over.signal);
      try {
        await dispatchedAfter(others, cutMs);
        heal();
        const healedMs = Date.now();
        const agreedMs = await until(
          { what: "all name one", deadlineMs: DEADLINE_MS, everyMs: 25 },
          async () => {
            const names = await Promise.all(
              stage.up.map(async (name) => (await stage.status(name)).active),
            );
            const isOne = new Set(names).size === 1 && names[0] !== undefined;
            return isOne ? Date.now() : undefined;
          },
        );
        over.abort();
        heartbeats.push(
          (agreedMs - healedMs) / (HEARTBEAT_MS * (await pacing)),
        );
      } finally {
        heal();
        over.abort();
      }
      await stage.endsWell(await flowing);
    }
    expect(medianOf(heartbeats), heartbeats.join(", ")).to.be.at.most(3);
  });

  it("are not stopped by one that is frozen, whatever it does for the others", async () => {
    const [coordinator, others] = await atWork();
    for (const frozen of [others[0] ?? "", coordinator]) {
      const rest = stage.up.filter((name) => name !== frozen);
      stage.node(frozen).freeze();
      try {
        await stage.bank.confirmed(await transfers(rest));
        await stage.bank.confirmed(await transfers(rest));
        await stage.bank.agreed(rest);
      } finally {
        stage.node(frozen).thaw();
      }
      await stage.endsWell(await transfers([frozen]));
    }
  });

  it(`are not stopped by one that lies (seed ${SEED})`, async () => {
    const [, liar = ""] = await stage.freshRange({});
    const honest = stage.up.filter((name) => name !== liar);
    await stage.node(liar).kill();
    const peer = await openLyingPeer(
      { name: liar, group: stage.group.address, seed: SEED },
      stage.world,
    );
    try {
      await until(
        { what: "they hear the liar", deadlineMs: DEADLINE_MS },
        () => peer.connected() === honest.length || undefined,
      );
      const over = new AbortController();
      const lying = (async () => {
        while (!over.signal.aborted) {
          peer.lie(LIES);
          await setTimeout(HEARTBEAT_MS);
        }
      })();
      try {
        for (let batch = 0; batch < BATCHES; batch += 1) {
          const ended = await stage.bank.ended(await transfers(honest));
          expect(ended.filter(({ isSuccess }) => !isSuccess)).to.deep.equal([]);
        }
      } finally {
        over.abort();
        await lying;
      }
    } finally {
      await peer.stop();
    }
    await stage.endsWell(await transfers(honest));
    const own = stage.world.exits.entries.filter(
      ({ cause }) => cause === undefined,
    );
    expect(own).to.deep.equal([]);
  });
});

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
