// Runs one part of the benchmark for the process that started this one, and tells it what came of it.
import { parts } from "./parts.ts";

const [name = "", mode] = process.argv.slice(2);
const part = parts.get(name);
if (part === undefined) throw new Error(`There is no part ${name}.`);
const findings = await part.run({
  isQuick: mode === "quick",
  tell: (line) => {
    console.error(`${name}: ${line}`);
  },
});
process.send?.(findings, () => {
  process.disconnect();
});
