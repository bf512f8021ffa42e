/** Makes mutants: copies of the contracts with one thing broken. */
import { globSync } from "node:fs";

import { parseContracts, walk, type Source } from "./ast.ts";
import { assemblyOperators } from "./assembly.ts";
import { expressionOperators } from "./expressions.ts";
import type { Edit } from "./operator.ts";
import { statementOperators } from "./statements.ts";

const OPERATORS = [
  ...statementOperators,
  ...expressionOperators,
  ...assemblyOperators,
];

/** A contract with one thing broken. */
export interface Mutant extends Edit {
  /** `file:line:operator`, and `#n` for the n-th of the same kind on a line. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  /** What stood in the range before. */
  readonly original: string;
}

const EXCLUDED = ["contracts/testing/", "contracts/interfaces/"];

/** The contract files of a project that get mutants: what we deploy, not what describes or tests it. */
export function contractFiles(root: string): string[] {
  return globSync("contracts/**/*.sol", { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !EXCLUDED.some((folder) => file.startsWith(folder)))
    .sort();
}

/** All mutants of a project's contracts, in the order of the sources. */
export function generateMutants(
  root: string,
  files: readonly string[] = contractFiles(root),
): Mutant[] {
  return withIds(parseContracts(root, files).flatMap(mutantsOf));
}

function mutantsOf(source: Source): Omit<Mutant, "id">[] {
  const { content, file, ast } = source;
  const slice = ({ start, end }: { start: number; end: number }): string =>
    content.subarray(start, end).toString("utf8");
  const edits: Edit[] = [];
  walk(ast, (node, ancestors) => {
    for (const operator of OPERATORS)
      edits.push(...operator(node, { ancestors, slice }));
  });
  return edits
    .map((edit) => ({
      ...edit,
      file,
      original: slice(edit),
      line: slice({ start: 0, end: edit.start }).split("\n").length,
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

function withIds(mutants: readonly Omit<Mutant, "id">[]): Mutant[] {
  const seen = new Map<string, number>();
  return mutants.map((mutant) => {
    const file = mutant.file.replace(/^contracts\//, "");
    const name = `${file}:${mutant.line}:${mutant.operator}`;
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return { ...mutant, id: nth === 1 ? name : `${name}#${nth}` };
  });
}

/** The source of a mutant. */
export function applyMutant(
  content: Buffer,
  { start, end, replacement }: Edit,
): Buffer {
  return Buffer.concat([
    content.subarray(0, start),
    Buffer.from(replacement),
    content.subarray(end),
  ]);
}

/** A part of the mutants that depends on the seed alone, in the order of the sources. */
export function sampleMutants(
  mutants: readonly Mutant[],
  options: { readonly size: number; readonly seed: number },
): Mutant[] {
  const random = mulberry32(options.seed);
  const chosen = mutants
    .map((mutant, index) => ({ mutant, index, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, options.size);
  return chosen.sort((a, b) => a.index - b.index).map(({ mutant }) => mutant);
}

/** A small generator of pseudo-random numbers: the same sequence on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
