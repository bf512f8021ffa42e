// Measures what the ledger costs, next to the reference and the goal: `npm run bench:gas [-- --json | --update]`.
// Exits with 1 when a row misses its goal.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import hre from "hardhat";

import { openChain } from "../test/helpers/chain.ts";
import { type GasRow, isReached, measureGas } from "../test/helpers/gas.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean" }, update: { type: "boolean" } },
});

await hre.tasks.getTask("build").run({ quiet: true });
const rows = await measureGas(await openChain());

if (options.update === true) {
  const snapshot = Object.fromEntries(
    rows.map(({ name, gasUsed }) => [name, gasUsed]),
  );
  const file = new URL("../test/contracts/gas-snapshot.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(snapshot, null, 2)}\n`);
}
if (options.json === true) {
  for (const row of rows)
    console.log(
      JSON.stringify({
        version: 1,
        ...row,
        measured: row.gasUsed / row.intents,
        isReached: isReached(row),
      }),
    );
} else {
  printTable(rows);
}
if (!rows.every(isReached)) process.exitCode = 1;

function printTable(table: readonly GasRow[]): void {
  const format = (value: number): string =>
    Math.round(value).toLocaleString("en");
  const lines = [
    ["case", "reference", "reach", "measured", "ratio", ""],
    ...table.map((row) => {
      const { name, reference, reach, gasUsed, intents } = row;
      const measured = gasUsed / intents;
      return [
        name,
        format(reference),
        reach === undefined ? "-" : format(reach),
        format(measured),
        (measured / reference).toFixed(2),
        isReached(row) ? "" : "falls short",
      ];
    }),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column === 0
        ? cell.padEnd(widths[0] ?? 0)
        : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join("  ").trimEnd());
  }
}
