import { z } from "zod";

import { limits } from "../protocol/limits.ts";
import { type NodeSettings, defaultSettings } from "../node/settings.ts";
import { counted, nodeNameType, wholeNumber } from "./config-types.ts";

/** How many nodes, and how they behave: for `connection.sequencer` and `sequencer:run`. */
export interface ClusterUserConfig extends Partial<NodeSettings> {
  /** How many nodes, or their names. */
  readonly nodes?: number | readonly string[];
  /** Endorsements that a transition needs, in groups that do not say; without it, the smallest majority. */
  readonly threshold?: number;
  /** How often a simulated chain mines a block without being asked, in milliseconds; 0 for never. */
  readonly blockMs?: number;
}

/** The same, resolved. */
export interface ClusterConfig {
  readonly nodes: readonly string[];
  /** Undefined: the smallest majority of each group. */
  readonly threshold: number | undefined;
  readonly blockMs: number;
  readonly settings: NodeSettings;
}

/** What is wrong with a value, and where it is. */
export interface Conflict {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export const clusterDefaults = { nodes: 4, blockMs: 250 } as const;

/** A group has at most so many members. */
const NODES_MAX = 255;
/** A day. Whoever waits longer for anything has mistaken the unit. */
const MS_MAX = 86_400_000;
const COUNT_MAX = 1_000_000;
/** Nodes ask for the state of the last block that they believe, and most endpoints keep that of the last 128 blocks. */
const CONFIRMATIONS_MAX = 100;

const NAMES = [
  ..."alice bob carol dave erin frank grace heidi ivan judy".split(" "),
  ..."karl laura mallory niaj olivia peggy quinn rupert sybil trent".split(" "),
];

const ms = (min: number): z.ZodType<number> =>
  counted("milliseconds", { min, max: MS_MAX });
const count = (min: number, unit: string): z.ZodType<number> =>
  counted(unit, { min, max: COUNT_MAX });

const nodesMessage = `Expected how many nodes there are, from 1 to ${NODES_MAX}, or a list of their names`;
const nodesType = z.any().superRefine((nodes: unknown, context) => {
  const type = Array.isArray(nodes)
    ? z
        .array(nodeNameType)
        .min(1, { message: "Expected at least one name" })
        .max(NODES_MAX, { message: `Expected at most ${NODES_MAX} names` })
        .superRefine(requireDifferent)
    : wholeNumber({ min: 1, max: NODES_MAX }, nodesMessage);
  for (const issue of type.safeParse(nodes).error?.issues ?? [])
    context.addIssue(issue);
});

/** Every node has a folder with its name, and there are disks on which "Alice" and "alice" are the same. */
function requireDifferent(
  names: readonly string[],
  context: z.RefinementCtx,
): void {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const lower = name.toLowerCase();
    if (seen.has(lower))
      context.addIssue({
        code: z.ZodIssueCode.custom,
        path: [index],
        message: `"${name}" is there twice. Give every node a name of its own`,
      });
    seen.add(lower);
  }
}

/** What the key `sequencer` may hold about a cluster. */
export const clusterShape = {
  nodes: nodesType.optional(),
  threshold: counted("members", { min: 1, max: NODES_MAX }).optional(),
  blockMs: ms(0).optional(),
  policy: z
    .enum(["rotating", "sticky"], {
      errorMap: () => ({ message: 'Expected "rotating" or "sticky"' }),
    })
    .optional(),
  rangeSizeBlocks: count(1, "blocks").optional(),
  tickMs: counted("milliseconds", { min: 1, max: 60_000 }).optional(),
  heartbeatMs: ms(1).optional(),
  heartbeatGrace: count(1, "heartbeats").optional(),
  closingGrace: count(0, "heartbeats").optional(),
  requestMs: ms(1).optional(),
  requestMsMax: ms(1).optional(),
  stateMs: ms(1).optional(),
  suspicionMs: ms(1).optional(),
  validForBlocks: count(1, "blocks").optional(),
  retriesMax: count(0, "retries").optional(),
  bundleMax: counted("intents", { min: 1, max: limits.bundle }).optional(),
  confirmations: wholeNumber(
    { min: 0, max: CONFIRMATIONS_MAX },
    `Expected a whole number of blocks from 0 to ${CONFIRMATIONS_MAX}: only archive nodes know the state of blocks much older`,
  ).optional(),
  pollMs: ms(1).optional(),
  maxFeeGwei: count(1, "gwei").optional(),
  maxTipGwei: count(1, "gwei").optional(),
  feeRaiseMax: counted("times", { min: 2, max: 100 }).optional(),
} as const;

