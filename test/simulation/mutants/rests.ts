import { inside } from "../../helpers/sabotage/edit.ts";
import { operand, rule, value } from "../../helpers/sabotage/places.ts";
import type { Mutant } from "./catalogue.ts";

/** Groups without work. */
export const rests: Mutant[] = [
  {
    name: "beats at once when it wakes",
    edits: [
      inside("protocol/rest: catchUp").puts(
        value("heartbeatTick"),
        "node.tick",
      ),
    ],
    properties: ["S44"],
    runs: { faults: "none" },
  },
  {
    name: "rests while a handover is not acknowledged",
    edits: [inside("hasNothingToCoordinate").drops(operand("handovers"))],
    properties: ["S44"],
    runs: { faults: "network" },
  },
  {
    name: "rests while a check waits for a block",
    edits: [inside("hasNothingToCheck").drops(operand("deferred"))],
    properties: ["S44"],
    runs: { faults: "all" },
  },
  {
    name: "never rests after an intent that reverted",
    edits: [
      inside(
        "senderTable.Sending.TransactionEnded",
        rule("stopDelegating"),
      ).puts(value("to"), '"Sending"'),
    ],
    properties: ["R1", "S26"],
    runs: { faults: "none" },
  },
];
