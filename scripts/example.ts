/**
 * Uses the package as strangers do: packs it, installs the tarball above a copy of each example, and runs what the
 * example's README says. Only this notices what is wrong with `exports`, `files`, or the imports in `dist`.
 *
 * Installing and checking types take most of the time, so examples share them. Those that list least come first, before
 * anything else is installed: so our package is seen to bring what it needs, and to do without what is optional. No
 * example may import what it does not list.
 *
 * An example without tests is a story: the commands of its README run, and must print what it shows.
 *
 *   npm run test:example
 *   npm run test:example -- cluster-tests    only this one
 *   npm run test:example -- --built          packs what was built before, and builds nothing
 *   npm run test:example -- --keep           leaves the copies for a look
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { runStory } from "./story/run.ts";

const root = path.resolve(import.meta.dirname, "..");
const folder = mkdtempSync(path.join(tmpdir(), "example-"));
const modules = path.join(folder, "node_modules");

/** Ours without what npm told this script about itself, and with what is installed for the examples before all else. */
function environment(): NodeJS.ProcessEnv {
  const own = path.join(root, "node_modules");
  const places = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((place) => !place.startsWith(own));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle)_|INIT_CWD$|NODE_ENV$)/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    PATH: [
      path.join(modules, ".bin"),
      path.dirname(process.execPath),
      ...places,
    ].join(path.delimiter),
  };
}

interface Check {
  readonly command: string;
  readonly code: number;
  readonly text: string;
}

/** What an example must do besides passing its tests. */
const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  "own-domain": [
    {
      command:
        "npx hardhat sequencer:simulate --domain ./simulation/auction.ts --seeds 30",
      code: 0,
      text: "Every property held in 30 runs",
    },
  ],
  "solidity-workflow": [
    {
      command: "npm run deploy -- --json",
      code: 0,
      text: '"type":"deployment"',
    },
    {
      command: "npx hardhat sequencer:deploy --members nobody",
      code: 1,
      text: "hardhat-sequencer",
    },
    {
      command: "npm run deploy:ignition",
      code: 0,
      text: "InvoiceEscrow#InvoiceEscrow",
    },
  ],
};

interface Run {
  readonly code: number | null;
  readonly output: string;
}

function run(cwd: string, command: string): Run {
  const [program = "", ...words] = command.split(" ");
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    env: environment(),
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return { code: status, output: `${stdout}${stderr}` };
}

