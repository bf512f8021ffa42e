import { expect } from "chai";

import type { Event } from "../../../src/protocol/events.ts";
import { Pulse } from "../../../src/runtime/node/pulse.ts";
import { defaultSettings } from "../../../src/runtime/node/settings.ts";
import { Ticking } from "../../../src/runtime/node/ticking.ts";
import type { Job } from "../../../src/runtime/node/turns.ts";
import { FakeTimers } from "../../helpers/fake-timers.ts";

const { tickMs, heartbeatMs } = defaultSettings;

/** A group that remembers what it was told. */
class Listener {
  readonly told: Event["type"][] = [];

  readonly handle = ({ type }: Event): never[] => {
    this.told.push(type);
    return [];
  };

  count(type: Event["type"]): number {
    return this.told.filter((one) => one === type).length;
  }
}

describe("The time of a node", () => {
  let timers: FakeTimers;
  let pulse: Pulse<Listener>;
  let group: Listener;
  /** What waits in the loop. */
  let jobs: Job[];
  let ticked: number;
  let retries: number;
  let ticking: Ticking<Listener>;
  beforeEach(() => {
    timers = new FakeTimers();
    pulse = new Pulse(0);
    [jobs, ticked, retries] = [[], 0, 0];
    group = new Listener();
    pulse.wake(group);
    ticking = new Ticking<Listener>(defaultSettings, {
      timers,
      turns: { add: (job) => void jobs.push(job) },
      pulse,
      deeds: { collect: () => undefined },
      onTicked: () => void (ticked += 1),
      onRetry: () => void (retries += 1),
    });
    ticking.start();
  });

  /** The loop gets to what waits; what has a rank only if it is not behind. */
  function work({ isBehind = false } = {}): void {
    for (const job of jobs.splice(0)) {
      if (isBehind && job.rank !== undefined) {
        jobs.push(job);
        continue;
      }
      const deeds: (() => void)[] = [];
      job.run({ writes: [], records: new Map(), deeds });
      for (const deed of deeds) deed();
    }
  }

  it("is told to groups that are awake, tick by tick", () => {
    const resting = new Listener();
    pulse.rest(resting);
    for (let i = 0; i < 100; i++) {
      timers.advance(tickMs);
      work();
    }
    expect(group.told).to.deep.equal(Array.from({ length: 100 }, () => "Tick"));
    expect(resting.told).to.deep.equal([]);
    expect(pulse.ticks).to.equal(100);
    expect(ticked).to.equal(100);
  });

  it("stands behind whoever began before", () => {
    const rank = pulse.nextRank();
    timers.advance(tickMs);
    expect(jobs[0]?.rank).to.be.above(rank);
    expect(jobs[0]?.rank).to.be.below(pulse.nextRank());
  });

  it("does not pass while the node has not dealt with what it was told before", () => {
    timers.advance(1_000 * tickMs);
    work();
    expect(group.count("Tick")).to.equal(1);
    timers.advance(tickMs);
    work();
    expect(pulse.ticks).to.equal(2);
  });

  it("makes groups say that they are there as often as ever, before everything else", () => {
    for (let i = 0; i < 10; i++) {
      timers.advance(heartbeatMs);
      const urgent = jobs.filter(({ isAlone }) => isAlone === true);
      expect(urgent).to.have.length(1);
      expect(urgent[0]?.rank).to.equal(undefined);
      work({ isBehind: true });
      expect(group.told).to.deep.equal(
        Array.from({ length: i + 1 }, () => "Delayed"),
      );
    }
  });

  it("makes them say so too if only some ticks are late", () => {
    for (let ms = 0; ms < 10 * heartbeatMs; ms += 4 * tickMs) {
      timers.advance(4 * tickMs);
      work();
    }
    expect(group.count("Delayed")).to.be.within(9, 10);
  });

  it("piles nothing up when the loop stands still", () => {
    timers.advance(1_000 * heartbeatMs);
    expect(jobs).to.have.length(2);
    work();
    expect(group.told).to.have.members(["Tick", "Delayed"]);
  });

  it("asks again in real time", () => {
    timers.advance(5_000);
    expect(retries).to.equal(5_000 / 250);
  });

  it("ends", () => {
    ticking.stop();
    expect(timers.size).to.equal(0);
  });
});
