// Sabotages nodes, and runs each sabotage under torture: `npm run torture:mutants [-- words of a name]`. Ends with 1 if one is
// not noticed, or if something is reported of nodes that nobody has sabotaged.
import type { Sabotage } from "../test/helpers/sabotage/edit.ts";
import { control, mutants } from "../test/torture/mutants/catalogue.ts";
import { Copy, type Found } from "../test/torture/mutants/copy.ts";
import type { PlannedFault } from "../test/torture/harness/nemesis/schedule.ts";

/** A run with its start, its rest and its check, on a busy machine. */
const RUN_MS = 600_000;

const words = process.argv.slice(2).join(" ");

async function hunt(
  plan: readonly PlannedFault[],
  sabotage?: Sabotage,
): Promise<Found & { readonly seconds: string }> {
  const copy = new Copy(sabotage);
  const beganMs = performance.now();
  try {
    const found = await copy.hunt(plan, RUN_MS);
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(0);
    return { ...found, seconds };
  } finally {
    copy.remove();
  }
}

let survivors = 0;
if (words === "" || words === "control") {
  const { violations, faults, confirmed, seconds } = await hunt(control);
  const failed = faults.filter(({ detail }) => detail.includes("failed"));
  const isRight =
    violations.length === 0 && failed.length === 0 && confirmed > 0;
  if (!isRight) survivors += 1;
  console.log(
    `${isRight ? "silent  " : "NOT SILENT"} nothing is sabotaged: ${faults.length} faults, ${confirmed} confirmed (${seconds} s)`,
  );
  for (const { property, what } of violations)
    console.log(`  ${property}: ${what}`);
  for (const { kind, detail } of failed) console.log(`  ${kind}: ${detail}`);
}
for (const mutant of mutants) {
  const { name, properties, plan } = mutant;
  if (!name.includes(words)) continue;
  const { violations, seconds } = await hunt(plan, mutant);
  const found = [...new Set(violations.map(({ property }) => property))];
  const first = violations.find(({ property }) =>
    properties.includes(property),
  );
  if (first === undefined) survivors += 1;
  const verdict = first === undefined ? "SURVIVED" : "noticed ";
  const why =
    first === undefined
      ? `expected ${properties.join(" or ")}, found ${found.join(", ") || "nothing"}`
      : `${found.join(", ")}; ${first.property}: ${first.what}`;
  console.log(`${verdict} ${name} (${seconds} s): ${why}`);
}
process.exitCode = survivors === 0 ? 0 : 1;
