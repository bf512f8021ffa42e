import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { type Disk, openMachineDisk } from "../../src/store/disk.ts";
import { Queue } from "../../src/simulation/queue.ts";
import { Random } from "../../src/simulation/random.ts";
import { SimulatedDisk } from "../../src/simulation/whole/disk.ts";
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
