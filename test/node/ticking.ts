import { expect } from "chai";

import type { Event } from "../../src/protocol/events.ts";
import { GroupSchedule } from "../../src/node/group-schedule.ts";
import { defaultSettings, ticksOf } from "../../src/node/settings.ts";
import { Ticking } from "../../src/node/ticking.ts";
import { isAlone, type NodeEvent } from "../../src/node/node-events.ts";
import { Draft } from "../../src/node/loop.ts";
import type { NodeEffect } from "../../src/node/node-effects.ts";
import type { NodeWrite } from "../../src/node/node-writes.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";

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
  let schedule: GroupSchedule<Listener>;
  let group: Listener;
  /** What waits in the loop. */
  let waiting: { readonly event: NodeEvent; readonly rank?: number }[];
  let retries: number;
  let ticking: Ticking<Listener>;
  beforeEach(() => {
    timers = new FakeTimers();
    schedule = new GroupSchedule(0);
    [waiting, retries] = [[], 0];
    group = new Listener();
    schedule.wake(group);
    ticking = new Ticking<Listener>(
      { tickMs, ...ticksOf(defaultSettings) },
      {
        timers,
        loop: {
          post: (event, rank) =>
            void waiting.push(rank === undefined ? { event } : { event, rank }),
        },
        schedule,
        addEffects: () => undefined,
        onRetry: () => void (retries += 1),
      },
    );
    ticking.start();
  });

  /** The loop gets to what waits; what has a rank only if it is not behind. */
  function work({ isBehind = false } = {}): void {
    for (const one of waiting.splice(0)) {
      if (isBehind && one.rank !== undefined) {
        waiting.push(one);
        continue;
      }
      const draft = new Draft<NodeWrite, NodeEffect>();
      if (one.event.type === "tick") ticking.tick(draft);
      else ticking.delay(draft);
      for (const { type } of draft.effects)
        if (type === "ticked") ticking.ticked();
    }
  }

  it("is told to groups that are awake, tick by tick", () => {
    const resting = new Listener();
    schedule.rest(resting);
    for (let i = 0; i < 100; i++) {
      timers.advance(tickMs);
      work();
    }
    expect(group.told).to.deep.equal(Array.from({ length: 100 }, () => "Tick"));
    expect(resting.told).to.deep.equal([]);
    expect(schedule.ticks).to.equal(100);
  });

  it("stands behind whoever began before", () => {
    const rank = schedule.nextRank();
    timers.advance(tickMs);
    expect(waiting[0]?.rank).to.be.above(rank);
    expect(waiting[0]?.rank).to.be.below(schedule.nextRank());
  });

  it("does not pass while the node has not dealt with what it was told before", () => {
    timers.advance(1_000 * tickMs);
    work();
    expect(group.count("Tick")).to.equal(1);
    timers.advance(tickMs);
    work();
    expect(schedule.ticks).to.equal(2);
  });

  it("makes groups say that they are there as often as ever, before everything else", () => {
    for (let i = 0; i < 10; i++) {
      timers.advance(heartbeatMs);
      const urgent = waiting.filter(({ event }) => isAlone(event));
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
    expect(waiting).to.have.length(2);
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
