import { inside } from "../../helpers/sabotage/edit.ts";
import {
  argument,
  assignment,
  branchOn,
  call,
  callee,
  caseOf,
  condition,
  guardOf,
  ifOn,
  listed,
  operand,
  returned,
  value,
} from "../../helpers/sabotage/places.ts";
import type { Mutant } from "./catalogue.ts";

/** Endorsements. */
export const endorsements: Mutant[] = [
  {
    name: "endorses in somebody else's name",
    edits: [inside("receiveEndorsementRequest").drops(operand("coordinator"))],
    properties: ["S32"],
    runs: { faults: "byzantine", mode: "local", nodes: 3 },
  },
  {
    name: "counts an endorsement of another bundle",
    edits: [inside("findBundle").drops(operand("digest"))],
    properties: ["S4", "S15"],
    runs: { faults: "byzantine" },
  },
  {
    name: "counts an endorsement twice",
    edits: [
      inside("receiveEndorsement").puts(
        argument("endorsements.set", 0),
        "from + work.endorsements.size",
      ),
    ],
    properties: ["S4"],
    runs: { faults: "network" },
  },
  {
    name: "is content with one endorsement less",
    edits: [
      inside("receiveEndorsement").puts(
        operand("threshold"),
        "work.endorsements.size + 1 < config.threshold",
      ),
    ],
    properties: ["S4", "L2"],
    runs: { faults: "none" },
  },
  {
    name: "endorses before it has seen the coordinator's blocks",
    edits: [
      inside("receiveEndorsementRequest").puts(guardOf(call("defer")), "false"),
    ],
    properties: ["S29"],
    runs: { faults: "chain" },
  },
  {
    name: "endorses for a node that may not coordinate",
    edits: [inside("isJustified").drops(ifOn("includes"))],
    properties: ["S32"],
    runs: { faults: "byzantine", liar: "clumsy", mode: "remote", nodes: 3 },
  },
];

/** What others may see. */
export const secrets: Mutant[] = [
  {
    name: "tells everybody what is in flight",
    edits: [
      inside("viewFor").puts(
        condition("committee"),
        "config.members.includes(member)",
      ),
    ],
    properties: ["S42"],
    runs: { faults: "none", nodes: 5 },
  },
];

