import { expect } from "chai";

import { LoopDriver, type Moment } from "../../src/node/driver.ts";
import { NodeStopped, Requests } from "../../src/node/requests.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";

interface Said {
  readonly name: string;
  readonly isWritten?: boolean;
  readonly isAlone?: boolean;
  readonly tookMs?: number;
}

/** A store whose flushes end when the test says so, and that dies when the test says so. */
class SlowStore {
  /** What a node finds that starts after the machine has lost power. */
  readonly durable: string[] = [];
  readonly written: string[] = [];
  failure: Error | undefined;
  #pending: ((error: Error | undefined) => void)[] = [];

  write = <Result>(write: () => Result): Result => {
    const before = this.written.length;
    try {
      return write();
    } catch (error) {
      this.written.length = before;
      throw error;
    }
  };

  flush = (done: (error: Error | undefined) => void): void => {
    this.#pending.push(done);
  };

  /** The disk has what was written, or says that it has failed. */
  flushed(error?: Error): void {
    if (error === undefined) this.durable.splice(0, Infinity, ...this.written);
    for (const done of this.#pending.splice(0)) done(error);
  }
}

describe("The driver of a node's loop", () => {
  let store: SlowStore;
  let timers: FakeTimers;
  let nowMs: number;
  let done: string[];
  let fatal: unknown[];
  let moments: string[];
  let seen: string[];
  let driver: LoopDriver<Said, string, string>;
  /** Thrown at that write or effect, as if the process had ended there. */
  let diesAt: string | undefined;

  beforeEach(() => {
    store = new SlowStore();
    timers = new FakeTimers();
    [done, fatal, moments, diesAt] = [[], [], [], undefined];
    nowMs = 0;
    seen = [];
    driver = new LoopDriver({
      store,
      timers: { after: timers.after, now: () => nowMs },
      onFatal: (error) => fatal.push(error),
      onEvent: ({ name }, moment) => seen.push(`${name} is ${moment}`),
    });
  });

  function die(where: string): void {
    if (where === diesAt) throw new Error(`It died at ${where}.`);
  }

  function start(): void {
    driver.start({
      step: ({ name, isWritten = true, tookMs = 0 }, draft) => {
        die(`step ${name}`);
        nowMs += tookMs;
        if (isWritten) draft.write(name);
        draft.afterCommit(`send ${name}`);
        draft.afterCommit(`tell ${name}`);
      },
      isAlone: ({ isAlone = false }) => isAlone,
      apply: (name) => {
        die(`write ${name}`);
        store.written.push(name);
      },
      perform: (effect) => {
        die(effect);
        done.push(effect);
      },
      onBatch: ({ events }, moment: Moment) => {
        const names = events.map(({ name }) => name).join("");
        die(`${moment} ${names}`);
        moments.push(`${moment} ${names}`);
      },
    });
  }

  it("performs nothing before it is on the disk, and then everything in order", () => {
    start();
    driver.post({ name: "a" });
    driver.post({ name: "b" });
    timers.advance(0);
    expect(store.written).to.deep.equal(["a", "b"]);
    expect(done).to.deep.equal([]);
    store.flushed();
    expect(done).to.deep.equal(["send a", "tell a", "send b", "tell b"]);
    expect(moments).to.deep.equal(["written ab", "durable ab", "performed ab"]);
  });

  it("lets events gather while the disk is busy", () => {
    start();
    driver.post({ name: "a" });
    timers.advance(0);
    driver.post({ name: "b" });
    driver.post({ name: "c" });
    timers.advance(1_000);
    expect(driver.length).to.equal(2);
    expect(store.written).to.deep.equal(["a"]);
    store.flushed();
    timers.advance(0);
    expect(store.written).to.deep.equal(["a", "b", "c"]);
  });

  it("does not wait for the disk if there is nothing to write", () => {
    start();
    driver.post({ name: "a", isWritten: false });
    timers.advance(0);
    expect(done).to.deep.equal(["send a", "tell a"]);
  });

  it("tells of every event when it begins to wait and when its turn comes, and of none after the end", () => {
    driver.post({ name: "a", isWritten: false });
    driver.post({ name: "b", isWritten: false });
    expect(seen).to.deep.equal(["a is posted", "b is posted"]);
    start();
    timers.advance(0);
    expect(seen.slice(2)).to.deep.equal(["a is stepped", "b is stepped"]);
    driver.stop();
    driver.post({ name: "c" });
    expect(seen).to.have.length(4);
  });

  it("takes what was posted before its start", () => {
    driver.post({ name: "a", isWritten: false });
    timers.advance(1_000);
    expect(done).to.deep.equal([]);
    start();
    timers.advance(0);
    expect(done).to.deep.equal(["send a", "tell a"]);
  });

  it("lets others have the thread after 20 milliseconds", () => {
    start();
    for (const name of "abcdefg")
      driver.post({ name, isWritten: false, tookMs: 7 });
    timers.advance(0);
    expect(moments).to.deep.equal([
      "performed abc",
      "performed def",
      "performed g",
    ]);
  });

  it("says that all is flushed once what follows from it is done", async () => {
    start();
    driver.post({ name: "a" });
    timers.advance(0);
    const flushed = driver.flushed().then(() => [...done]);
    store.flushed();
    expect(await flushed).to.deep.equal(["send a", "tell a"]);
    await driver.flushed();
  });

  it("forgets what waits and what is on its way to the disk when it is stopped", async () => {
    start();
    driver.post({ name: "a" });
    timers.advance(0);
    driver.post({ name: "b" });
    const flushed = driver.flushed();
    driver.stop();
    await flushed;
    store.flushed();
    timers.advance(1_000);
    driver.post({ name: "c" });
    timers.advance(1_000);
    expect(done).to.deep.equal([]);
    expect(store.written).to.deep.equal(["a"]);
    expect(fatal).to.deep.equal([]);
  });

  it("stops in the middle of its effects if one of them stops it", () => {
    driver.start({
      step: ({ name }, draft) => {
        draft.afterCommit(`send ${name}`);
        draft.afterCommit(`tell ${name}`);
      },
      isAlone: () => false,
      apply: () => undefined,
      perform: (effect) => {
        done.push(effect);
        driver.stop();
      },
    });
    driver.post({ name: "a" });
    timers.advance(0);
    expect(done).to.deep.equal(["send a"]);
  });

  it("stops when the disk fails, and performs nothing", () => {
    start();
    driver.post({ name: "a" });
    timers.advance(0);
    driver.post({ name: "b" });
    const failure = new Error("The disk is full.");
    store.flushed(failure);
    timers.advance(1_000);
    expect(fatal).to.deep.equal([failure]);
    expect(done).to.deep.equal([]);
    expect(store.written).to.deep.equal(["a"]);
  });

  /** Where the process may end, what a new one then finds on the disk, and what others have seen of the two events. */
  const deaths: readonly (readonly [string, string, readonly string[]])[] = [
    ["step a", "", []],
    ["step b", "", []],
    ["write a", "", []],
    ["write b", "", []],
    ["written ab", "", []],
    ["flush", "", []],
    ["durable ab", "ab", []],
    ["send a", "ab", []],
    ["tell a", "ab", ["send a"]],
    ["send b", "ab", ["send a", "tell a"]],
    ["performed ab", "ab", ["send a", "tell a", "send b", "tell b"]],
  ];
  for (const [where, durable, seen] of deaths)
    it(`has ${durable === "" ? "nothing" : "all"} on the disk, and shows nothing else, if it ends at ${where}`, () => {
      diesAt = where;
      start();
      driver.post({ name: "a" });
      driver.post({ name: "b" });
      timers.advance(0);
      if (where === "flush") driver.stop();
      else store.flushed();
      driver.post({ name: "c" });
      timers.advance(1_000);
      expect(store.durable.join("")).to.equal(durable);
      expect(done).to.deep.equal(seen);
      expect(fatal).to.have.length(where === "flush" ? 0 : 1);
    });
});

describe("Requests to the loop of a node", () => {
  it("are answered, refused, or end with the node", async () => {
    const requests = new Requests();
    const taken = requests.ask((request) => {
      requests.answer(request, undefined);
    });
    const refused = requests.ask((request) => {
      requests.answer(request, "No room.");
    });
    const open = requests.ask(() => undefined);
    requests.stop();
    const late = requests.ask(() => {
      throw new Error("Nothing is posted after the end.");
    });
    await taken;
    const outcomes = await Promise.allSettled([refused, open, late]);
    const reasons = outcomes.map((one) =>
      one.status === "rejected" ? (one.reason as unknown) : undefined,
    );
    expect(reasons[0]).to.have.property("message", "No room.");
    expect(reasons[1]).to.be.instanceOf(NodeStopped);
    expect(reasons[2]).to.be.instanceOf(NodeStopped);
  });
});
