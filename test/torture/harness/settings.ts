import { publishedAccount } from "../../helpers/accounts.ts";
import type { PlannedFault } from "./nemesis/schedule.ts";
import { nodeNames } from "../../../src/plugin/cluster-config.ts";

/** What a run is like. */
export interface TortureOptions {
  readonly seed: number;
  readonly nodes: number;
  /** How long faults go on. */
  readonly faultMs: number;
  /** Where everything is written: nodes' data and output, journals, the report. */
  readonly outDir: string;
  /** How long nodes have to come to rest after the last fault. */
  readonly restMs: number;
  readonly clients: number;
  /** Between two wishes of a client. */
  readonly wishEveryMs: number;
  /** Wishes of a client that have not ended; more are not made meanwhile. */
  readonly openMax: number;
  /** These faults instead of those that the seed makes. */
  readonly plan?: readonly PlannedFault[];
}

/** So that five nodes, a chain and this fit on two cores. */
export const usual = {
  nodes: 5,
  // Only what is stuck takes so long, also on a machine that has much else to do.
  restMs: 300_000,
  clients: 3,
  wishEveryMs: 1_000,
  openMax: 12,
} as const;

export const HEARTBEAT_MS = 500;
export const BLOCK_MS = 400;
/** How often nodes look for a new block. */
export const POLL_MS = 200;
export const MINTED = 1_000_000;

/** More than half must endorse. */
export function thresholdOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

/** The nodes, each with an account of the chain. The first account is left to whoever deploys. */
export function accountsOf(
  nodes: number,
): ReadonlyMap<string, ReturnType<typeof publishedAccount>> {
  return new Map(
    nodeNames(nodes).map((name, index) => [name, publishedAccount(index + 1)]),
  );
}
