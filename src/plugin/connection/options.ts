import { z } from "zod";

import type { Domain } from "../../domains/domain.ts";
import {
  type ClusterConfig,
  clusterShape,
  findConflicts,
  resolveClusterConfig,
} from "../cluster-config.ts";
import { SequencerError } from "../errors.ts";
import type { ClusterStartOptions, NetworkFaults } from "./types.ts";

/** What a cluster is started with. */
export interface ClusterStart extends ClusterConfig {
  readonly domains: readonly Domain[];
  readonly seed: number;
}

const { nodes, threshold, blockMs, ...settingsShape } = clusterShape;

const domainType = z
  .object({ name: z.string().min(1), abi: z.array(z.object({})) })
  .passthrough();

const optionsType = z
  .object({
    nodes,
    threshold,
    blockMs,
    settings: z.object(settingsShape).strict().optional(),
    domains: z.array(domainType).optional(),
    seed: z.number().int().nonnegative().optional(),
  })
  .strict();

/** Puts options over the configuration, and checks everything together. */
export function readStartOptions(
  options: ClusterStartOptions,
  config: ClusterConfig,
  builtIn: readonly Domain[],
): ClusterStart {
  const problems = (optionsType.safeParse(options).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".") || "the options"}: ${message}`,
  );
  const user = {
    ...config.settings,
    ...(config.threshold !== undefined && { threshold: config.threshold }),
    nodes: config.nodes,
    blockMs: config.blockMs,
    ...defined(options.settings ?? {}),
    ...defined({
      nodes: options.nodes,
      threshold: options.threshold,
      blockMs: options.blockMs,
    }),
  };
  if (problems.length === 0)
    for (const { path, message } of findConflicts(user))
      problems.push(`${path.join(".")}: ${message}`);
  const domains = [...builtIn, ...(options.domains ?? [])];
  if (problems.length === 0)
    for (const { name } of domains)
      if (domains.filter((domain) => domain.name === name).length > 1)
        problems.push(`domains: There is more than one "${name}"`);
  if (problems.length > 0)
    throw new SequencerError("OPTIONS_INVALID", {
      what: "start()",
      problems: [...new Set(problems)].join("; "),
    });
  return { ...resolveClusterConfig(user), domains, seed: options.seed ?? 1 };
}

const rate = z.number().min(0).max(1);
const delay = z.number().min(0).max(3_600_000);

const faultsType = z
  .object({
    delayMs: z
      .union([
        delay.transform((ms) => ({ min: ms, max: ms })),
        z
          .object({ min: delay, max: delay })
          .strict()
          .refine(({ min, max }) => min <= max, {
            message: "min must not be more than max",
          }),
      ])
      .optional(),
    dropRate: rate.optional(),
    duplicateRate: rate.optional(),
  })
  .strict();

/** Faults as the network knows them. Only what is given. */
export function readFaults(faults: NetworkFaults): {
  readonly delayMs?: { readonly min: number; readonly max: number };
  readonly drop?: number;
  readonly duplicate?: number;
} {
  const read = faultsType.safeParse(faults);
  if (!read.success)
    throw new SequencerError("OPTIONS_INVALID", {
      what: "disturb()",
      problems: read.error.issues
        .map(({ path, message }) => `${path.join(".")}: ${message}`)
        .join("; "),
    });
  const { delayMs, dropRate, duplicateRate } = read.data;
  return {
    ...(delayMs !== undefined && { delayMs }),
    ...(dropRate !== undefined && { drop: dropRate }),
    ...(duplicateRate !== undefined && { duplicate: duplicateRate }),
  };
}

/** A count that a user gives. */
export function requireCount(what: string, count: number): number {
  if (!Number.isSafeInteger(count) || count < 1 || count > 1_000_000)
    throw new SequencerError("OPTIONS_INVALID", {
      what,
      problems: "Expected a whole number from 1 to 1000000",
    });
  return count;
}

function defined<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<Values>;
}
