/**
 * Uses the package as strangers do: packs it, installs the tarball in a copy of each example, and runs what the
 * example's README says. Only this notices what is wrong with `exports`, `files`, or the imports in `dist`.
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
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const folder = mkdtempSync(path.join(tmpdir(), "example-"));

/** Ours without what npm told this script about itself, and with this script's Node before any other. */
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
    PATH: [path.dirname(process.execPath), ...places].join(path.delimiter),
  };
}

interface Check {
  readonly command: string;
  readonly code: number;
  readonly text: string;
}

/** What an example must do besides passing its tests. */
const CHECKS: Readonly<Record<string, readonly Check[]>> = {
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
function requireRewrittenImports(example: string): void {
  const installed = path.join(example, "node_modules/hardhat-sequencer/dist");
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

/** What an example installs, and where that is. */
const installed = new Map<string, string>();

/** Installs what an example needs. Examples that need exactly the same use the same, one after the other. */
function install(example: string): void {
  const { devDependencies } = JSON.parse(
    readFileSync(path.join(example, "package.json"), "utf8"),
  ) as { readonly devDependencies: Readonly<Record<string, string>> };
  const needs = JSON.stringify(Object.entries(devDependencies).sort());
  const modules = path.join(example, "node_modules");
  const before = installed.get(needs);
  installed.set(needs, modules);
  if (before === undefined)
    expectRun(example, "npm install --prefer-offline --no-audit --no-fund", {
      code: 0,
    });
  else renameSync(before, modules);
}

function testExample(name: string, tarball: string): void {
  const example = path.join(folder, name);
  cpSync(path.join(root, "examples", name), example, {
    recursive: true,
    filter: (file) =>
      !/\/(node_modules|artifacts|cache|types|deployments)$/.test(
        file.replaceAll("\\", "/"),
      ),
  });
  cpSync(tarball, path.join(example, "hardhat-sequencer.tgz"));
  console.log(name);
  install(example);
  requireRewrittenImports(example);
  expectRun(example, "npm test", { code: 0 });
  for (const { command, ...expected } of CHECKS[name] ?? [])
    expectRun(example, command, expected);
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
  for (const example of examples) testExample(example, tarball);
} finally {
  if (process.argv.includes("--keep")) console.log(`Kept ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