type NumberKey = Exclude<keyof NodeSettings, "policy">;

/** The first must not be less than the second, and why. */
const order: readonly (readonly [NumberKey, NumberKey, string])[] = [
  ["heartbeatMs", "tickMs", "nothing happens more often than a tick"],
  ["requestMs", "tickMs", "nothing happens more often than a tick"],
  ["stateMs", "tickMs", "nothing happens more often than a tick"],
  ["suspicionMs", "tickMs", "nothing happens more often than a tick"],
  ["maxFeeGwei", "maxTipGwei", "the tip is a part of it"],
  ["requestMsMax", "requestMs", "it is what that grows to"],
  ["stateMs", "requestMs", "a request must be repeated before it is given up"],
  [
    "suspicionMs",
    "heartbeatMs",
    "a silent node must have time for a heartbeat",
  ],
  [
    "validForBlocks",
    "confirmations",
    "a bundle must not end before it is believed",
  ],
];

/** Values that are right by themselves and do not go together. What is wrong by itself is left to the shape. */
export function findConflicts(user: unknown): readonly Conflict[] {
  const values = validPart(user);
  const number = (key: NumberKey): number | undefined =>
    key in values ? values[key] : defaultSettings[key];
  const isGiven = (key: string): boolean =>
    typeof user === "object" && user !== null && Object.hasOwn(user, key);
  const conflicts: Conflict[] = [];
  for (const [larger, smaller, why] of order) {
    const [high, low] = [number(larger), number(smaller)];
    if (high === undefined || low === undefined || high >= low) continue;
    const blamed = isGiven(larger) ? larger : smaller;
    const other = blamed === larger ? smaller : larger;
    const bound = blamed === larger ? `at least ${low}` : `at most ${high}`;
    const source = isGiven(other) ? "" : ", the default";
    conflicts.push({
      path: [blamed],
      message: `Expected ${bound}, as ${other} is ${number(other) ?? ""}${source}: ${why}`,
    });
  }
  const nodeCount = countOf(
    "nodes" in values ? values.nodes : clusterDefaults.nodes,
  );
  const { threshold } = values;
  if (
    threshold !== undefined &&
    nodeCount !== undefined &&
    threshold > nodeCount
  )
    conflicts.push({
      path: ["threshold"],
      message: `Expected at most ${nodeCount}, as there are so many nodes${isGiven("nodes") ? "" : " by default"}`,
    });
  return conflicts;
}

function countOf(nodes: ClusterUserConfig["nodes"]): number | undefined {
  return typeof nodes === "object" ? nodes.length : nodes;
}

/** Only what is given. A value that is wrong is there as undefined, so that nothing is said about it twice. */
function validPart(user: unknown): {
  readonly [Key in keyof ClusterUserConfig]?:
    ClusterUserConfig[Key] | undefined;
} {
  if (typeof user !== "object" || user === null) return {};
  const entries = Object.entries(clusterShape).flatMap(([key, type]) => {
    if (!Object.hasOwn(user, key)) return [];
    const value: unknown = Reflect.get(user, key);
    if (value === undefined) return [];
    return [[key, type.safeParse(value).success ? value : undefined]];
  });
  return Object.fromEntries(entries) as ClusterUserConfig;
}

/** Fills in defaults. The input is valid. */
export function resolveClusterConfig(
  user: ClusterUserConfig = {},
): ClusterConfig {
  const { nodes = clusterDefaults.nodes, threshold } = user;
  const { blockMs = clusterDefaults.blockMs } = user;
  const keys = Object.keys(defaultSettings) as (keyof NodeSettings)[];
  const settings = Object.fromEntries(
    keys.map((key) => [key, user[key] ?? defaultSettings[key]]),
  ) as unknown as NodeSettings;
  return { nodes: nodeNames(nodes), threshold, blockMs, settings };
}

/** The names of so many nodes. */
export function nodeNames(nodes: number | readonly string[]): string[] {
  if (typeof nodes !== "number") return [...nodes];
  return Array.from(
    { length: nodes },
    (_, index) => NAMES[index] ?? `node-${index + 1}`,
  );
}
