import { Random } from "./random.ts";

/** Which faults a run may draw from. */
export const faultGroups = [
  "none",
  "network",
  "crash",
  "chain",
  "byzantine",
  "all",
] as const;
export type FaultGroup = (typeof faultGroups)[number];

/** How bad it gets in one run, drawn from its seed. Probabilities unless the name says otherwise; 0 means off. */
export interface FaultPlan {
  // Network, per message.
  readonly drop: number;
  readonly duplicate: number;
  /** A duplicate or delayed message comes up to this much later. */
  readonly lateMs: number;
  readonly late: number;
  /** Mean of the extra delay of every message. */
  readonly jitterMs: number;
  // Network, mean time between incidents; 0 is never.
  readonly clogEveryMs: number;
  readonly partitionEveryMs: number;
  readonly partitionMs: number;
  // Nodes.
  readonly crashEveryMs: number;
  readonly downMs: number;
  /** Per commit: the node crashes before it, after it, or in the middle of the effects. */
  readonly crashAtCommit: number;
  /** Per commit: the disk says that it failed; it may have happened all the same. */
  readonly failedCommit: number;
  /** Per commit: it takes up to `slowDiskMs`. */
  readonly slowDisk: number;
  readonly slowDiskMs: number;
  /** Share of the members that the group can spare which never come back. */
  readonly dead: number;
  readonly freezeEveryMs: number;
  readonly freezeMs: number;
  // The chain.
  readonly indexerLagMs: number;
  readonly stallEveryMs: number;
  readonly stallMs: number;
  /** Per block and waiting transaction. */
  readonly dropFromPool: number;
  readonly leaveInPool: number;
  /** Per request to the chain; the transaction may have been taken all the same. */
  readonly rpcError: number;
  /** Per transaction: it reverts for a reason of its own, such as gas. */
  readonly spuriousRevert: number;
  readonly reorgEveryMs: number;
  readonly deepReorg: number;
  /** Per block: somebody sends an old bundle again. */
  readonly replayBundle: number;
  // The domain.
  readonly refuse: number;
  readonly muteEndorser: number;
  readonly lateEndorser: number;
  readonly assembleError: number;
  readonly muteAssembler: number;
  // Members that lie.
  readonly liars: number;
  readonly lieEveryMs: number;
  /** Per message that a liar sends. */
  readonly mutate: number;
  readonly withhold: number;
}

/** Nothing goes wrong. */
export const noFaults: FaultPlan = {
  drop: 0,
  duplicate: 0,
  lateMs: 0,
  late: 0,
  jitterMs: 0,
  clogEveryMs: 0,
  partitionEveryMs: 0,
  partitionMs: 0,
  crashEveryMs: 0,
  downMs: 0,
  crashAtCommit: 0,
  failedCommit: 0,
  slowDisk: 0,
  slowDiskMs: 0,
  dead: 0,
  freezeEveryMs: 0,
  freezeMs: 0,
  indexerLagMs: 0,
  stallEveryMs: 0,
  stallMs: 0,
  dropFromPool: 0,
  leaveInPool: 0,
  rpcError: 0,
  spuriousRevert: 0,
  reorgEveryMs: 0,
  deepReorg: 0,
  replayBundle: 0,
  refuse: 0,
  muteEndorser: 0,
  lateEndorser: 0,
  assembleError: 0,
  muteAssembler: 0,
  liars: 0,
  lieEveryMs: 0,
  mutate: 0,
  withhold: 0,
};

/**
 * Draws a plan. A swarm: every kind of fault of the group is on in about half of the runs, with an intensity of its own,
 * because a bug that one kind provokes is often hidden by another.
 */
export function drawFaults(seed: number, group: FaultGroup): FaultPlan {
  if (group === "none") return noFaults;
  const random = new Random(seed, "faults");
  const isOn = (kind: FaultGroup): boolean =>
    (group === "all" || group === kind) && random.chance(0.55);
  const upTo = (kind: FaultGroup, most: number): number =>
    isOn(kind) ? random.fraction() ** 2 * most : 0;
  const every = (kind: FaultGroup, leastMs: number, mostMs: number): number =>
    isOn(kind) ? random.between(leastMs, mostMs) : 0;
  const ms = (least: number, most: number): number =>
    random.between(least, most);
  return {
    drop: upTo("network", 0.3),
    duplicate: upTo("network", 0.5),
    lateMs: ms(1_000, 60_000),
    late: upTo("network", 0.2),
    jitterMs: isOn("network") ? ms(1, 2_000) : 0,
    clogEveryMs: every("network", 2_000, 20_000),
    partitionEveryMs: every("network", 3_000, 30_000),
    partitionMs: ms(500, 20_000),
    crashEveryMs: every("crash", 2_000, 30_000),
    downMs: ms(100, 15_000),
    crashAtCommit: upTo("crash", 0.1),
    failedCommit: upTo("crash", 0.05),
    slowDisk: upTo("crash", 0.3),
    slowDiskMs: ms(5, 3_000),
    dead: random.chance(0.4) && isOn("crash") ? random.fraction() : 0,
    freezeEveryMs: every("crash", 3_000, 30_000),
    freezeMs: ms(500, 15_000),
    indexerLagMs: isOn("chain") ? ms(10, 15_000) : 0,
    stallEveryMs: every("chain", 3_000, 30_000),
    stallMs: ms(1_000, 20_000),
    dropFromPool: upTo("chain", 0.3),
    leaveInPool: upTo("chain", 0.5),
    rpcError: upTo("chain", 0.3),
    spuriousRevert: upTo("chain", 0.1),
    reorgEveryMs: every("chain", 3_000, 20_000),
    deepReorg: random.chance(0.5) ? upTo("chain", 0.3) : 0,
    replayBundle: upTo("chain", 0.3),
    refuse: upTo("byzantine", 0.2),
    muteEndorser: upTo("byzantine", 0.3),
    lateEndorser: upTo("byzantine", 0.3),
    assembleError: upTo("byzantine", 0.1),
    muteAssembler: upTo("byzantine", 0.1),
    liars: group === "byzantine" || isOn("byzantine") ? 1 : 0,
    lieEveryMs: every("byzantine", 50, 2_000),
    mutate: upTo("byzantine", 0.3),
    withhold: upTo("byzantine", 0.3),
  };
}

/** Nothing goes wrong but what liars do. */
export function onlyLies(plan: FaultPlan): FaultPlan {
  const { liars, lieEveryMs, mutate, withhold } = plan;
  return { ...noFaults, liars, lieEveryMs, mutate, withhold };
}

/** The faults that a run has seen, by kind. */
export class FaultCounter {
  readonly #counts = new Map<string, number>();

  count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  countOf(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** In alphabetical order. */
  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }
}
