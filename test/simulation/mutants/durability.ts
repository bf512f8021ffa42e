import { inside } from "../../helpers/sabotage/edit.ts";
import {
  argument,
  call,
  condition,
  element,
  ifOn,
  listed,
  operand,
  property,
  returned,
  spread,
  value,
} from "../../helpers/sabotage/places.ts";
import type { Mutant } from "./catalogue.ts";

/** Permissions, and what is durable when. */
export const permissions: Mutant[] = [
  {
    name: "permits whoever asks",
    edits: [inside("denialOf").drops(ifOn("sentTo"))],
    properties: ["S16"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "sends a permission that is not saved",
    edits: [inside("permit").drops(call("save"))],
    properties: ["S15"],
    runs: { faults: "none" },
  },
  {
    name: "permits a bundle whose digest is another's",
    edits: [inside("receivePermissionRequest").drops(operand("bundleDigest"))],
    properties: ["S16"],
    runs: { faults: "byzantine", nodes: 2 },
  },
  {
    name: "permits a bundle that is valid for ever",
    edits: [
      inside("receivePermissionRequest.isSame").puts(
        operand("validUntil"),
        "bundle.validUntil > 0",
      ),
    ],
    properties: ["S16"],
    runs: { faults: "byzantine", liar: "precise", nodes: 2 },
  },
  {
    name: "permits a step that it has assembled differently since",
    edits: [inside("denialOf").puts(returned("isSame"), "undefined")],
    properties: ["S16"],
    runs: { faults: "network", nodes: 3, intents: 80 },
  },
  {
    name: "does not count permissions",
    edits: [inside("permit").puts(value("attempt"), "1")],
    properties: ["S18"],
    runs: { faults: "crash" },
  },
  {
    name: "signs what is not saved",
    edits: [inside("finishEndorsement").drops(call("effects.push"))],
    properties: ["S45"],
    runs: { faults: "none" },
  },
  {
    name: "forgets what it signed when it restarts",
    edits: [inside("restore").drops(call("keepSigned"))],
    properties: ["S45"],
    runs: { faults: "crash" },
  },
  {
    name: "accepts an intent before it is saved",
    edits: [
      inside("senderTransactionTable.Initial.Created").drops(element("save")),
    ],
    properties: ["S12"],
    runs: { faults: "none" },
  },
  {
    name: "acknowledges a dispatch that is not saved",
    edits: [
      inside("sender/transaction/table: dispatched").drops(
        element("noteDispatch"),
      ),
    ],
    properties: ["S19"],
    runs: { faults: "none" },
  },
  {
    name: "submits what is not saved",
    edits: [
      inside("coordinator/dispatch: dispatch").drops(
        argument("effects.push", "Save"),
      ),
    ],
    properties: ["S19"],
    runs: { faults: "none" },
  },
  {
    name: "reports a revert while a step of it is live",
    edits: [inside("hasNoLiveStep").puts(returned(), "true")],
    properties: ["S14"],
    runs: { faults: "all" },
  },
  {
    name: "forgets that a permission expires",
    edits: [inside("seeBlock").drops(call("expire"))],
    properties: ["L2"],
    runs: { faults: "all" },
  },
];

/** Restarts. */
export const restarts: Mutant[] = [
  {
    name: "forgets dispatched work when it restarts",
    edits: [inside("restore").drops(ifOn("dispatch"))],
    properties: ["S19"],
    runs: { faults: "crash" },
  },
  {
    name: "counts retries from zero after a restart",
    edits: [
      inside("restoreIntent").addsAfter(spread("pickSaved"), "retries: 0"),
    ],
    properties: ["S36"],
    runs: { faults: "all", nodes: 3 },
  },
  {
    name: "forgets open intents when it restarts",
    edits: [inside("restore").drops(call("restoreIntent"))],
    properties: ["L2", "S13", "S14"],
    runs: { faults: "crash" },
  },
  {
    name: "leaves confirmed what a reorganisation took back",
    edits: [inside("revertBlocks").puts(listed("reopened"), "[]")],
    properties: ["S35"],
    runs: { faults: "chain", intents: 80 },
  },
  {
    name: "tries again without a pause",
    edits: [inside("retryLater").puts(value("retryTick"), "0")],
    properties: ["L10"],
    runs: { faults: "all" },
  },
  {
    name: "tries again without a pause when the coordinator changes",
    edits: [
      inside("changeDelegate").drops(operand("undefined")),
      inside("takeOutgoing").drops(ifOn("retryTick")),
    ],
    properties: ["L10"],
    runs: { faults: "none", policy: "rotating", intents: 80 },
  },
  {
    name: "counts a failure twice",
    edits: [
      inside("senderTransactionTable.Delegated").addsAfter(
        property("AssembleRequestReceived"),
        "ConfirmedReverted: failed",
      ),
    ],
    properties: ["S41"],
    runs: { faults: "chain", intents: 80 },
  },
  {
    name: "counts the failure of another bundle",
    edits: [
      inside("receiveReverted.isMeant").puts(
        operand("digest"),
        "permission !== undefined",
      ),
    ],
    properties: ["S41"],
    runs: { faults: "byzantine", nodes: 2, intents: 80 },
  },
  {
    name: "counts a refusal of what it assembled before",
    edits: [inside("receiveRefused").drops(operand("request"))],
    properties: ["S41"],
    runs: { faults: "byzantine", liar: "precise", nodes: 2 },
  },
  {
    name: "forgets what a coordinator did not accept",
    edits: [inside("acceptDelegation").puts(condition("isAccepted"), "true")],
    properties: ["L4", "L2"],
    runs: { faults: "byzantine", nodes: 3 },
  },
  {
    name: "leaves a transaction with a coordinator that has forgotten it",
    edits: [inside("sender/actions: follow").puts(operand("listed"), "false")],
    properties: ["L4"],
    runs: { faults: "crash" },
  },
];
