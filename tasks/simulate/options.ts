import type { Policy } from "../../src/protocol/config.ts";
import { faultGroups, type FaultGroup } from "../../src/simulation/faults.ts";
import {
  type LiarKind,
  liarKindNames,
} from "../../src/simulation/liars/kinds.ts";
import { nodesMax } from "../../src/simulation/settings.ts";
import { wholeNodesMax } from "../../src/simulation/whole/nodes-max.ts";
import { parseChoice, parseNumber } from "../shared/parse-option.ts";
import { type DomainChoice, parseDomain } from "./load-domain.ts";

/** What the user asks for, as typed. */
export interface SimulateOptions {
  readonly seed?: string | undefined;
  readonly seeds?: string | undefined;
  readonly nodes?: string | undefined;
  readonly intents?: string | undefined;
  readonly policy?: string | undefined;
  readonly faults?: string | undefined;
  readonly domain?: string | undefined;
  readonly liar?: string | undefined;
  readonly lasting?: boolean | undefined;
  readonly transcript?: string | undefined;
  readonly lane?: string | undefined;
}

/** What the user asks for, checked. Numbers and the policy, where they are undefined, are drawn from each seed. */
export interface SimulateRequest {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly nodes: number | undefined;
  readonly intents: number | undefined;
  readonly policy: Policy | undefined;
  readonly faults: FaultGroup;
  /** Undefined for the simulator's own coins. */
  readonly domain: DomainChoice | undefined;
  /** Undefined if it is drawn from each seed, where anybody lies at all. */
  readonly liar: LiarKind | undefined;
  /** Whether liars go on when everything else has healed. */
  readonly isLasting: boolean;
  /** The protocol in a small world of its own, or nodes as they ship. */
  readonly lane: Lane;
  /** The file that gets the transcript of the last run. */
  readonly transcript: string | undefined;
}

export type Lane = "core" | "whole";
const lanes: readonly Lane[] = ["core", "whole"];
const policies: readonly Policy[] = ["sticky", "rotating"];

/** Runs that nobody chose a seed for: a few seconds. */
const seedsDefault = 100;

/** Seeds are words of 32 bits. */
const seedMax = 2 ** 32 - 1;

/** More take minutes for one seed, and show nothing that fewer do not. */
const intentsMax = 10_000;

/** Checks the options. A seed alone is one run. */
export function parseSimulateOptions(
  options: SimulateOptions,
): SimulateRequest {
  const { seed, seeds, nodes, intents, policy, faults, domain, liar } = options;
  const lane = parseChoice("--lane", options.lane, lanes) ?? "core";
  const defaultSeeds = seed === undefined ? seedsDefault : 1;
  return {
    firstSeed: parseNumber("--seed", seed, { min: 0, max: seedMax }) ?? 1,
    seeds:
      parseNumber("--seeds", seeds, { min: 1, max: 1_000_000 }) ?? defaultSeeds,
    nodes: parseNumber("--nodes", nodes, {
      min: 1,
      max: lane === "core" ? nodesMax : wholeNodesMax,
    }),
    intents: parseNumber("--intents", intents, { min: 1, max: intentsMax }),
    policy: parseChoice("--policy", policy, policies),
    faults: parseChoice("--faults", faults, faultGroups) ?? "all",
    domain: parseDomain(domain),
    liar: parseChoice("--liar", liar, liarKindNames),
    isLasting: options.lasting === true,
    lane,
    transcript: options.transcript,
  };
}

function nameOf(domain: DomainChoice): string {
  return "name" in domain ? domain.name : domain.path;
}

/** The command that runs one seed of a request again. */
export function commandFor(request: SimulateRequest, seed: number): string {
  const { nodes, intents, policy, faults, domain, liar, isLasting, lane } =
    request;
  return [
    `npx hardhat sequencer:simulate --seed ${seed}`,
    nodes === undefined ? [] : `--nodes ${nodes}`,
    intents === undefined ? [] : `--intents ${intents}`,
    policy === undefined ? [] : `--policy ${policy}`,
    `--faults ${faults}`,
    domain === undefined ? [] : `--domain ${nameOf(domain)}`,
    liar === undefined ? [] : `--liar ${liar}`,
    isLasting ? "--lasting" : [],
    lane === "core" ? [] : `--lane ${lane}`,
  ]
    .flat()
    .join(" ");
}
