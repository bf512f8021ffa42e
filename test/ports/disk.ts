import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { expect } from "chai";

import { Database } from "../../src/store/database.ts";
import { type Disk, openMachineDisk } from "../../src/store/disk.ts";
import { DurableFacts } from "../../src/simulation/whole/watch/durable-facts.ts";
import { Queue } from "../../src/simulation/queue.ts";
import { Random } from "../../src/simulation/random.ts";
import {
  type FlushFault,
  SimulatedDisk,
} from "../../src/simulation/whole/disk.ts";
import { SimulatedMachine } from "../../src/simulation/whole/machine.ts";
import { temporaryDirectory } from "../helpers/stores.ts";
import { untilInTime } from "./suites/real-time.ts";
import { describeDisk } from "./suites/disk.ts";

describeDisk("a file of the machine", () => {
  const { path, remove } = temporaryDirectory();
  let starts = 0;
  let folder = join(path, "0");
  mkdirSync(folder);
  let last: Disk | undefined;
  return {
    open: () => (last = openMachineDisk(join(folder, "node.db"))),
    // The files as they are at this moment are what the next start finds.
    crash: () => {
      const next = join(path, `${++starts}`);
      cpSync(folder, next, { recursive: true });
      last?.close();
      folder = next;
    },
    until: untilInTime,
    remove,
  };
});

describeDisk("memory of the machine", () => ({
  open: () => openMachineDisk(":memory:"),
  crash: undefined,
  until: untilInTime,
  remove: () => undefined,
}));

for (const isKept of [false, true])
  describeDisk(
    `a simulated one that ${isKept ? "keeps" : "loses"} in a crash what was not flushed`,
    () => {
      const queue = new Queue();
      const random = new Random(1);
      const disk = new SimulatedDisk({
        flushMs: () => random.below(10),
        drawFault: () => "none",
        onFlushed: () => undefined,
      });
      let machine: SimulatedMachine | undefined;
      return {
        open: () => {
          machine = new SimulatedMachine({
            queue,
            disk,
            random,
            keyBytesOf: () => "",
          });
          return machine.openDisk("");
        },
        crash: () => {
          machine?.kill();
          disk.crash({ isKept });
        },
        until: async (holds) => {
          while (!holds() && queue.step());
          await Promise.resolve();
        },
        remove: () => {
          disk.close();
        },
      };
    },
  );

describe("A simulated disk whose log is refused", () => {
  it("shows what was written to the instance that wrote it, and to nobody else", () => {
    const queue = new Queue();
    let fault: FlushFault = "none";
    const disk = new SimulatedDisk({
      flushMs: () => 1,
      drawFault: () => fault,
      onFlushed: () => undefined,
    });
    const start = (): Database =>
      new Database(
        { file: "" },
        {
          migrations: ["CREATE TABLE things (thing INTEGER)"],
          openDisk: () =>
            disk.open({
              timers: {
                now: () => queue.now,
                after: (ms, run) => {
                  queue.after(ms, run);
                  return () => undefined;
                },
              },
              isAlive: () => true,
              facts: new DurableFacts(),
            }),
        },
      );
    const things = (database: Database): unknown =>
      database.all("SELECT thing FROM things").map(({ thing }) => thing);
    const add = (database: Database, thing: number): void => {
      database.write(() =>
        database.run("INSERT INTO things VALUES (?)", thing),
      );
    };
    const flushes = (database: Database): boolean => {
      let isDurable: boolean | undefined;
      database.flush((error) => (isDurable = error === undefined));
      while (queue.step());
      if (isDurable === undefined) throw new Error("Nobody was told.");
      return isDurable;
    };
    const first = start();
    add(first, 1);
    expect(flushes(first)).to.equal(true);
    add(first, 2);
    fault = "refused";
    expect(flushes(first)).to.equal(false);
    fault = "none";
    add(first, 3);
    expect(flushes(first)).to.equal(false);
    expect(things(first)).to.deep.equal([1, 2, 3]);
    // The process may end in any way: nothing is written late.
    disk.crash({ isKept: true });
    const second = start();
    expect(things(second)).to.deep.equal([1]);
    add(second, 4);
    expect(flushes(second)).to.equal(true);
    expect(things(second)).to.deep.equal([1, 4]);
    disk.close();
  });
});
