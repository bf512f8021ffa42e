import type { DomainKind } from "../../src/simulation/domains/domain.ts";
import type { DomainName } from "../../src/simulation/domains/names.ts";
import { properties } from "../../src/simulation/properties.ts";
import type { SimulationOptions } from "../../src/simulation/settings.ts";
import type { SimulationResult } from "../../src/simulation/simulate.ts";
import { addRun, noTotals, type SimulateFact, type Summary } from "./facts.ts";
import {
  commandFor,
  parseSimulateOptions,
  type SimulateOptions,
  type SimulateRequest,
} from "./options.ts";

/** What a run of seeds needs of the world. */
export interface SimulatePorts {
  readonly simulate: (
    options: SimulationOptions,
  ) => SimulationResult | Promise<SimulationResult>;
  /** Milliseconds of real time. */
  readonly now: () => number;
  readonly tell: (fact: SimulateFact) => void;
  /** Told after every run. Whoever waits for input or output gets a turn before the next. */
  readonly progress: (done: number, seeds: number) => Promise<void>;
}

/** The end of the transcript, which is what explains a violation. */
const transcriptLines = 40;

/** Simulates seeds, one after the other, until a property does not hold. */
export async function simulateSeeds(
  asked: SimulateOptions,
  { simulate, now, tell, progress }: SimulatePorts,
): Promise<Summary> {
  const request = parseSimulateOptions(asked);
  const { firstSeed, seeds, faults } = request;
  const domain =
    request.domain === undefined ? undefined : await load(request.domain);
  const startedMs = now();
  let totals = noTotals;
  let isViolated = false;
  for (let done = 0; done < seeds && !isViolated;) {
    const seed = firstSeed + done;
    const options = optionsFor(request, seed, domain);
    const result = await simulate(options);
    const { traceHash, statistics, violation, liar } = result;
    totals = addRun(totals, statistics, liar);
    done += 1;
    await progress(done, seeds);
    const lied = liar === undefined ? {} : { liar };
    tell({ type: "run", seed, traceHash, ...lied, statistics });
    if (violation === undefined) continue;
    isViolated = true;
    const transcript = await transcribe(options, simulate);
    tell(violationOf(request, result, violation, transcript));
  }
  const elapsedMs = Math.round(now() - startedMs);
  const type = "summary";
  const summary = { type, firstSeed, seeds, faults, isViolated } as const;
  const fact = { ...summary, totals, elapsedMs };
  tell(fact);
  return fact;
}

/** Domains are large, and most runs need none of them. */
async function load(name: DomainName): Promise<DomainKind> {
  const { trials } = await import("../../src/simulation/domains/trials.ts");
  const { onTrial } =
    await import("../../src/simulation/domains/runtime-domain.ts");
  return onTrial(trials[name]);
}

function optionsFor(
  { nodes, intents, policy, faults, liar, isLasting }: SimulateRequest,
  seed: number,
  domain: DomainKind | undefined,
): SimulationOptions {
  return {
    seed,
    faults,
    ...(nodes === undefined ? {} : { nodes }),
    ...(intents === undefined ? {} : { intents }),
    ...(policy === undefined ? {} : { policy }),
    ...(domain === undefined ? {} : { domain }),
    ...(liar === undefined ? {} : { liar }),
    ...(isLasting ? { isLasting } : {}),
  };
}

/** Runs a seed again, this time with a transcript: it would slow all other runs down. */
async function transcribe(
  options: SimulationOptions,
  simulate: SimulatePorts["simulate"],
): Promise<readonly string[]> {
  const transcript: string[] = [];
  await simulate({
    ...options,
    transcript: (line) => {
      transcript.push(line);
      if (transcript.length > transcriptLines) transcript.shift();
    },
  });
  return transcript;
}

function violationOf(
  request: SimulateRequest,
  { seed, settings, liar }: SimulationResult,
  { property, message, atMs }: NonNullable<SimulationResult["violation"]>,
  transcript: readonly string[],
): SimulateFact {
  const { committee, threshold, mode, policy } = settings.config;
  return {
    type: "violation",
    seed,
    property,
    meaning: properties[property] ?? "",
    message,
    atMs: Math.round(atMs),
    nodes: committee.length,
    threshold,
    mode,
    policy,
    ...(liar === undefined ? {} : { liar }),
    transcript,
    command: commandFor(request, seed),
  };
}
