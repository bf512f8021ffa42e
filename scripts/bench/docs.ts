import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import path from "node:path";

import { format, resolveConfig } from "prettier";

import { goalRows, markdownOf } from "./goals.ts";
import type { Findings } from "./part.ts";
import { parts } from "./parts.ts";
import { type Panel, plotOf } from "./plot.ts";

const docs = path.resolve(import.meta.dirname, "../../docs");
const page = path.join(docs, "performance.md");
/** What the picture is drawn from. */
const data = path.join(docs, "performance.json");
const picture = path.join(docs, "performance.svg");

/** Puts text between the marks of a name, if they are there. */
export function replaceMarked(
  page: string,
  name: string,
  text: string,
): string {
  const begin = `<!-- bench: ${name} -->`;
  const end = `<!-- end of ${name} -->`;
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`The page has no marks for ${name}.`);
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}

/** What a part found out, as Markdown. */
export function markdownOfPart({ sections, goals }: Findings): string {
  const tables = sections.map(
    ({ title, rows }) => `${title}:\n\n${markdownOf(rows)}`,
  );
  const checked =
    goals.length === 0 ? [] : [`Goals:\n\n${markdownOf(goalRows(goals))}`];
  return [machineOf(), ...tables, ...checked].join("\n\n");
}

/** Writes what parts found out into docs/. What was not measured stays as it is. */
export async function writeDocs(
  findings: ReadonlyMap<string, Findings>,
): Promise<void> {
  let text = readFileSync(page, "utf8");
  for (const [name, one] of findings)
    text = replaceMarked(text, name, markdownOfPart(one));
  const style = (await resolveConfig(page)) ?? {};
  writeFileSync(page, await format(text, { ...style, parser: "markdown" }));
  const panels = { ...readPanels(), ...panelsOf(findings) };
  const json = JSON.stringify(panels);
  writeFileSync(data, await format(json, { ...style, parser: "json" }));
  const inOrder = [...parts.keys()].flatMap((name) => panels[name] ?? []);
  writeFileSync(picture, plotOf(inOrder));
}

type Panels = Readonly<Record<string, readonly Panel[]>>;

function panelsOf(findings: ReadonlyMap<string, Findings>): Panels {
  return Object.fromEntries(
    [...findings].flatMap(([name, { panels }]) =>
      panels === undefined ? [] : [[name, panels]],
    ),
  );
}

/** Of earlier runs. */
function readPanels(): Panels {
  if (!existsSync(data)) return {};
  return JSON.parse(readFileSync(data, "utf8")) as Panels;
}

/** What figures depend on. */
function machineOf(): string {
  const [load = NaN] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  return `_${day}, Node ${process.version}, ${cpus().length} cores, a load of ${load.toFixed(1)} at the end._`;
}
