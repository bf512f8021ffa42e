/** Runs mutants against the tests. */
import { readFileSync } from "node:fs";
import path from "node:path";

import { applyMutant, contractFiles, type Mutant } from "./generate.ts";
import { readRelations, type Relations } from "./imports.ts";
import type { Job, Profile } from "./messages.ts";
import { Worker, type Answer } from "./pool.ts";
import { runTypeScriptTests } from "./typescript.ts";
import { createWorkspace, removeWorkspace } from "./workspace.ts";

/** What became of a mutant. */
export interface Result {
  readonly mutant: Mutant;
  /** `invalid` mutants do not compile and do not count. */
  readonly outcome: "killed" | "survived" | "invalid" | "equivalent";
  /** The test that killed it, or why it is equivalent. */
  readonly by?: string;
  readonly ms: number;
}

/** How to run. */
export interface RunOptions {
  readonly root: string;
  readonly workers: number;
  /** Leaves out the TypeScript tests, which take long for each mutant that reaches them. */
  readonly solidityOnly: boolean;
  /** Called for each mutant as it is done. */
  readonly onResult: (result: Result) => void;
}

/** Far above what a job takes on a busy machine: running out of time counts as killed. */
const TIMEOUT_FLOOR_MS = 2 * 60_000;
const TIMEOUT_ALL_MS = 15 * 60_000;

/** Runs all mutants. The tests must pass without any. */
export async function runMutants(
  mutants: readonly Mutant[],
  options: RunOptions,
): Promise<Result[]> {
  const count = Math.max(1, Math.min(options.workers, mutants.length));
  // Work goes on in the tree while this runs; a snapshot does not change.
  const root = createWorkspace(options.root);
  const workers = Array.from({ length: count }, () => new Worker(root));
  try {
    const baseline = await requireBaseline(workers);
    const relations = readRelations(root);
    const queue = [...mutants];
    const results: Result[] = [];
    const drain = async (worker: Worker): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const related = relations(next.file);
        const run = { ...baseline, ...options, root, mutant: next, related };
        const result = await runMutant(worker, run);
        results.push(result);
        options.onResult(result);
      }
    };
    await Promise.all(workers.map(drain));
    return results;
  } finally {
    for (const worker of workers) worker.stop();
    removeWorkspace(root);
  }
}

interface Baseline {
  readonly profile: Profile;
  readonly timeoutMs: number;
}

/** Finds the fastest profile that compiles everything, and makes sure that the tests pass as things are. */
async function requireBaseline(workers: readonly Worker[]): Promise<Baseline> {
  const reasons: string[] = [];
  for (const profile of ["quick", "exact"] as const) {
    const started = performance.now();
    const job = { profile, effort: "fuzz" } as const;
    const answers = await Promise.all(
      workers.map(async (worker) => await worker.run(job, TIMEOUT_ALL_MS)),
    );
    const bad = answers.find(({ type }) => type !== "Passed");
    const timeoutMs = Math.max(
      TIMEOUT_FLOOR_MS,
      5 * (performance.now() - started),
    );
    if (bad === undefined) return { profile, timeoutMs };
    reasons.push(`${profile}: ${explain(bad)}`);
  }
  throw new Error(`The tests fail without any mutant. ${reasons.join("; ")}`);
}

async function runMutant(
  worker: Worker,
  run: Baseline &
    RunOptions & {
      readonly mutant: Mutant;
      readonly related: Relations;
    },
): Promise<Result> {
  const { mutant, root, profile, timeoutMs, related, solidityOnly } = run;
  const started = performance.now();
  const { file } = mutant;
  const original = readFileSync(path.join(root, file));
  const content = applyMutant(original, mutant).toString("utf8");
  const contracts = contractFiles(root);
  const solidity =
    (part: Pick<Job, "build" | "tests" | "effort">) =>
    async (): Promise<Answer> =>
      await worker.run(
        { file, content, profile, ...part },
        part.effort === "all" ? TIMEOUT_ALL_MS : timeoutMs,
      );
  const typescript = async (): Promise<Answer> =>
    await runTypeScriptTests({
      folder: worker.folder,
      file,
      content,
      original,
    });
  const { free, direct } = related;
  // The cheap attempts first: only what survives them is worth the dear ones.
  const attempts = [
    free.length > 0 &&
      solidity({ build: contracts, tests: free, effort: "examples" }),
    direct.length > 0 &&
      solidity({
        build: [...contracts, ...direct],
        tests: direct,
        effort: "fuzz",
      }),
    solidity({ effort: "examples" }),
    solidity({ effort: "fuzz" }),
    solidity({ effort: "all" }),
    !solidityOnly && typescript,
  ];
  let answer: Answer = { type: "Passed" };
  for (const attempt of attempts)
    if (attempt !== false && answer.type === "Passed") answer = await attempt();
  const ms = Math.round(performance.now() - started);
  if (answer.type === "Passed") return { mutant, outcome: "survived", ms };
  const outcome = answer.type === "NotCompiled" ? "invalid" : "killed";
  return { mutant, outcome, by: explain(answer), ms };
}

function explain(answer: Answer): string {
  switch (answer.type) {
    case "Passed":
      return "nothing";
    case "Failed":
      return answer.test;
    case "NotCompiled":
      return answer.reason;
    case "TimedOut":
      return "the time limit";
    case "Died":
      return "the end of the test process";
  }
}
