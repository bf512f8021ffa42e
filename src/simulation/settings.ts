import type { Mode, Policy, SequencerConfig } from "../protocol/config.ts";
import {
  type GroupAddress,
  type NodeName,
  parseGroupAddress,
  parseNodeName,
} from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import type { Tracer } from "../protocol/machine.ts";
import type { Message } from "../protocol/messages.ts";
import type { CrashPoint } from "./disk.ts";
import { coinDomain } from "./domains/coins.ts";
import type { DomainKind, SimulatedDomain } from "./domains/domain.ts";
import type { FaultGroup } from "./faults.ts";
import { hashing } from "./hashing.ts";
import { drawLiar, type LiarOptions, type LiarPlan } from "./liars/kinds.ts";
import { Random } from "./random.ts";

/** What a run is made of. Whatever is left out is drawn from the seed. */
export interface SimulationOptions extends LiarOptions {
  readonly seed: number;
  readonly nodes?: number;
  readonly threshold?: number;
  readonly intents?: number;
  readonly policy?: Policy;
  readonly mode?: Mode;
  readonly faults?: FaultGroup;
  /** What intents mean; if it is left out, they move the simulator's own coins. */
  readonly domain?: DomainKind;
  /** One node crashes at this commit of records, counted over all nodes, at this point of its turn. */
  readonly crashAt?: {
    readonly commit: number;
    readonly point: CrashPoint;
  };
  /** Gets a readable line for everything that happens. */
  readonly transcript?: (line: string) => void;
  /** Told of all that liars say. */
  readonly overhear?: (message: Message) => void;
  /** Told of every step that a machine of a node takes. */
  readonly trace?: Tracer<{ readonly state: string }>;
}

/** The settings of one run. */
export interface Settings {
  readonly seed: number;
  readonly faults: FaultGroup;
  readonly crashAt: SimulationOptions["crashAt"];
  readonly intents: number;
  readonly spanMs: number;
  /** The moment when everything heals. */
  readonly healMs: number;
  /** Within this time after healing everything ends (L2). */
  readonly settleMsMax: number;
  readonly tickMs: number;
  readonly blockMs: number;
  readonly confirmations: number;
  readonly domain: SimulatedDomain;
  readonly liar: LiarPlan;
  readonly config: Omit<SequencerConfig, "self" | "boot">;
}

const modes: readonly Mode[] = [
  ...Array<Mode>(8).fill("elected"),
  "local",
  "remote",
];
const names = ["alice", "bob", "carol", "dave", "erin", "frank", "grace"];

/** The largest group. */
export const nodesMax = names.length;

/** Draws what the options leave open. */
export function drawSettings(options: SimulationOptions): Settings {
  const random = new Random(options.seed, "settings");
  const nodes = options.nodes ?? random.pick([1, 2, 3, 3, 3, 4, 4, 5, 5, 7]);
  // Draws happen always, so that giving one option does not change the others.
  const drawnThreshold = random.between(1, nodes);
  const drawnPolicy = random.pick(["sticky", "rotating"] as const);
  const drawnIntents = random.pick([5, 10, 20, 40, 80]);
  const spanMs = random.between(1_000, random.pick([10_000, 40_000, 100_000]));
  const heartbeatTicks = random.between(3, 12);
  const requestTicks = random.between(2, 8);
  const rangeSizeBlocks = random.pick([1, 2, 4, 8, 30]);
  const validForBlocks = random.between(8, 30);
  const blockMs = random.between(200, random.pick([600, 2_500]));
  const tickMs = random.pick([50, 100, 200]);
  const members = names.slice(0, nodes).map(nodeNamed);
  const committee = drawCommittee(options, members);
  const stateTicks = random.between(20, 80);
  const drawnMode = random.pick(modes);
  const mode = options.mode ?? drawnMode;
  const poolSize = random.between(1, committee.length);
  const drawn = {
    seed: options.seed,
    faults: options.faults ?? "all",
    crashAt: options.crashAt,
    intents: options.intents ?? drawnIntents,
    spanMs,
    healMs: Math.floor(spanMs * (0.5 + random.fraction())),
    settleMsMax: 900_000,
    tickMs,
    blockMs,
    confirmations: random.between(1, 3),
    liar: drawLiar(options.seed, options),
    config: {
      contract: groupAddress(random.word()),
      members,
      committee,
      threshold:
        options.threshold ?? Math.min(drawnThreshold, committee.length),
      mode,
      pool:
        mode === "remote" ? random.shuffle(committee).slice(0, poolSize) : [],
      policy: options.policy ?? drawnPolicy,
      rangeSizeBlocks,
      heartbeatTicks,
      heartbeatGrace: random.between(2, 5),
      closingGrace: random.between(1, 4),
      requestTicks,
      requestTicksMax: requestTicks * random.between(4, 10),
      retryTicks: requestTicks,
      stateTicks,
      suspicionTicks: random.between(20, 100),
      validForBlocks,
      retriesMax: random.pick([0, 1, 3, 10, 50]),
      bundleMax: limits.bundle,
      hashing,
    },
  };
  const { seed, config } = drawn;
  const domain = (options.domain ?? coinDomain)({ seed, ...config });
  return { ...drawn, domain, config: { ...config, ...domain.rules } };
}

/** In some groups not everybody endorses. */
function drawCommittee(
  { seed, threshold = 1 }: SimulationOptions,
  members: readonly NodeName[],
): readonly NodeName[] {
  const random = new Random(seed, "committee");
  const isSmaller = random.chance(0.25);
  const size = random.between(1, members.length);
  return isSmaller ? members.slice(0, Math.max(size, threshold)) : members;
}

function nodeNamed(name: string): NodeName {
  const parsed = parseNodeName(name);
  if (parsed === undefined) throw new Error(`${name} is no name of a node.`);
  return parsed;
}

function groupAddress(word: number): GroupAddress {
  const digits = word.toString(16).padStart(40, "0");
  const parsed = parseGroupAddress(`0x${digits}`);
  if (parsed === undefined) throw new Error(`${digits} makes no address.`);
  return parsed;
}
