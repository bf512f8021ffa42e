import type { WholeOptions } from "../../../../src/simulation/whole/settings.ts";
import { inside, type Sabotage } from "../../../helpers/sabotage/edit.ts";
import {
  argument,
  call,
  caseOf,
  condition,
  ifOn,
  returned,
  spread,
  value,
} from "../../../helpers/sabotage/places.ts";

/** A sabotage of the node around the protocol, and what must notice it. */
export interface ShellMutant extends Sabotage {
  /** Properties that may report it. */
  readonly properties: readonly string[];
  /** Seeds within which it must be noticed, from the first one on. */
  readonly seedsMax: number;
  /** To notice it takes long: only long runs look for it. */
  readonly isSlow?: true;
  /** The runs that find it soonest. */
  readonly runs: Pick<
    WholeOptions,
    "faults" | "policy" | "nodes" | "intents" | "liar"
  >;
}

const few = { nodes: 3, intents: 12 } as const;
const many = { nodes: 3, intents: 40 } as const;

/** Sabotages that seeds of the whole lane notice. */
export const shellMutants: readonly ShellMutant[] = [
  {
    name: "accepts an intent before it is on the disk",
    edits: [
      inside("Intake.take").puts(
        call("requests.ask"),
        'loop.post({ type: "submitted", work, record, request: 0 }, rank)',
      ),
    ],
    properties: ["L2", "S12", "S14", "S23", "S50"],
    seedsMax: 20,
    runs: { faults: "crash", ...few },
  },
  {
    name: "goes on when the disk does not take what it writes",
    edits: [inside("LoopDriver.#flush").puts(condition("error"), "true")],
    properties: ["L2", "L23", "S12", "S14", "S15", "S19", "S45", "S51"],
    seedsMax: 40,
    runs: { faults: "crash", ...many },
  },
  {
    name: "applies a block without its states",
    edits: [
      inside("StoreWriter.apply", caseOf("apply-transitions")).drops(
        call("runner.apply"),
      ),
    ],
    properties: ["conserved"],
    seedsMax: 3,
    runs: { faults: "all", ...few },
  },
  {
    name: "keeps states of blocks that were replaced",
    edits: [inside("StoreWriter.#revertBlocks").drops(call("states.revertTo"))],
    properties: ["S23"],
    seedsMax: 5,
    runs: { faults: "chain", ...few },
  },
  {
    name: "keeps receipts of blocks that were replaced",
    edits: [
      inside("BlockFeed").puts(argument("confirmedAbove", 1), "Infinity"),
    ],
    properties: ["S14"],
    seedsMax: 20,
    runs: { faults: "chain", policy: "rotating", ...many },
  },
  {
    name: "does not tell users that a receipt is taken back",
    edits: [
      inside("StoreWriter.apply", caseOf("unsettle")).drops(call("unsettle")),
    ],
    properties: ["S14"],
    seedsMax: 60,
    runs: { faults: "chain", policy: "sticky", nodes: 4, intents: 40 },
  },
  {
    name: "sees no reorganisation",
    edits: [inside("Indexer.#step").puts(value("compared"), `"same"`)],
    properties: ["L2"],
    seedsMax: 5,
    runs: { faults: "chain", ...few },
  },
  {
    name: "believes an endpoint that shows no logs of a block",
    edits: [
      inside("BlockLogs.#complete").puts(condition("isSingleSource"), "true"),
    ],
    properties: ["S23"],
    seedsMax: 15,
    runs: { faults: "chain", ...few },
  },
  {
    name: "forgets open intents when it starts again",
    edits: [inside("GroupRunner").drops(spread("records", "open"))],
    properties: ["L2", "S14", "S51"],
    seedsMax: 5,
    runs: { faults: "crash", ...few },
  },
  {
    name: "asks only one peer for states that it missed",
    edits: [
      inside("CatchUp.#nextFor").puts(
        returned("next"),
        "new Set(first.slice(0, 1))",
      ),
    ],
    properties: ["L23"],
    seedsMax: 5,
    isSlow: true,
    runs: { faults: "crash", nodes: 4, intents: 12 },
  },
  {
    name: "submits what is not saved with the dispatch",
    edits: [
      inside("node/group-effects: addDispatch").drops(call("draft.write")),
    ],
    properties: ["L2"],
    seedsMax: 3,
    runs: { faults: "all", ...few },
  },
  {
    name: "uses a nonce again that a transaction of its own has",
    edits: [inside("nextNonce").puts(returned("jobs"), "count")],
    properties: ["S23"],
    seedsMax: 5,
    runs: { faults: "all", ...few },
  },
  {
    name: "performs effects before the writes that they follow from are flushed",
    edits: [
      inside("LoopDriver.#flush").addsBefore(
        call("store.flush"),
        "this.#perform(batch, machine); batch = { ...batch, effects: [] };",
      ),
    ],
    properties: ["S12", "S14", "S15", "S19", "S45"],
    seedsMax: 3,
    runs: { faults: "crash", ...many },
  },
  {
    name: "signs a bundle whose content is not on its disk",
    edits: [inside("StoreWriter.#saveRecord").drops(call("bundles.save"))],
    properties: ["S45"],
    seedsMax: 3,
    runs: { faults: "all", ...many },
  },
  {
    name: "takes an envelope twice",
    edits: [inside("EnvelopeOpener.open").drops(ifOn("isNew"))],
    properties: ["S52"],
    seedsMax: 3,
    runs: { faults: "network", ...few },
  },
  {
    name: "listens to an old instance of a peer",
    edits: [inside("EnvelopeOpener.open").drops(ifOn("isBefore"))],
    properties: ["S52"],
    seedsMax: 20,
    runs: { faults: "crash", ...few },
  },
  {
    name: "signs a dispatch again under another nonce after a restart",
    edits: [
      inside("Submitter.#take").puts(
        argument("account.add", 0),
        "{ ...saved, signing: undefined }",
      ),
    ],
    properties: ["S23", "S53"],
    seedsMax: 5,
    runs: { faults: "crash", ...many },
  },
  {
    // One of them alone changes nothing: the id of an intent names its group too.
    name: "signs steps that mean the same in every group",
    edits: [
      inside("stepHashIn").puts(value("scope"), '""'),
      inside("laneOfSender").puts(
        value("text"),
        'JSON.stringify(["lane", sender, salt])',
      ),
    ],
    properties: ["S47"],
    seedsMax: 40,
    runs: { faults: "byzantine", ...many },
  },
  {
    name: "does not correct a receipt that the ledger contradicts",
    edits: [inside("BlockFeed").puts(value("contradicted"), "[]")],
    properties: ["S14"],
    seedsMax: 10,
    runs: { faults: "chain", ...many },
  },
  {
    name: "takes a late backend for a reorganisation",
    edits: [inside("Branches.#agree").puts(condition("isSimulated"), "true")],
    properties: ["S34"],
    seedsMax: 3,
    runs: { faults: "chain", ...few },
  },
  {
    name: "keeps whatever a peer sends, however much waits",
    edits: [inside("PeerQuotas.take").puts(condition("isFull"), "false")],
    properties: ["L22"],
    seedsMax: 5,
    runs: { faults: "byzantine", liar: "flooder", ...few },
  },
  {
    name: "works for as long as there is work, and lets nobody else",
    edits: [
      inside("LoopDriver.#take").puts(argument("loop.ready", 1), "() => true"),
    ],
    properties: ["L22"],
    seedsMax: 5,
    runs: { faults: "byzantine", liar: "flooder", ...few },
  },
];
