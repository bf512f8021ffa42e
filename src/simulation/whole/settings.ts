import { type NodeName, parseNodeName } from "../../protocol/ids.ts";
import {
  defaultSettings,
  type NodeSettings,
} from "../../runtime/node/settings.ts";
import type { Trial } from "../domains/trial.ts";
import { drawFaults, type FaultGroup, type FaultPlan } from "../faults.ts";
import { Random } from "../random.ts";

/** What a run of the whole lane is asked for. What is left out is drawn from the seed. */
export interface WholeOptions {
  readonly seed: number;
  readonly faults?: FaultGroup;
  /** One group for each of them. */
  readonly trials: readonly Trial[];
  readonly policy?: NodeSettings["policy"];
  readonly nodes?: number;
  readonly intents?: number;
  /** Share of flushes about which disks lie: to see that the checks notice. */
  readonly diskLies?: number;
  /** Gets a readable line for everything that happens. */
  readonly transcript?: (line: string) => void;
}

/** A run of the whole lane, as it is drawn. */
export interface WholeSettings {
  readonly seed: number;
  readonly names: readonly NodeName[];
  readonly trials: readonly Trial[];
  readonly node: NodeSettings;
  readonly plan: FaultPlan;
  readonly intents: number;
  /** Users ask during this time. */
  readonly spanMs: number;
  /** The moment when everything heals. */
  readonly healMs: number;
  /** The mean time between blocks. */
  readonly blockMs: number;
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
  const isLossy = faults === "all" || faults === "crash";
  return {
    seed,
    names: names.slice(0, size).map(requireName),
    trials,
    node: {
      ...defaultSettings,
      policy: options.policy ?? random.pick(["sticky", "rotating"] as const),
      rangeSizeBlocks: random.between(4, 30),
      validForBlocks: random.between(20, 60),
      pollMs: random.between(50, 1_000),
      bundleMax: random.pick([1, 4, 100]),
    },
    plan: drawFaults(seed, faults),
    intents: options.intents ?? random.between(10, 40),
    spanMs,
    healMs: spanMs + random.below(20_000),
    blockMs: random.between(200, 2_000),
    diskLies: options.diskLies ?? 0,
    loseDisk: isLossy && random.chance(0.2) ? 0.3 : 0,
  };
}

function requireName(name: string): NodeName {
  const parsed = parseNodeName(name);
  if (parsed === undefined) throw new Error(`${name} is not a name.`);
  return parsed;
}
