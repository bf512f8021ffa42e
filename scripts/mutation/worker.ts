/**
 * A process that compiles and tests one workspace, its working directory, again and again. It keeps Hardhat loaded,
 * which saves a second or two for each mutant.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { SolidityTestUserConfig } from "hardhat/types/test";

import projectConfig from "../../hardhat.config.ts";
import { compiler } from "../compiler.ts";
import { leanCompiler } from "./lean-compiler.ts";
import type { Effort, Job, Profile, Verdict } from "./messages.ts";

/** Without optimisation the compiler takes a quarter of the time, and the tests prove the same. */
const SETTINGS = {
  quick: {
    ...compiler.settings,
    viaIR: false,
    optimizer: { enabled: false },
  },
  exact: compiler.settings,
} as const satisfies Record<Profile, object>;

/** The project's own settings for Solidity tests, with fewer runs where few will do. */
function testSettings(effort: Effort): SolidityTestUserConfig {
  const settings = projectConfig.test?.solidity ?? {};
  if ("profiles" in settings)
    throw new Error("Mutants take the settings of tests without profiles");
  // A loop that never ends shall run out of gas, not out of time.
  const bounded = { ...settings, gasLimit: 1_000_000_000n };
  return effort === "fuzz"
    ? { ...bounded, fuzz: { ...settings.fuzz, runs: 32 } }
    : bounded;
}

/** Tests to leave out, by a part of their names. */
const LEFT_OUT = {
  // What gas costs is another matter without optimisation.
  quick: ["Gas"],
  exact: [],
  // Fuzz tests take longer than examples, and invariants longer than all others together.
  examples: ["testFuzz_", "invariant_"],
  fuzz: ["invariant_"],
  all: [],
} as const satisfies Record<Profile | Effort, readonly string[]>;

const workspace = process.cwd();
const environments = new Map<string, Promise<HardhatRuntimeEnvironment>>();

async function environment(
  profile: Profile,
  effort: Effort,
): Promise<HardhatRuntimeEnvironment> {
  const key = `${profile} ${effort}`;
  const created =
    environments.get(key) ??
    createHardhatRuntimeEnvironment(
      {
        plugins: [leanCompiler],
        solidity: {
          version: compiler.version,
          path: compiler.path,
          settings: SETTINGS[profile],
        },
        test: { solidity: testSettings(effort) },
      },
      {},
      workspace,
    );
  environments.set(key, created);
  return await created;
}

async function run(job: Job): Promise<Verdict> {
  const { profile, effort, build = [], tests = [] } = job;
  const hre = await environment(profile, effort);
  try {
    await hre.tasks.getTask("build").run({ quiet: true, files: [...build] });
  } catch (error) {
    return { type: "NotCompiled", reason: String(error) };
  }
  const leftOut = [...LEFT_OUT[profile], ...LEFT_OUT[effort]].join("|");
  const result: unknown = await hre.tasks.getTask(["test", "solidity"]).run({
    noCompile: true,
    testFiles: [...tests],
    ...(leftOut === "" ? {} : { grepExclude: leftOut }),
  });
  const test = firstFailure(result);
  return test === undefined ? { type: "Passed" } : { type: "Failed", test };
}

interface TestRun {
  readonly success: boolean;
  readonly value?: SuiteResults;
  readonly error?: SuiteResults;
}

interface SuiteResults {
  readonly suiteResults: readonly {
    readonly id: { readonly name: string };
    readonly testResults: readonly {
      readonly name: string;
      readonly status: string;
    }[];
  }[];
}

/** The name of a test that failed, by what Hardhat's task returns. */
function firstFailure(result: unknown): string | undefined {
  const { success, value, error } = result as TestRun;
  for (const { id, testResults } of (value ?? error)?.suiteResults ?? [])
    for (const { name, status } of testResults)
      if (status === "Failure") return `${id.name}.${name.replace("()", "")}`;
  return success ? undefined : "a test that could not run";
}

async function perform(job: Job): Promise<Verdict> {
  if (job.file === undefined || job.content === undefined)
    return await run(job);
  const file = path.join(workspace, job.file);
  const original = readFileSync(file);
  try {
    writeFileSync(file, job.content);
    return await run(job);
  } finally {
    writeFileSync(file, original);
  }
}

process.on("message", (job: Job) => {
  void perform(job)
    .catch((error: unknown): Verdict => ({
      type: "Failed",
      test: String(error),
    }))
    .then((verdict) => process.send?.(verdict));
});
process.on("disconnect", () => process.exit());
