import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import { type Job, Turns } from "../../../src/runtime/node/turns.ts";
import { openStore } from "../../../src/runtime/store/store.ts";
import { machineTimers } from "../../../src/runtime/timers.ts";

describe("The loop of a node", () => {
  it("drops what it was about to do when a commit fails", async () => {
    const store = openStore({ file: ":memory:" });
    const told: string[] = [];
    const failed = new Promise<unknown>((resolve) => {
      const turns = new Turns({ store, onFatal: resolve });
      const add = (name: string, write: () => void): void => {
        turns.add({
          run: ({ writes, deeds }) => {
            writes.push(write);
            deeds.push(() => told.push(`${name} done`));
          },
          onDropped: () => told.push(`${name} dropped`),
        });
      };
      add("first", () => undefined);
      add("second", () => {
        throw new Error("The disk is full.");
      });
      turns.add({ isAlone: true, run: () => undefined });
    });
    expect(await failed).to.have.property("message", "The disk is full.");
    expect(told).to.deep.equal(["first dropped", "second dropped"]);
    store.close();
  });

  it("has done what follows from a commit when that is said to be on the disk", async () => {
    const folder = mkdtempSync(join(tmpdir(), "turns-"));
    const store = openStore({ file: join(folder, "node.db") });
    const told: string[] = [];
    const turns = new Turns({
      store,
      onFatal: (error) => told.push(String(error)),
    });
    const committed = new Promise<void>((resolve) => {
      turns.add({
        run: ({ writes, deeds }) => {
          writes.push(resolve);
          deeds.push(() => told.push("done"));
        },
        onDropped: () => told.push("dropped"),
      });
    });
    await committed;
    expect(told).to.deep.equal([]);
    await turns.flushed();
    turns.stop();
    expect(told).to.deep.equal(["done"]);
    await turns.flushed();
    store.close();
    rmSync(folder, { recursive: true });
  });

  it("writes a record once, as it is in the end", async () => {
    const store = openStore({ file: ":memory:" });
    const written: string[] = [];
    const turns = new Turns({
      store,
      onFatal: (error) => written.push(String(error)),
    });
    await new Promise<void>((resolve) => {
      const save = (key: string, text: string): void => {
        turns.add({
          run: ({ records }) =>
            void records.set(key, () => written.push(`${key} ${text}`)),
        });
      };
      save("a", "first");
      save("b", "first");
      save("a", "second");
      turns.add({ run: ({ deeds }) => void deeds.push(resolve) });
    });
    expect(written).to.deep.equal(["a second", "b first"]);
    store.close();
  });

  /** The names of jobs in the order in which they run, with a bar between turns. */
  async function orderOf(
    jobs: readonly (readonly [string, Omit<Job, "run">])[],
    { tookMs = 0 } = {},
  ): Promise<string> {
    const store = openStore({ file: ":memory:" });
    let nowMs = 0;
    let order = "";
    await new Promise<void>((resolve, reject) => {
      const turns = new Turns({
        store,
        onFatal: reject,
        timers: { ...machineTimers, now: () => nowMs },
      });
      let isNew = true;
      for (const [name, job] of jobs)
        turns.add({
          ...job,
          run: ({ deeds }) => {
            order += isNew && order !== "" ? `|${name}` : name;
            isNew = false;
            nowMs += tookMs;
            deeds.push(() => {
              isNew = true;
              if (turns.length === 0) resolve();
            });
          },
        });
    });
    store.close();
    return order;
  }

  it("takes what has no rank first, and the rest by rank", async () => {
    const jobs = [
      ["e", { rank: 7 }],
      ["c", { rank: 2 }],
      ["a", {}],
      ["f", { rank: 7 }],
      ["d", { rank: 2 }],
      ["b", {}],
    ] as const;
    expect(await orderOf(jobs)).to.equal("abcdef");
  });

  it("keeps those alone that want to be", async () => {
    const jobs = [
      ["a", { isAlone: true }],
      ["d", { rank: 1 }],
      ["b", {}],
      ["c", { isAlone: true }],
      ["e", { rank: 1 }],
    ] as const;
    expect(await orderOf(jobs)).to.equal("a|b|c|de");
  });

  it("lets others have the thread when a turn takes long", async () => {
    const jobs = "abcdefg".split("").map((name) => [name, {}] as const);
    expect(await orderOf(jobs, { tookMs: 7 })).to.equal("abc|def|g");
    expect(await orderOf(jobs, { tookMs: 100 })).to.equal("a|b|c|d|e|f|g");
  });
});
