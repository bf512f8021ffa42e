import type { Mutant } from "./catalogue.ts";

/** Groups without work. */
export const rests: Mutant[] = [
  {
    name: "beats at once when it wakes",
    file: "rest.ts",
    find: "node.tick - ((node.tick - firstBeat) % beatTicks)",
    replace: "node.tick",
    properties: ["S44"],
    runs: { faults: "none" },
  },
  {
    name: "rests while a handover is not acknowledged",
    file: "rest.ts",
    find: "dispatched.size === 0 &&\n    handovers.size === 0",
    replace: "dispatched.size === 0",
    properties: ["S44"],
    runs: { faults: "network" },
  },
  {
    name: "rests while a check waits for a block",
    file: "rest.ts",
    find: "checking.size === 0 && deferred.size === 0",
    replace: "checking.size === 0",
    properties: ["S44"],
    runs: { faults: "all" },
  },
  {
    name: "never rests after an intent that reverted",
    file: "sequencer.ts",
    find: `      tellSender(turn, { type: "TransactionConfirmed" });\n`,
    replace: "",
    properties: ["R1"],
    runs: { faults: "none" },
  },
];
