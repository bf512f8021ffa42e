/**
 * Runs the tests, those that take longest first. Those with nodes in processes of their own mostly wait, so that they run
 * beside all others.
 *
 *     npm test
 *     npm run test:processes    only those with processes
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

const root = path.resolve(import.meta.dirname, "..");

const environment = {
  // Many tests start processes: they load what others have compiled.
  NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/compiled"),
  // A node whose memory contradicts itself stops.
  SEQUENCER_CHECK: "1",
  ...process.env,
};

const first = [
  "test/simulation/whole.ts",
  "test/ledger/differential.ts",
  "test/simulation/mutants/run.ts",
  "test/simulation/domains.ts",
  "test/simulation/seeds.ts",
  "test/cluster/kill.ts",
];
const apart = [
  "test/torture/run.ts",
  "test/torture/stories.ts",
  "test/torture/five.ts",
  "test/docs/pages.ts",
  "test/replica/processes.ts",
  "test/replica/nodes.ts",
  "test/supervisor/processes.ts",
];

const all = globSync("test/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  // Some of these are programs of their own, which run when they are loaded.
  .filter((file) => !/\/(helpers|fixtures)\//.test(file))
  .sort();
for (const file of [...first, ...apart])
  if (!all.includes(file)) throw new Error(`There is no ${file}.`);
const others = all.filter(
  (file) => !first.includes(file) && !apart.includes(file),
);

/** Resolves with whether it went well. What is said beside something else is held back until it is over. */
async function run(
  [command, ...args]: readonly [string, ...string[]],
  output: "now" | "later" = "now",
): Promise<boolean> {
  const child = spawn(command, args, {
    cwd: root,
    env: environment,
    stdio: output === "now" ? "inherit" : ["inherit", "pipe", "pipe"],
  });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (part: Buffer) => said.push(part));
  const [code] = (await once(child, "close")) as [number | null];
  process.stdout.write(Buffer.concat(said));
  return code === 0;
}

const { values: options } = parseArgs({
  options: { processes: { type: "boolean", default: false } },
});
// They compile nothing of this repository: two of Hardhat at once would compile the same contracts.
// Node may hang while it gives back what a process holds that ends by itself.
const withProcesses = ["mocha", "--exit", ...apart] as const;

async function everything(): Promise<boolean> {
  const beside = run(withProcesses, "later");
  const solidity = await run(["hardhat", "test", "solidity"]);
  const mocha = await run(["hardhat", "test", "mocha", ...first, ...others]);
  return (await beside) && solidity && mocha;
}

const isGood = await (options.processes ? run(withProcesses) : everything());
process.exitCode = isGood ? 0 : 1;
