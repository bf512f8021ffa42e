import { inside } from "../../helpers/sabotage/edit.ts";
import {
  call,
  caseOf,
  condition,
  element,
  guardOf,
  ifOn,
  operand,
  returned,
  value,
} from "../../helpers/sabotage/places.ts";
import type { Mutant, TestedMutant } from "./catalogue.ts";

// Most of these have a second line of defence behind them, in a domain or on the ledger. So the simulator looks at what a
// node does, and not only at what comes of it, and its liars change one thing in an exchange that is otherwise right.

/** Whom a sender believes, and what it permits. */
export const senderTrust: Mutant[] = [
  {
    name: "never leaves a coordinator that does nothing",
    edits: [inside("watchProgress").puts(value("isLate"), "false")],
    properties: ["L22"],
    runs: { faults: "byzantine", liar: "hostage", isLasting: true, nodes: 3 },
  },
  {
    name: "believes anybody that a bundle is dispatched",
    edits: [inside("receiveDispatched").drops(operand("from"))],
    properties: ["S46"],
    runs: { faults: "byzantine", liar: "precise", nodes: 4 },
  },
  {
    name: "believes anybody that a bundle failed",
    edits: [inside("receiveReverted.isMeant").drops(operand("from"))],
    properties: ["S41", "S46"],
    runs: { faults: "byzantine", liar: "precise", nodes: 4 },
  },
  {
    name: "takes back what anybody returns",
    edits: [
      inside("receiveMessage", caseOf("DelegationReturned")).puts(
        condition("sentTo"),
        "transaction !== undefined",
      ),
    ],
    properties: ["S46"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "permits a bundle whose last block is now",
    edits: [
      inside("receivePermissionRequest.isIntact").puts(
        operand("validUntil"),
        "bundle.validUntil >= node.height",
      ),
    ],
    properties: ["S16"],
    runs: { faults: "byzantine", liar: "precise", nodes: 2 },
  },
  {
    name: "reports a revert one block before the end of a step",
    edits: [
      inside("hasNoLiveStep").puts(returned(), "node.height + 1 >= liveUntil"),
    ],
    properties: ["S14"],
    runs: { faults: "byzantine", liar: "precise", nodes: 2, intents: 80 },
  },
  {
    name: "goes on with dependants of what a reorganisation took back",
    edits: [inside("revertBlocks").drops(call("waitAgain"))],
    properties: ["S35"],
    runs: { faults: "chain", intents: 80 },
  },
];

/** What a coordinator takes for true. */
export const coordinatorTrust: Mutant[] = [
  {
    name: "takes a step of another intent",
    edits: [inside("receiveOutcome.isMine").drops(operand("intentId"))],
    properties: ["S26"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "takes a step of another sender",
    edits: [inside("receiveOutcome.isMine").drops(operand("sender"))],
    properties: ["S26"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "takes a step that reads what is spent",
    edits: [inside("conflicts").drops(operand("reads"))],
    properties: ["S26", "S40"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3, intents: 80 },
  },
  {
    name: "counts endorsements from outside the committee",
    edits: [inside("receiveEndorsement").drops(operand("committee"))],
    properties: ["S4"],
    runs: { faults: "byzantine", liar: "precise", nodes: 5 },
  },
  {
    name: "says that it has an intent when it has another sender's",
    edits: [
      inside("coordinator/delegation: accept").puts(
        condition("known", "sender"),
        "true",
      ),
    ],
    properties: ["L4"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "takes an intent under the id of another node",
    edits: [
      inside("coordinator/delegation: accept").puts(
        condition("isOwnIntent"),
        "false",
      ),
    ],
    properties: ["S30", "S26", "L4"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "hands back a preparation that can no longer happen",
    edits: [inside("handBack").puts(condition("conflicts"), "false")],
    properties: ["S40"],
    runs: { faults: "network", nodes: 3, intents: 80 },
  },
];

/** Whom it succeeds. */
export const successionTrust: Mutant[] = [
  {
    name: "believes a heartbeat that comes late",
    edits: [inside("receiveHeartbeat").puts(condition("isLate"), "false")],
    properties: ["S41"],
    runs: { faults: "network" },
  },
  {
    name: "waits for as long as a predecessor says",
    edits: [
      inside("coordinator/handover: prepare").puts(
        call("Math.min", "flushUntil"),
        "handover.flushUntil",
      ),
    ],
    properties: ["L8"],
    runs: {
      faults: "byzantine",
      liar: "precise",
      policy: "rotating",
      intents: 80,
    },
  },
  {
    name: "builds on what a predecessor's work did not come to",
    edits: [inside("seeFlushed").puts(condition("isAwaited"), "true")],
    properties: ["S25"],
    runs: {
      faults: "byzantine",
      liar: "precise",
      policy: "rotating",
      intents: 80,
    },
  },
  {
    name: "keeps what it built without knowing of its predecessor's work",
    edits: [inside("coordinator/table: overtaken").drops(element("stepBack"))],
    properties: ["S27"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3, intents: 80 },
  },
];

/** What an endorser looks at by itself. */
export const endorserTrust: Mutant[] = [
  {
    name: "endorses what has happened",
    edits: [inside("findFault").puts(condition("done"), "false")],
    properties: ["S30"],
    runs: { faults: "network" },
  },
  {
    name: "endorses under a digest that is not the bundle's",
    edits: [inside("findFault").puts(condition("digestOf"), "false")],
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "endorses what can no longer happen",
    edits: [inside("findFault").puts(guardOf(returned("expired")), "false")],
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "endorses what happens after one of its steps may",
    edits: [inside("findFault").puts(value("short"), "[]")],
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "endorses for any time",
    edits: [
      inside("findFault").puts(condition("VALIDITIES_MAX"), "false"),
      inside("findFault").puts(value("short"), "[]"),
    ],

    // No step is valid for that long.
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "extremist", nodes: 3 },
  },
  {
    name: "endorses under the id of another node",
    edits: [inside("findFault").puts(value("claimed"), "[]")],
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "keeps requests of any height",
    edits: [inside("receiveEndorsementRequest").drops(ifOn("aheadBlocks"))],
    properties: ["L22"],
    runs: { faults: "byzantine", liar: "extremist", nodes: 3 },
  },
];

/** What a test of one node notices. */
export const tested: TestedMutant[] = [
  {
    name: "remembers only how long its last step lives",
    edits: [inside("keepStep").puts(call("Math.max"), "step.validUntil")],
    test: {
      file: "longest-step.ts",
      name: "ends it when the step that lives longest can no longer happen",
    },
    why: "A sender signs for less than before only after a reorganisation, and then for few blocks less: the intent must fail within these.",
  },
  {
    name: "permits what its coordinator no longer wants",
    edits: [inside("receivePermissionRequest").drops(call("supersede"))],
    test: {
      file: "dependencies.ts",
      name: "permits what it was asked for last, once it can tell",
    },
    why: "A sender must be behind while another one in the same bundle denies it; the coordinator then ignores the permission for what it has taken apart.",
  },
];
