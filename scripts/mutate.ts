/**
 * Breaks the contracts in every small way we know and checks that a test notices.
 *
 *   npm run mutate                          all mutants (many minutes)
 *   npm run mutate -- --list                what there is, without running it
 *   npm run mutate -- --only drop-guard     those whose id contains a text
 *   npm run mutate -- --sample 20 --seed 1  a part that depends on the seed alone
 *   npm run mutate -- --solidity-only       without the slower TypeScript tests for what survives the others
 *   npm run mutate -- --json                one object per line
 *   npm run mutate -- --changed             nothing, while all is as it was when enough of them were last killed
 *
 * Exits with 1 when a mutant survives, or when the list of equivalent mutants names one that is gone. A run in which
 * the Solidity tests alone kill enough mutants and none survives writes down what it looked at.
 */
import path from "node:path";
import { parseArgs } from "node:util";

import { equivalents } from "./mutation/equivalent.ts";
import {
  generateMutants,
  sampleMutants,
  type Mutant,
} from "./mutation/generate.ts";
import {
  describeMutant,
  describeResult,
  describeSummary,
  resultToJson,
  staleEquivalents,
  summarize,
} from "./mutation/report.ts";
import { runMutants, type Result } from "./mutation/run.ts";
import { hashOf, isRecorded, writeRecord } from "./record.ts";

const root = path.resolve(import.meta.dirname, "..");

const { values: options } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    "solidity-only": { type: "boolean", default: false },
    changed: { type: "boolean", default: false },
  },
});

/** Fewer would not say much about the tests. */
const ENOUGH = 25;

const record = "test/contracts/mutated.json";
const inputs = hashOf({
  files: [
    "contracts/**/*.sol",
    "test/contracts/**/*.sol",
    "hardhat.config.ts",
    "scripts/{compiler,mutate,record}.ts",
    "scripts/mutation/*.ts",
  ],
  packages: ["@openzeppelin/contracts", "hardhat", "solc"],
});

function select(mutants: readonly Mutant[]): Mutant[] {
  const { only = [""], sample, seed } = options;
  const chosen = mutants.filter(({ id }) =>
    only.some((part) => id.includes(part)),
  );
  return sample === undefined
    ? chosen
    : sampleMutants(chosen, { size: Number(sample), seed: Number(seed) });
}

function print(result: Result): void {
  console.log(options.json ? resultToJson(result) : describeResult(result));
}

async function run(mutants: readonly Mutant[]): Promise<void> {
  const started = performance.now();
  const reasons = new Map(equivalents.map(({ id, reason }) => [id, reason]));
  const skipped = mutants.flatMap((mutant): Result[] => {
    const by = reasons.get(mutant.id);
    return by === undefined
      ? []
      : [{ mutant, outcome: "equivalent", by, ms: 0 }];
  });
  skipped.forEach(print);
  const results = await runMutants(
    mutants.filter(({ id }) => !reasons.has(id)),
    {
      root,
      workers: Number(options.workers),
      solidityOnly: options["solidity-only"],
      onResult: print,
    },
  );
  const all = [...skipped, ...results];
  const summary = summarize(all, performance.now() - started);
  if (options.json) {
    console.log(JSON.stringify({ version: 1, summary }));
  } else {
    const survivors = all.filter(({ outcome }) => outcome === "survived");
    if (survivors.length > 0) console.log("\nNo test notices:");
    survivors.forEach(print);
    console.log(`\n${describeSummary(summary)}`);
  }
  if (summary.survived > 0) process.exitCode = 1;
  // What TypeScript tests notice depends on more than what is looked at here.
  else if (options["solidity-only"] && summary.killed >= ENOUGH)
    writeRecord(record, inputs);
}

// An exit, unlike a signal, lets the copies of the project be deleted.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

const all = generateMutants(root);
const stale = staleEquivalents(all, equivalents);
for (const { id, original } of stale)
  console.error(
    `scripts/mutation/equivalent.ts names a mutant that does not exist: ${id} (${original})`,
  );
if (stale.length > 0) process.exitCode = 1;
else if (options.list)
  for (const mutant of select(all)) console.log(describeMutant(mutant));
else if (options.changed && isRecorded(record, inputs))
  console.log(
    `Nothing has changed since ${ENOUGH} mutants or more were killed.`,
  );
else await run(select(all));
