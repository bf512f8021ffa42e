import { type NodeName, parseNodeName } from "../../protocol/ids.ts";
import { defaultSettings, type NodeSettings } from "../../node/settings.ts";
import type { Trial } from "../domains/trial.ts";
import { drawFaults, type FaultGroup, type FaultPlan } from "../faults.ts";
import { drawLiar, type LiarOptions, type LiarPlan } from "../liars/kinds.ts";
import { Random } from "../random.ts";

/** What a run of the whole lane is asked for. What is left out is drawn from the seed. */
export interface WholeOptions extends LiarOptions {
  readonly seed: number;
  readonly faults?: FaultGroup;
  /** The domains that groups draw from. */
  readonly trials: readonly Trial[];
  readonly policy?: NodeSettings["policy"];
  readonly nodes?: number;
  readonly intents?: number;
  /** Share of flushes about which disks lie: to see that the checks notice. */
  readonly diskLies?: number;
  /** Share of crashes after which the old instance lives on. */
  readonly twins?: number;
  /** Whether its flushes succeed: to see that the checks notice. */
  readonly twinsFlush?: boolean;
  /** Gets a readable line for everything that happens. */
  readonly transcript?: (line: string) => void;
}

/** Members that lie, and what they do besides what their kind does. */
export interface WholeLiarPlan extends LiarPlan {
  /** As many as the groups can bear, at most. */
  readonly count: number;
  /** It is never heard of again once a transition of its own is on the ledger. */
  readonly vanishes: boolean;
}

/** A group of a run. */
export interface WholeGroupPlan {
  readonly trial: Trial;
  readonly members: readonly NodeName[];
}

/** A run of the whole lane, as it is drawn. */
export interface WholeSettings {
  readonly seed: number;
  readonly names: readonly NodeName[];
  readonly groups: readonly WholeGroupPlan[];
  readonly node: NodeSettings;
  readonly plan: FaultPlan;
  /** What members that lie are like. */
  readonly liar: WholeLiarPlan;
  readonly intents: number;
  /** Users ask during this time. */
  readonly spanMs: number;
  /** The moment when everything heals. */
  readonly healMs: number;
  /** The mean time between blocks. */
  readonly blockMs: number;
  /** Share of crashes after which the old instance lives on for a while. */
  readonly twins: number;
  readonly twinsFlush: boolean;
  /** Share of a domain's calls that take long, and how long at most. */
  readonly slowDomain: number;
  readonly slowDomainMs: number;
  /** What a node needs for each event of its loop. */
  readonly eventMs: number;
  /** Miners leave bundles out until they are over, and put them into an earlier block when their intents have ended as reverted. */
  readonly hasTrap: boolean;
  /** Share of crashes in which the disk is lost too. */
  readonly loseDisk: number;
  /** Share of flushes about which disks lie. */
  readonly diskLies: number;
}

const names = ["alice", "bob", "carol", "dave", "erin", "frank"];

export function drawWholeSettings(options: WholeOptions): WholeSettings {
  const { seed, trials, faults = "all" } = options;
  const random = new Random(seed, "whole");
  const size = options.nodes ?? random.between(3, 5);
  const spanMs = random.between(5_000, 40_000);
  const members = names.slice(0, size).map(requireName);
  const trap = drawTrap(seed, faults);
  const isLossy = faults === "all" || faults === "crash";
  return {
    seed,
    names: members,
    groups: trap.hasTrap
      ? withTrap(drawGroups(seed, members, trials), members, trials)
      : drawGroups(seed, members, trials),
    node: {
      ...defaultSettings,
      policy: options.policy ?? random.pick(["sticky", "rotating"] as const),
      rangeSizeBlocks: random.between(4, 30),
      validForBlocks: trap.validForBlocks ?? random.between(20, 60),
      pollMs: random.between(50, 1_000),
      bundleMax: random.pick([1, 4, 100]),
    },
    plan: drawFaults(seed, faults),
    liar: drawWholeLiar(options),
    intents: options.intents ?? random.between(10, 40),
    spanMs,
    healMs: spanMs + random.below(20_000),
    blockMs: random.between(200, 2_000),
    ...drawCpu(seed, faults),
    hasTrap: trap.hasTrap,
    twins: options.twins ?? drawTwins(seed, isLossy),
    twinsFlush: options.twinsFlush ?? false,
    diskLies: options.diskLies ?? 0,
    loseDisk: isLossy && random.chance(0.2) ? 0.3 : 0,
  };
}

/** A trap is over soon enough if bundles are. */
function drawTrap(
  seed: number,
  faults: FaultGroup,
): { readonly hasTrap: boolean; readonly validForBlocks: number | undefined } {
  const random = new Random(seed, "trap");
  const mayHave = faults === "all" || faults === "chain";
  const hasTrap = mayHave && random.chance(0.4);
  return {
    hasTrap,
    validForBlocks: hasTrap ? random.between(8, 20) : undefined,
  };
}

function drawTwins(seed: number, isLossy: boolean): number {
  return isLossy ? new Random(seed, "twins").pick([0, 0, 0.3]) : 0;
}

/** What domains and the loop cost, on all nodes. A hostile domain takes seconds. */
function drawCpu(
  seed: number,
  faults: FaultGroup,
): Pick<WholeSettings, "slowDomain" | "slowDomainMs" | "eventMs"> {
  const random = new Random(seed, "cpu");
  const isSlow = random.chance(0.4) && faults === "all";
  return {
    slowDomain: isSlow ? random.pick([0.02, 0.1, 0.5]) : 0,
    slowDomainMs: random.pick([20, 200, 3_000]),
    eventMs:
      faults === "all" || faults === "byzantine"
        ? random.pick([0, 0.1, 1, 3])
        : 0,
  };
}

function drawWholeLiar(options: WholeOptions): WholeLiarPlan {
  const random = new Random(options.seed, "whole liar");
  const vanishes = random.chance(0.15);
  const plan = drawLiar(options.seed, options);
  return {
    ...plan,
    count: random.pick([1, 1, 2]),
    vanishes: vanishes && options.liar === undefined,
  };
}

/** Two to four groups of any domains. They share nodes, but have different members. */
function drawGroups(
  seed: number,
  nodes: readonly NodeName[],
  trials: readonly Trial[],
): readonly WholeGroupPlan[] {
  const random = new Random(seed, "groups");
  return Array.from({ length: random.between(2, 4) }, () => {
    const size = random.between(Math.min(2, nodes.length), nodes.length);
    const drawn = new Set(random.shuffle(nodes).slice(0, size));
    return {
      trial: random.pick(trials),
      members: nodes.filter((name) => drawn.has(name)),
    };
  });
}

/** The first group is one in which intents can build on each other, if there is such a domain. */
function withTrap(
  groups: readonly WholeGroupPlan[],
  members: readonly NodeName[],
  trials: readonly Trial[],
): readonly WholeGroupPlan[] {
  const trial = trials.find(({ drawPair }) => drawPair !== undefined);
  return trial === undefined
    ? groups
    : [{ trial, members }, ...groups.slice(1)];
}

function requireName(name: string): NodeName {
  const parsed = parseNodeName(name);
  if (parsed === undefined) throw new Error(`${name} is not a name.`);
  return parsed;
}
