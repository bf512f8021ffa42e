import type { Policy, SequencerConfig } from "../protocol/config.ts";
import { limits } from "../protocol/limits.ts";

/** How a node behaves in time. All members of a group should have the same. */
export interface NodeSettings {
  readonly policy: Policy;
  readonly rangeSizeBlocks: number;
  readonly tickMs: number;
  readonly heartbeatMs: number;
  /** Heartbeats that may be missed before a coordinator counts as silent. */
  readonly heartbeatGrace: number;
  readonly closingGrace: number;
  readonly requestMs: number;
  readonly requestMsMax: number;
  readonly stateMs: number;
  readonly suspicionMs: number;
  readonly validForBlocks: number;
  readonly retriesMax: number;
  /** Intents that a coordinator puts into one transition, at most. */
  readonly bundleMax: number;
  /** Blocks on top of a block before it is believed. */
  readonly confirmations: number;
  /** How often to look for blocks when the chain does not tell; more often if they come faster. Undefined: what suits the chain. */
  readonly pollMs: number | undefined;
  /** The most that the node offers for a unit of gas, the tip included. */
  readonly maxFeeGwei: number;
  /** The most of it that the node offers as a tip. */
  readonly maxTipGwei: number;
  /** Replacements offer at most so many times what is usual. */
  readonly feeRaiseMax: number;
}

/** A dead coordinator is found out within three seconds. */
export const defaultSettings: NodeSettings = {
  policy: "sticky",
  rangeSizeBlocks: 50,
  tickMs: 50,
  heartbeatMs: 500,
  heartbeatGrace: 4,
  closingGrace: 2,
  requestMs: 1_000,
  requestMsMax: 4_000,
  stateMs: 5_000,
  suspicionMs: 10_000,
  validForBlocks: 200,
  retriesMax: 20,
  bundleMax: limits.bundle,
  confirmations: 0,
  pollMs: undefined,
  maxFeeGwei: 500,
  maxTipGwei: 50,
  feeRaiseMax: 4,
};

/** What was refused or failed is tried again so soon, if requests are not repeated even sooner. */
const RETRY_MS = 250;

/** The same, as the protocol counts time. */
export function ticksOf(
  settings: NodeSettings,
): Pick<
  SequencerConfig,
  | "policy"
  | "rangeSizeBlocks"
  | "heartbeatTicks"
  | "heartbeatGrace"
  | "closingGrace"
  | "requestTicks"
  | "requestTicksMax"
  | "retryTicks"
  | "stateTicks"
  | "suspicionTicks"
  | "validForBlocks"
  | "retriesMax"
  | "bundleMax"
> {
  const ticks = (ms: number): number =>
    Math.max(1, Math.round(ms / settings.tickMs));
  return {
    policy: settings.policy,
    rangeSizeBlocks: settings.rangeSizeBlocks,
    heartbeatTicks: ticks(settings.heartbeatMs),
    heartbeatGrace: settings.heartbeatGrace,
    closingGrace: settings.closingGrace,
    requestTicks: ticks(settings.requestMs),
    requestTicksMax: ticks(settings.requestMsMax),
    retryTicks: ticks(Math.min(settings.requestMs, RETRY_MS)),
    stateTicks: ticks(settings.stateMs),
    suspicionTicks: ticks(settings.suspicionMs),
    validForBlocks: settings.validForBlocks,
    retriesMax: settings.retriesMax,
    bundleMax: settings.bundleMax,
  };
}