/** Runs a command, and fails unless it ends with `code` and prints `text`. */
function expectRun(
  cwd: string,
  command: string,
  expected: { readonly code: number; readonly text?: string },
): Run {
  const started = performance.now();
  const result = run(cwd, command);
  const { code, text = "" } = expected;
  if (result.code !== code || !result.output.includes(text))
    throw new Error(
      `${command} ended with ${String(result.code)} instead of ${code}, or did not print "${text}":\n${result.output}`,
    );
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${seconds.padStart(4)} s  ${command}`);
  return result;
}

/** `tsc` leaves some imports of `.ts` files alone; nobody could load them. */
function requireRewrittenImports(): void {
  const installed = path.join(modules, "hardhat-sequencer/dist");
  const files = globSync("**/*.js", { cwd: installed });
  const bad = files.filter((file) =>
    /(from|import\()\s*["']\.[^"']*\.ts["']/.test(
      readFileSync(path.join(installed, file), "utf8"),
    ),
  );
  if (files.length === 0) throw new Error("The package has no dist");
  if (bad.length > 0)
    throw new Error(`The package imports sources: ${bad.join(", ")}`);
}

interface Manifest {
  readonly scripts: { readonly test: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

function manifestOf(example: string): Manifest {
  const file = path.join(root, "examples", example, "package.json");
  return JSON.parse(readFileSync(file, "utf8")) as Manifest;
}

/** Whoever copies one example has only what that one lists. */
function requireListedImports(example: string): void {
  const cwd = path.join(folder, example);
  const { devDependencies } = manifestOf(example);
  for (const file of globSync("**/*.{ts,sol}", { cwd })) {
    const text = readFileSync(path.join(cwd, file), "utf8");
    for (const [, name = ""] of text.matchAll(
      /^(?:import|export|\}).*?["']((?:@[^/"'\s]+\/)?[^./"'\s][^/"'\s]*)[^"'\s]*["'];$/gm,
    ))
      if (!name.startsWith("node:") && devDependencies[name] === undefined)
        throw new Error(`${example}/${file} imports ${name}, unlisted`);
  }
}

function copy(example: string): void {
  cpSync(path.join(root, "examples", example), path.join(folder, example), {
    recursive: true,
    filter: (file) =>
      !/\/(node_modules|artifacts|cache|types|deployments)$/.test(
        file.replaceAll("\\", "/"),
      ),
  });
  requireListedImports(example);
}

/** Installs what examples need above all of them, on top of what is there. */
function install(examples: readonly string[]): void {
  const manifests = examples.map(manifestOf);
  const merged: Record<string, string> = {};
  for (const { devDependencies } of manifests)
    for (const [name, version] of Object.entries(devDependencies)) {
      if ((merged[name] ??= version) !== version)
        throw new Error(`The examples want different versions of ${name}`);
    }
  // Node itself is at hand: the one that runs this.
  delete merged["node"];
  const manifest = {
    name: "examples",
    private: true,
    devDependencies: merged,
    allowScripts: manifests[0]?.allowScripts,
  };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  expectRun(folder, "npm install --prefer-offline --no-audit --no-fund", {
    code: 0,
  });
}

/** What `npm test` does in an example: types are checked after a build if they come from it. */
const STEPS =
  /^(?:(?<build>hardhat build) && )?tsc(?: && (?<test>hardhat test.*))?$/;

function stepsOf(example: string): {
  readonly build: string | undefined;
  /** Undefined for a story. */
  readonly test: string | undefined;
} {
  const found = STEPS.exec(manifestOf(example).scripts.test);
  if (found === null)
    throw new Error(
      `The test of ${example} is not "tsc" or "tsc && hardhat test", with or without "hardhat build" before`,
    );
  return { build: found.groups?.["build"], test: found.groups?.["test"] };
}

function buildExample(example: string): void {
  const { build } = stepsOf(example);
  if (build === undefined) return;
  console.log(example);
  expectRun(path.join(folder, example), build, { code: 0 });
}

async function testExample(example: string): Promise<void> {
  const cwd = path.join(folder, example);
  console.log(example);
  const { test } = stepsOf(example);
  if (test === undefined) await runStory(cwd, environment());
  else expectRun(cwd, test, { code: 0 });
  for (const { command, ...expected } of CHECKS[example] ?? [])
    expectRun(cwd, command, expected);
}

/** By what an example lists: no more than it has to, what tests need besides, some that ours brings too, or optional ones. */
function stageOf(example: string): number {
  const count = (name: string): number =>
    Object.keys(manifestOf(name).devDependencies).length;
  const more = count(example) - count(SMALLEST_WITH_TESTS);
  return more < 0 ? 0 : more === 0 ? 1 : more <= 2 ? 2 : 3;
}

const SMALLEST_WITH_TESTS = "cluster-tests";

async function testExamples(
  examples: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  if (examples.length === 0) return;
  examples.forEach(copy);
  install([...before, ...examples]);
  requireRewrittenImports();
  examples.forEach(buildExample);
  // As tsc in each of them, but files of packages are read only once.
  expectRun(folder, `tsc --build ${examples.join(" ")}`, { code: 0 });
  for (const example of examples) await testExample(example);
}

/** The examples that the command line names, or all. */
function chosenExamples(): readonly string[] {
  const all = globSync("*", { cwd: path.join(root, "examples") });
  const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const unknown = named.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `There is no example ${unknown.join(", ")}, but: ${all.join(", ")}`,
    );
  return named.length > 0 ? named : all;
}

try {
  const examples = chosenExamples();
  const isBuilt = process.argv.includes("--built");
  const pack = `npm pack --pack-destination ${folder}`;
  expectRun(root, isBuilt ? `${pack} --ignore-scripts` : pack, { code: 0 });
  const [tarball = ""] = globSync(path.join(folder, "*.tgz"));
  renameSync(tarball, path.join(folder, "hardhat-sequencer.tgz"));
  for (const stage of [0, 1, 2, 3])
    await testExamples(
      examples.filter((example) => stageOf(example) === stage),
      examples.filter((example) => stageOf(example) < stage),
    );
} finally {
  if (process.argv.includes("--keep")) console.log(`Kept ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
