import type { DomainKind } from "../../src/simulation/domains/domain.ts";
import { properties } from "../../src/simulation/properties.ts";
import type { SimulationOptions } from "../../src/simulation/settings.ts";
import type { SimulationResult } from "../../src/simulation/simulate.ts";
import {
  addRun,
  noTotals,
  type SimulateFact,
  type Summary,
  type ViolationFact,
} from "./facts.ts";
import { explainUnusable, loadDomain } from "./load-domain.ts";
import {
  commandFor,
  parseSimulateOptions,
  type SimulateOptions,
  type SimulateRequest,
} from "./options.ts";
import { transcriptPage } from "./transcript.ts";

/** What a run of seeds needs of the world. */
export interface SimulatePorts {
  readonly simulate: (
    options: SimulationOptions,
  ) => SimulationResult | Promise<SimulationResult>;
  /** Milliseconds of real time. */
  readonly now: () => number;
  readonly tell: (fact: SimulateFact) => void;
  /** Keeps a page of text. */
  readonly write: (file: string, page: string) => void;
  /** Told after every run. Whoever waits for input or output gets a turn before the next. */
  readonly progress: (done: number, seeds: number) => Promise<void>;
}

/** The end of the transcript, which is what explains a violation. */
const LINES_TOLD = 40;

/** Simulates seeds, one after the other, until a property does not hold. */
export async function simulateSeeds(
  asked: SimulateOptions,
  ports: SimulatePorts,
): Promise<Summary> {
  const { simulate, now, tell, progress } = ports;
  const request = parseSimulateOptions(asked);
  const { firstSeed, seeds, faults } = request;
  const domain =
    request.domain === undefined ? undefined : await loadDomain(request.domain);
  const startedMs = now();
  let totals = noTotals;
  let isViolated = false;
  for (let done = 0; done < seeds && !isViolated;) {
    const seed = firstSeed + done;
    const options = optionsFor(request, seed, domain);
    const result = await simulateChosen(request, options, simulate);
    const { traceHash, statistics, violation, liar } = result;
    totals = addRun(totals, statistics, liar);
    done += 1;
    await progress(done, seeds);
    const lied = liar === undefined ? {} : { liar };
    tell({ type: "run", seed, traceHash, ...lied, statistics });
    isViolated = violation !== undefined;
    const isWritten = request.transcript !== undefined && done === seeds;
    if (violation === undefined && !isWritten) continue;
    const transcript = await transcribe(options, simulate);
    const fact =
      violation &&
      violationOf(request, result, violation, transcript.slice(-LINES_TOLD));
    writePage(request, seed, { transcript, violation: fact }, ports);
    if (fact !== undefined) tell(fact);
  }
  const elapsedMs = Math.round(now() - startedMs);
  const type = "summary";
  const summary = { type, firstSeed, seeds, faults, isViolated } as const;
  const fact = { ...summary, totals, elapsedMs };
  tell(fact);
  return fact;
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

/** A domain of the user's may be impossible to simulate. */
async function simulateChosen(
  { domain }: SimulateRequest,
  options: SimulationOptions,
  simulate: SimulatePorts["simulate"],
): Promise<SimulationResult> {
  try {
    return await simulate(options);
  } catch (error) {
    throw domain === undefined ? error : explainUnusable(domain, error);
  }
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
    },
  });
  return transcript;
}

function writePage(
  request: SimulateRequest,
  seed: number,
  run: {
    readonly transcript: readonly string[];
    readonly violation: ViolationFact | undefined;
  },
  { write, tell }: SimulatePorts,
): void {
  const { transcript: file } = request;
  if (file === undefined) return;
  const command = commandFor(request, seed);
  const { transcript, violation } = run;
  write(file, transcriptPage({ seed, command }, transcript, violation));
  tell({ type: "transcript", seed, file, lines: transcript.length });
}

function violationOf(
  request: SimulateRequest,
  { seed, settings, liar }: SimulationResult,
  { property, message, atMs }: NonNullable<SimulationResult["violation"]>,
  transcript: readonly string[],
): ViolationFact {
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