/** Assembly, locks, dependencies. */
export const assemblies: Mutant[] = [
  {
    name: "takes foreign work in local mode",
    edits: [inside("isEntitled").puts(returned("from"), "true")],
    properties: ["S32"],
    runs: { faults: "byzantine", liar: "clumsy", mode: "local" },
  },
  {
    name: "takes foreign work in local mode while it is at work",
    edits: [inside("mayDelegate").puts(returned(), "true")],
    properties: ["S32"],
    runs: { faults: "byzantine", liar: "clumsy", mode: "local" },
  },
  {
    name: "passes over those who touch anything",
    edits: [inside("askInTurn").puts(branchOn("touches"), "continue;")],
    properties: ["L13"],
    runs: { faults: "none", intents: 300 },
  },
  {
    name: "takes a step that spends what is locked",
    edits: [inside("receiveOutcome").drops(operand("conflicts"))],
    properties: ["S26"],
    runs: { faults: "byzantine", nodes: 3, intents: 80 },
  },
  {
    name: "goes on with a bundle that has expired",
    edits: [inside("lastsForBundle").puts(returned(), "validUntil > 0")],
    properties: ["L10"],
    runs: { faults: "all" },
  },
  {
    name: "serves the same sender first, again and again",
    edits: [inside("askInTurn").puts(callee("turns.push"), "turns.unshift")],
    properties: ["L13"],
    runs: { faults: "none", intents: 300 },
  },
  {
    name: "asks a sender again at once that did not answer",
    edits: [inside("askInTurn").drops(ifOn("isPaused"))],
    properties: ["L15"],
    runs: { faults: "byzantine" },
  },
  {
    name: "never forgives a sender that did not answer",
    edits: [inside("noteSilence").puts(value("pause"), "Infinity")],
    properties: ["L13"],
    runs: { faults: "byzantine" },
  },
  {
    name: "keeps the work of a sender that did not answer",
    edits: [inside("returnTo").drops(call("tellTransaction"))],
    properties: ["L2", "L13", "S26"],
    runs: { faults: "byzantine" },
  },
  {
    name: "assembles before it has seen the coordinator's blocks",
    edits: [inside("startAssembly").puts(operand("height"), "false")],
    properties: ["S29"],
    runs: { faults: "chain" },
  },
  {
    name: "takes delegations for a range that it has not seen",
    edits: [inside("isEntitled").drops(operand("rangeOf"))],
    properties: ["S29"],
    runs: { faults: "chain" },
  },
  {
    name: "follows the heartbeat of anybody",
    edits: [
      inside("receiveMessage", caseOf("Heartbeat")).drops(ifOn("candidates")),
    ],
    properties: ["S32"],
    runs: { faults: "byzantine", mode: "remote" },
  },
  {
    name: "takes a stale answer for an assembly",
    edits: [
      inside("sender/assembly: finishAssembly").puts(
        condition("key"),
        "assembly === undefined",
      ),
    ],
    properties: ["S41", "S25", "S26"],
    runs: { faults: "all", nodes: 3 },
  },
  {
    name: "does not lock what is spent",
    edits: [inside("addToContext").drops(call("spent.set"))],
    properties: ["S26"],
    runs: { faults: "none" },
  },
  {
    name: "keeps locks of a transaction that falls",
    edits: [inside("fall").drops(call("removeFromContext"))],
    properties: ["S26"],
    runs: { faults: "all" },
  },
  {
    name: "keeps what was built on a transaction that falls",
    edits: [inside("fall").puts(listed("usedBy"), "[]")],
    properties: ["S25", "S26"],
    runs: { faults: "network" },
  },
  {
    name: "dispatches what a sender denied",
    edits: [
      inside("coordinatorTransactionTable.Confirming_Dispatch").puts(
        value("DispatchConfirmationRejected"),
        `[{ to: "Confirming_Dispatch" }]`,
      ),
      inside("receiveDenial").puts(
        call("noteOffence"),
        "work.unpermitted.delete(from)",
      ),
      inside("receiveDenial").puts(call("dissolve"), "dispatchPermitted(turn)"),
    ],
    properties: ["S15"],
    runs: { faults: "crash", nodes: 3, intents: 10 },
  },
  {
    name: "leaves the bundle together when a step falls",
    edits: [inside("fall").drops(call("dissolveBundleOf"))],
    properties: ["S25", "S26"],
    runs: { faults: "all" },
  },
  {
    name: "permits what is to happen after something that it has not seen",
    edits: [inside("isInOrder").puts(returned("waitsFor"), "true")],
    properties: ["dependsOn"],
    runs: { faults: "chain" },
  },
  {
    name: "lets dependants of a reverted intent wait",
    edits: [
      inside("sender/transaction/actions: settle").drops(call("failed.push")),
    ],
    properties: ["L2"],
    runs: { faults: "none" },
  },
  {
    name: "keeps to itself that its intents failed",
    edits: [inside("answerQuery").drops(ifOn("ids"))],
    properties: ["L2"],
    runs: { faults: "none", nodes: 4, intents: 80 },
  },
  {
    name: "forgets a resumed intent",
    edits: [inside("unpark").drops(call("queue"))],
    properties: ["L2"],
    runs: { faults: "none" },
  },
];

/** Reverts that only a coordinator sees. */
export const reverts: Mutant[] = [
  {
    name: "ends what reverts on the coordinator's word",
    edits: [
      inside("eventOf", caseOf("postponed")).puts(
        value("type"),
        `"AssembleRevert"`,
      ),
    ],
    properties: ["S43"],
    runs: { faults: "byzantine" },
  },
  {
    name: "ends a dependant before the ledger has what it depends on",
    edits: [inside("sender/assembly: judge").puts(operand("isEarly"), "false")],
    properties: ["S43"],
    runs: { faults: "none" },
  },
  {
    name: "delegates at once what was postponed",
    edits: [
      inside("postpone").puts(value("retryTick"), "0"),
      inside("postpone").addsAfter(
        assignment("retryTick"),
        "push(sender.outgoing, transaction.sequence, id);",
      ),
    ],
    properties: ["L10"],
    runs: { faults: "none" },
  },
  {
    name: "forgets what was postponed",
    edits: [
      inside("postpone").drops(call("push")),
      inside("postpone").drops(call("postponed.add")),
    ],
    properties: ["L2"],
    runs: { faults: "none" },
  },
];

/** What is only to be prepared. */
export const preparations: Mutant[] = [
  {
    name: "dispatches what is only to be prepared",
    edits: [inside("addStep").puts(condition("isPrepareOnly"), "false")],
    properties: ["S40"],
    runs: { faults: "none" },
  },
  {
    name: "builds on what is only to be prepared",
    edits: [inside("takeBatch").drops(ifOn("isPrepareOnly"))],
    properties: ["S25", "S40"],
    runs: { faults: "network" },
  },
  {
    name: "forgets after a restart what it prepared",
    edits: [
      inside("restoreIntent").puts(
        call("restorePrepared"),
        "sender.transactions.delete(transaction.id)",
      ),
    ],
    properties: ["S14", "L2"],
    runs: { faults: "crash" },
  },
];
