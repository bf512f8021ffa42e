import { inside } from "../../helpers/sabotage/edit.ts";
import {
  argument,
  assignment,
  call,
  caseOf,
  element,
  guardOf,
  ifOn,
  listed,
  operand,
  property,
  returned,
} from "../../helpers/sabotage/places.ts";
import type { Mutant } from "./catalogue.ts";

/** Handover and failover. */
export const handovers: Mutant[] = [
  {
    name: "dispatches before the flush point",
    edits: [inside("hasToWaitFor").puts(operand("flushUntil"), "false")],
    properties: ["S27"],
    runs: { faults: "none" },
  },
  {
    name: "dispatches before it has the role",
    edits: [
      inside("coordinatorTable.Prepared").addsAfter(
        property("BundleDissolved"),
        'BundleEndorsed: [{ to: "Prepared", run: [askPermission] }]',
      ),
      inside("receivePermission").puts(
        guardOf(call("dispatchPermitted")),
        "true",
      ),
    ],
    properties: ["S27"],
    runs: { faults: "none", policy: "rotating" },
  },
  {
    name: "believes a late word that a flush is over",
    edits: [inside("isPredecessorClosing").drops(operand("handoverHeight"))],
    properties: ["S27"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3, intents: 80 },
  },
  {
    name: "drops dispatched work when it hands over",
    edits: [
      inside("coordinator/handover: handOver").addsAfter(
        assignment("successor"),
        "coordinator.dispatched.clear();",
      ),
    ],
    properties: ["S26", "R1", "S19", "L18"],
    runs: { faults: "none" },
  },
  {
    name: "keeps what it must return when it hands over",
    edits: [inside("coordinator/handover: handOver").drops(call("returnWork"))],
    properties: ["S28", "R1", "L2"],
    runs: { faults: "none" },
  },
  {
    name: "forgets what is returned",
    edits: [inside("sender/transaction/table: again").drops(element("queue"))],
    properties: ["L2", "L4"],
    runs: { faults: "none" },
  },
  {
    name: "ignores what is returned",
    edits: [
      inside("receiveMessage", caseOf("DelegationReturned")).puts(
        listed("ids"),
        "[]",
      ),
    ],
    properties: ["L4"],
    runs: { faults: "network" },
  },
  {
    name: "sends a handover only once",
    edits: [inside("pass").drops(call("sendHandover"))],
    properties: ["L18"],
    runs: { faults: "network" },
  },
  {
    name: "tells of a dispatch only once",
    edits: [inside("pass").drops(call("notifyDispatched"))],
    properties: ["L18"],
    runs: { faults: "network" },
  },
  {
    name: "never skips a silent node",
    edits: [inside("giveUpOn").drops(call("silent.set"))],
    properties: ["L3"],
    runs: { faults: "crash" },
  },
  {
    name: "never forgives a silent node",
    edits: [inside("giveUpOn").puts(argument("silent.set", 1), "Infinity")],
    properties: ["L3"],
    runs: { faults: "network" },
  },
  {
    name: "waits for ever for a silent coordinator",
    edits: [inside("sender/actions: watch").drops(call("giveUpOn"))],
    properties: ["L3"],
    runs: { faults: "all", policy: "rotating", nodes: 2, intents: 40 },
  },
  {
    name: "waits for ever for a handover",
    edits: [inside("watchPredecessor").drops(call("tellCoordinator"))],
    properties: ["L8"],
    runs: { faults: "all" },
  },
  {
    name: "flushes for ever",
    edits: [
      inside("coordinatorTable.Flush").drops(property("NewBlock")),
      inside("coordinatorTable.Flush").drops(property("HeartbeatInterval")),
    ],
    properties: ["L8"],
    runs: { faults: "none", policy: "rotating" },
  },
  {
    name: "closes for ever",
    edits: [inside("coordinator/guards: isClosed").puts(returned(), "false")],
    properties: ["L8"],
    runs: { faults: "none", policy: "rotating" },
  },
  {
    name: "takes the role although it is drained",
    edits: [inside("isEntitled").drops(ifOn("isDraining"))],
    properties: ["S54"],
    runs: { faults: "all" },
  },
  {
    name: "keeps the role when it is drained",
    edits: [
      inside("coordinator/guards: mayLeave").puts(returned(), "false"),
      inside("mayLeaveAtOnce").puts(returned(), "false"),
    ],
    properties: ["L24"],
    runs: { faults: "all" },
  },
  {
    name: "does not give way to a better claim",
    edits: [inside("isOutrankedBy").puts(operand("outranks"), "false")],
    properties: ["L1"],
    runs: { faults: "network", nodes: 2, intents: 300 },
  },
  {
    name: "takes the role over although the policy is sticky",
    edits: [inside("shouldTakeOver").drops(operand("rotating"))],
    properties: ["L6"],
    runs: { faults: "none", policy: "sticky", intents: 300 },
  },
  {
    name: "falls never silent",
    edits: [inside("hasNoWork").puts(operand("transactions"), "false")],
    properties: ["L17"],
    runs: { faults: "none" },
  },
];
