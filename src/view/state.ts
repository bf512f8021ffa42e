import type { GroupStatus, NodeStatus } from "../node/service.ts";
import type { RunFact, RunSummary } from "./facts.ts";
import { toLines } from "./plain.ts";

type FactOf<Type extends RunFact["type"]> = Extract<
  RunFact,
  { readonly type: Type }
>;

/** Something that was said, and when. */
export interface Remark {
  readonly atMs: number;
  readonly text: string;
  readonly isTrouble: boolean;
}

/** How many intents were confirmed at a time. */
interface Sample {
  readonly atMs: number;
  readonly confirmed: number;
}

/** All that a screen shows. */
export interface ViewState {
  readonly startedMs: number;
  readonly nowMs: number;
  readonly network: FactOf<"network"> | undefined;
  readonly group: FactOf<"group"> | undefined;
  readonly workload: FactOf<"workload"> | undefined;
  readonly urls: ReadonlyMap<string, string>;
  readonly statuses: readonly NodeStatus[];
  readonly height: number;
  readonly confirmed: number;
  readonly reverted: number;
  readonly bundles: number;
  readonly phase: "starting" | "running" | "stopping" | "ended";
  readonly summary: RunSummary | undefined;
  /** Oldest first. */
  readonly remarks: readonly Remark[];
  readonly samples: readonly Sample[];
}

/** Remarks that are kept; a screen shows fewer. */
const remarksMax = 8;
/** The rate is that of the last seconds. */
const sampledMs = 5_000;

/** Nothing is known yet. */
export function emptyView(nowMs: number): ViewState {
  return {
    startedMs: nowMs,
    nowMs,
    network: undefined,
    group: undefined,
    workload: undefined,
    urls: new Map(),
    statuses: [],
    height: 0,
    confirmed: 0,
    reverted: 0,
    bundles: 0,
    phase: "starting",
    summary: undefined,
    remarks: [],
    samples: [],
  };
}

/** What a screen shows after a fact. */
export function reduce(
  state: ViewState,
  fact: RunFact,
  nowMs: number,
): ViewState {
  return remark(apply({ ...state, nowMs }, fact), fact);
}

function apply(state: ViewState, fact: RunFact): ViewState {
  switch (fact.type) {
    case "network":
      return { ...state, network: fact };
    case "group":
      return { ...state, group: fact };
    case "node":
      return {
        ...state,
        urls: new Map([...state.urls, [fact.node, fact.url]]),
      };
    case "ready":
      return { ...state, phase: "running" };
    case "workload":
      return {
        ...state,
        workload: fact,
        confirmed: 0,
        reverted: 0,
        samples: [],
      };
    case "block":
      return { ...state, height: fact.height };
    case "blocks-reverted":
      return { ...state, height: Math.min(state.height, fact.height) };
    case "dispatched":
      return { ...state, bundles: state.bundles + 1 };
    case "settled":
      return fact.outcome === "confirmed"
        ? { ...state, confirmed: state.confirmed + 1 }
        : { ...state, reverted: state.reverted + 1 };
    case "status":
      return sample({ ...state, statuses: fact.nodes });
    case "stopping":
      return { ...state, phase: "stopping" };
    case "summary":
      return { ...state, phase: "ended", summary: fact };
    case "accepted":
    case "coordinator":
    case "submission-failed":
    case "chain-trouble":
    case "payer-trouble":
    case "endorser-trouble":
    case "domain-failed":
    case "group-missing":
    case "group-refused":
    case "signatures-slow":
      return state;
  }
}

function sample(state: ViewState): ViewState {
  const { nowMs, confirmed } = state;
  const samples = [...state.samples, { atMs: nowMs, confirmed }];
  return {
    ...state,
    samples: samples.filter(({ atMs }) => atMs >= nowMs - sampledMs),
  };
}

/** What the screen has a place for needs no remark. */
const silent: ReadonlySet<RunFact["type"]> = new Set([
  "network",
  "group",
  "node",
  "ready",
  "status",
  "summary",
]);

function remark(state: ViewState, fact: RunFact): ViewState {
  const [text] = silent.has(fact.type) ? [] : toLines(fact);
  if (text === undefined) return state;
  const next = { atMs: state.nowMs, text, isTrouble: isTrouble(fact) };
  return { ...state, remarks: [...state.remarks, next].slice(-remarksMax) };
}

function isTrouble(fact: RunFact): boolean {
  switch (fact.type) {
    case "settled":
      return fact.outcome === "reverted";
    case "chain-trouble":
    case "payer-trouble":
    case "endorser-trouble":
      return fact.reason !== null;
    case "submission-failed":
    case "domain-failed":
    case "group-missing":
    case "group-refused":
      return true;
    case "network":
    case "group":
    case "node":
    case "ready":
    case "workload":
    case "block":
    case "blocks-reverted":
    case "signatures-slow":
    case "accepted":
    case "coordinator":
    case "dispatched":
    case "status":
    case "stopping":
    case "summary":
      return false;
  }
}

/** Confirmed intents per second, lately. */
export function rateOf({ samples }: ViewState): number {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs)
    return 0;
  return (
    (1_000 * (last.confirmed - first.confirmed)) / (last.atMs - first.atMs)
  );
}

/** A node's part in the group that the screen is about. */
export function groupStatusOf(
  { groups }: NodeStatus,
  group: string | undefined,
): GroupStatus | undefined {
  return groups.find(({ address }) => address === group) ?? groups[0];
}

/** Where intents are on their way. */
export interface Progress {
  /** Not ended, and not waiting for their users. */
  readonly open: number;
  readonly assembling: number;
  readonly endorsing: number;
  readonly dispatched: number;
  readonly parked: number;
  /** Endorsed, for users who submit them themselves. */
  readonly prepared: number;
}

/** Adds up what senders have open and what coordinators work on. */
export function progressOf(
  groups: readonly Pick<GroupStatus, "own" | "coordinated">[],
): Progress {
  const own = (...states: string[]): number =>
    sum(groups.map((group) => sum(states.map((name) => group.own[name] ?? 0))));
  const coordinated = (...states: string[]): number =>
    sum(
      groups.map((group) =>
        sum(states.map((name) => group.coordinated[name] ?? 0)),
      ),
    );
  const parked = own("Parked");
  const prepared = own("PreparedForUser");
  const all = sum(groups.map((group) => sum(Object.values(group.own))));
  return {
    open: all - parked - prepared,
    assembling: coordinated("Assembling"),
    endorsing: coordinated(
      "Endorsement_Gathering",
      "Blocked",
      "Confirming_Dispatch",
      "Ready_For_Dispatch",
    ),
    dispatched: coordinated("Dispatched", "Sequenced", "Submitted"),
    parked,
    prepared,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
