// Runs one part of the benchmark for the process that started this one, and tells it what came of it.
import { once } from "node:events";

import type { PartOptions } from "./part.ts";
import { parts } from "./parts.ts";

// Chains in other processes and databases go only with an orderly end, also when nobody waits for this part any more.
const leave = (): void => process.exit(1);
process.once("SIGTERM", leave);
process.once("disconnect", leave);

const [name = ""] = process.argv.slice(2);
const part = parts.get(name);
if (part === undefined) throw new Error(`There is no part ${name}.`);
const [options] = (await once(process, "message")) as [
  Omit<PartOptions, "tell">,
];
const findings = await part.run({
  ...options,
  tell: (line) => {
    console.error(`${name}: ${line}`);
  },
});
process.off("disconnect", leave);
process.send?.(findings, () => {
  process.disconnect();
});
