/**
 * Tests that take too long for `npm test`: many more seeds, and a comparison of two versions of Node.
 *
 *     npm run test:long                                  all of them: some hours on two cores
 *     npm run test:long -- --only core,whole             some of them
 *     npm run test:long -- --core-seeds 1000             fewer seeds of the core lane; --whole-seeds and --farm-seeds likewise
 *     npm run test:long -- --only replicas --replica-rounds 200
 *     npm run test:long -- --first-seed 5000000          other seeds
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const root = path.resolve(import.meta.dirname, "..");

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    "first-seed": { type: "string", default: "1000001" },
    "core-seeds": { type: "string", default: "100000" },
    "whole-seeds": { type: "string", default: "10000" },
    "farm-seeds": { type: "string", default: "500" },
    "replica-rounds": { type: "string", default: "120" },
  },
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

interface Command {
  readonly words: readonly [string, ...string[]];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs a command to its end. Its errors are shown at once. */
async function run({ words, variables = {} }: Command): Promise<Ended> {
  const [program, ...args] = words;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Only the end of what is printed counts, and there may be a line for each of 100,000 seeds.
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    output = (output + part).slice(-65_536);
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** Divides seeds among processes, runs them all, and says how each ended. */
async function inParts(
  count: number,
  processes: number,
  commandOf: (first: number, seeds: number) => Command,
): Promise<readonly Ended[]> {
  const first = Number(options["first-seed"]);
  const each = Math.ceil(count / processes);
  const parts = Array.from({ length: processes }, (_, index) => index * each);
  return await Promise.all(
    parts.map(
      async (start) =>
        await run(commandOf(first + start, Math.min(each, count - start))),
    ),
  );
}

function lastLines(ended: readonly Ended[]): boolean {
  for (const { output } of ended)
    console.log(output.trimEnd().split("\n").slice(-2).join("\n"));
  return ended.every(({ code }) => code === 0);
}

/** Seeds of one lane of the simulator, with all faults. */
async function seedsOf(lane: "core" | "whole"): Promise<boolean> {
  const ended = await inParts(
    Number(options[`${lane}-seeds`]),
    availableParallelism(),
    (first, seeds) => ({
      words: [
        ...["npx", "hardhat", "sequencer:simulate", "--json", "--lane"],
        ...[lane, "--seed", String(first), "--seeds", String(seeds)],
      ] as [string, ...string[]],
    }),
  );
  return lastLines(ended);
}

/** A cluster behind farms of backends, which mostly waits. */
async function farm(): Promise<boolean> {
  const ended = await inParts(
    Number(options["farm-seeds"]),
    2 * availableParallelism(),
    (first, seeds) => ({
      words: ["npx", "mocha", "--exit", "test/cluster/farm.ts"],
      variables: {
        FARM_FIRST_SEED: String(first),
        FARM_SEEDS: String(seeds),
      },
    }),
  );
  return lastLines(ended);
}

/** A node with replicas under faults and load, and how long it is away. */
async function replicas(): Promise<boolean> {
  const rounds = await run({
    words: ["npx", "mocha", "--exit", "test/replica/nodes.ts"],
    variables: {
      REPLICA_SEED: options["first-seed"],
      REPLICA_ROUNDS: options["replica-rounds"],
    },
  });
  console.log(rounds.output.trimEnd());
  const times = await run({
    words: ["npx", "node", "scripts/bench-replicas.ts"],
  });
  console.log(times.output.trimEnd());
  return rounds.code === 0 && times.code === 0;
}

/** Transcripts are the same on the oldest Node that is supported and on that of the repository. */
async function versions(): Promise<boolean> {
  const script = "scripts/transcripts.ts";
  const [here, there] = await Promise.all([
    run({ words: ["npx", "node", script] }),
    run({
      words: [
        ...(["npx", "--yes", "-p", "node@22", "node"] as const),
        ...["--experimental-strip-types", script],
      ],
    }),
  ]);
  console.log(here.output.trimEnd());
  return here.code === 0 && here.output === there.output;
}

/** The step of a supervisor, on many histories. */
async function elections(): Promise<boolean> {
  const ended = await run({
    words: ["npx", "mocha", "--exit", "test/supervisor/election.ts"],
    variables: { SEQUENCER_ELECTION_RUNS: "100000" },
  });
  console.log(ended.output.trimEnd());
  return ended.code === 0;
}

/** All sabotages from the first seed on. */
async function sabotages(): Promise<boolean> {
  const ended = await run({
    words: [
      ...(["npx", "mocha", "--exit"] as const),
      "test/simulation/mutants/run.ts",
      "test/simulation/mutants/shell/run.ts",
    ],
    variables: {
      ALL_SEEDS: "1",
    },
  });
  console.log(ended.output.trimEnd());
  return ended.code === 0;
}

const parts = {
  core: async () => await seedsOf("core"),
  whole: async () => await seedsOf("whole"),
  farm,
  replicas,
  versions,
  elections,
  sabotages,
} as const;

const chosen = options.only?.split(",") ?? Object.keys(parts);
for (const name of chosen)
  if (!(name in parts))
    throw new Error(
      `There is no part "${name}". Choose from: ${Object.keys(parts).join(", ")}.`,
    );
for (const [name, part] of Object.entries(parts)) {
  if (!chosen.includes(name)) continue;
  console.log(`=== ${name}`);
  const isGood = await part();
  console.log(`=== ${name} ${isGood ? "passed" : "FAILED"}`);
  if (!isGood) process.exitCode = 1;
}
