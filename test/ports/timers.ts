import { machineTimers, type Timers } from "../../src/async/timers.ts";
import { Queue } from "../../src/simulation/queue.ts";
import { Random } from "../../src/simulation/random.ts";
import { SimulatedDisk } from "../../src/simulation/whole/disk.ts";
import { SimulatedMachine } from "../../src/simulation/whole/machine.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { timersFaster } from "../helpers/impatient-timers.ts";
import { untilInTime } from "./suites/real-time.ts";
import { describeTimers, type TimersUnderTest } from "./suites/timers.ts";

/** Time of this machine, which goes on by itself. */
const real = (timers: Timers): TimersUnderTest => ({
  timers,
  until: untilInTime,
});

describeTimers("the machine's", () => real(machineTimers));
describeTimers("the machine's, in haste", () => real(timersFaster(1)));

describeTimers("a simulated machine's", () => {
  const queue = new Queue();
  const disk = new SimulatedDisk({
    flushMs: () => 0,
    drawFault: () => "none",
    onFlushed: () => undefined,
  });
  const { timers } = new SimulatedMachine({
    queue,
    disk,
    random: new Random(1),
    keyBytesOf: () => "",
  });
  return {
    timers,
    until: async (holds) => {
      while (!holds() && queue.step());
      await Promise.resolve();
    },
  };
});

describeTimers("those of tests", () => {
  const timers = new FakeTimers();
  return {
    timers,
    until: async (holds) => {
      while (!holds() && timers.size > 0) timers.advance(1);
      await Promise.resolve();
    },
  };
});
