import { resolve } from "node:path";

import { SequencerError } from "../../src/plugin/errors.ts";
import type { Policy } from "../../src/protocol/config.ts";
import { parseChoice, parseNumber } from "../shared/parse-option.ts";

/** What the user asks for, as typed. */
export interface RunOptions {
  readonly nodes?: string | undefined;
  readonly threshold?: string | undefined;
  readonly policy?: string | undefined;
  readonly rangeSize?: string | undefined;
  readonly heartbeat?: string | undefined;
  readonly blockTime?: string | undefined;
  readonly rpcPort?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly intents?: string | undefined;
  readonly rate?: string | undefined;
  readonly contention?: string | undefined;
  readonly timeout?: string | undefined;
}

/** Intents that the task itself submits. */
export interface WorkloadRequest {
  readonly intents: number;
  /** Intents per second; undefined means as many as are taken. */
  readonly rate: number | undefined;
  /** Accounts that are spent from. The fewer, the more intents want the same coins. */
  readonly accounts: number;
}

/** What the user asks for, checked. What is undefined is up to the data directory, or to the configuration. */
export interface RunRequest {
  readonly nodes: number | undefined;
  readonly threshold: number | undefined;
  readonly policy: Policy | undefined;
  readonly rangeSizeBlocks: number | undefined;
  readonly heartbeatMs: number | undefined;
  /** On a simulated chain. */
  readonly blockTimeMs: number | undefined;
  /** Of the first node; 0 means any. */
  readonly rpcPort: number;
  /** Absolute; undefined means a directory that is removed at the end. */
  readonly dataDir: string | undefined;
  readonly workload: WorkloadRequest | undefined;
  readonly timeoutMs: number | undefined;
}

export const policies: readonly Policy[] = ["sticky", "rotating"];

/** As many as a group may have members. */
const nodesMax = 255;
const rpcPortDefault = 8550;
const portMax = 65_535;
const intentsMax = 1_000_000;
const accountsMax = 1_000;

/** Checks everything that can be checked without a chain and a disk. */
export function parseRunOptions(options: RunOptions): RunRequest {
  const nodes = parseNumber("--nodes", options.nodes, {
    min: 1,
    max: nodesMax,
  });
  return {
    nodes,
    threshold: parseThreshold(options.threshold, nodes),
    policy: parseChoice("--policy", options.policy, policies),
    rangeSizeBlocks: parseNumber("--range-size", options.rangeSize, {
      min: 1,
      max: 1_000_000,
    }),
    heartbeatMs: parseNumber("--heartbeat", options.heartbeat, {
      min: 50,
      max: 600_000,
    }),
    blockTimeMs: parseNumber("--block-time", options.blockTime, {
      min: 10,
      max: 600_000,
    }),
    rpcPort: parsePort(options.rpcPort, nodes ?? 1),
    dataDir: parseDirectory(options.dataDir),
    workload: parseWorkload(options),
    timeoutMs: secondsToMs(
      parseNumber("--timeout", options.timeout, { min: 1, max: 1_000_000 }),
    ),
  };
}

/** The threshold that fits a number of members; by default the smallest majority. */
export function thresholdFor(
  threshold: number | undefined,
  count: number,
): number {
  if (threshold === undefined) return Math.floor(count / 2) + 1;
  if (threshold > count)
    throw new SequencerError("THRESHOLD_INVALID", {
      value: String(threshold),
      count,
    });
  return threshold;
}

function parseThreshold(
  text: string | undefined,
  nodes: number | undefined,
): number | undefined {
  const threshold = parseNumber("--threshold", text, {
    min: 1,
    max: nodesMax,
  });
  if (nodes !== undefined) thresholdFor(threshold, nodes);
  return threshold;
}

/** Every node has two ports: HTTP, and WebSocket next to it. */
function parsePort(text: string | undefined, nodes: number): number {
  const max = portMax - 2 * nodes + 1;
  return parseNumber("--rpc-port", text, { min: 0, max }) ?? rpcPortDefault;
}

function parseDirectory(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === "" || text.includes("\0"))
    throw new SequencerError("DATA_DIR_INVALID", {
      directory: text,
      reason: "that is not a path",
    });
  return resolve(text);
}

function parseWorkload(options: RunOptions): WorkloadRequest | undefined {
  const intents = parseNumber("--intents", options.intents, {
    min: 1,
    max: intentsMax,
  });
  const rate = parseNumber("--rate", options.rate, { min: 1, max: 100_000 });
  const accounts = parseContention(options.contention);
  if (intents !== undefined) return { intents, rate, accounts: accounts ?? 1 };
  for (const [option, value] of [
    ["--rate", rate],
    ["--contention", accounts],
  ] as const)
    if (value !== undefined)
      throw new SequencerError("INTENTS_MISSING", { option });
  return undefined;
}

function parseContention(text: string | undefined): number | undefined {
  if (text === "all") return 1;
  return parseNumber("--contention", text, { min: 1, max: accountsMax });
}

function secondsToMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
