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
import { explainUnusable, loadDomain, loadTrial } from "./load-domain.ts";
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
  const { now, tell, progress } = ports;
  const request = parseSimulateOptions(asked);
  const { firstSeed, seeds, faults, lane } = request;
  const runSeed = await laneOf(request, ports);
  const startedMs = now();
  let totals = noTotals;
  let isViolated = false;
  let drawn: Pick<Summary, "setup" | "liar"> = {};
  for (let done = 0; done < seeds && !isViolated;) {
    const seed = firstSeed + done;
    const result = await explained(request, runSeed(seed));
    const { traceHash, statistics, violation, liar, setup } = result;
    totals = addRun(totals, statistics, liar);
    done += 1;
    await progress(done, seeds);
    const lied = liar === undefined ? {} : { liar };
    tell({ type: "run", seed, traceHash, lane, setup, ...lied, statistics });
    drawn = seeds === 1 ? { setup, ...lied } : {};
    isViolated = violation !== undefined;
    const isWritten = request.transcript !== undefined && done === seeds;
    if (violation === undefined && !isWritten) continue;
    const transcript = await transcribe(seed, runSeed);
    const fact =
      violation &&
      violationOf(request, result, violation, transcript.slice(-LINES_TOLD));
    writePage(request, seed, { transcript, violation: fact }, ports);
    if (fact !== undefined) tell(fact);
  }
  const elapsedMs = Math.round(now() - startedMs);
  const type = "summary";
  const summary = { type, firstSeed, seeds, lane, faults, isViolated } as const;
  const fact = { ...summary, ...drawn, totals, elapsedMs };
  tell(fact);
  return fact;
}

/** Simulates one seed. */
type RunSeed = (
  seed: number,
  transcript?: (line: string) => void,
) => Promise<SimulationResult>;

async function laneOf(
  request: SimulateRequest,
  { simulate }: SimulatePorts,
): Promise<RunSeed> {
  const { domain, lane, nodes, intents, policy, faults } = request;
  const { liar, isLasting } = request;
  const common = (seed: number, transcript?: (line: string) => void) => ({
    seed,
    faults,
    ...(nodes === undefined ? {} : { nodes }),
    ...(intents === undefined ? {} : { intents }),
    ...(policy === undefined ? {} : { policy }),
    ...(transcript === undefined ? {} : { transcript }),
    ...(liar === undefined ? {} : { liar }),
    ...(isLasting ? { isLasting } : {}),
  });
  if (lane === "whole") {
    const { simulateWhole } =
      await import("../../src/simulation/whole/simulate.ts");
    const choices = domain === undefined ? wholeDomains : [domain];
    const trials = await Promise.all(choices.map(loadTrial));
    return async (seed, transcript) =>
      await simulateWhole({ ...common(seed, transcript), trials });
  }
  const kind = domain === undefined ? undefined : await loadDomain(domain);
  return async (seed, transcript) =>
    await simulate({
      ...common(seed, transcript),
      ...(kind === undefined ? {} : { domain: kind }),
    });
}

/** The domains that groups of the whole lane draw from, if nobody asks for another one. */
const wholeDomains = [
  { name: "group-token" },
  { name: "notarised-token" },
  { name: "owned-coins" },
  { name: "private-contracts" },
] as const;

/** A domain of the user's may be impossible to simulate. */
async function explained(
  { domain }: SimulateRequest,
  run: Promise<SimulationResult>,
): Promise<SimulationResult> {
  try {
    return await run;
  } catch (error) {
    throw domain === undefined ? error : explainUnusable(domain, error);
  }
}

/** Runs a seed again, this time with a transcript: it would slow all other runs down. */
async function transcribe(
  seed: number,
  runSeed: RunSeed,
): Promise<readonly string[]> {
  const transcript: string[] = [];
  await runSeed(seed, (line) => {
    transcript.push(line);
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
  { seed, setup, liar }: SimulationResult,
  { property, message, atMs }: NonNullable<SimulationResult["violation"]>,
  transcript: readonly string[],
): ViolationFact {
  return {
    type: "violation",
    seed,
    property,
    meaning: properties[property] ?? "",
    message,
    atMs: Math.round(atMs),
    ...setup,
    lane: request.lane,
    ...(liar === undefined ? {} : { liar }),
    transcript,
    command: commandFor(request, seed),
  };
}
