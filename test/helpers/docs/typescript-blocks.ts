import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

import { type Block, root } from "./blocks.ts";
import { givenImports } from "./givens.ts";

/** Names that pages use, with their types. */
const givens: Readonly<Record<string, string>> = {
  ...givenImports,
  alice: "declare const alice: string;",
  bob: "declare const bob: string;",
  carol: "declare const carol: string;",
  cluster: 'declare const cluster: import("hardhat-sequencer").RunningCluster;',
  group: 'declare const group: import("hardhat-sequencer").ClusterGroup;',
  token:
    'import "hardhat-sequencer/chai"; declare const token: import("hardhat-sequencer/private-contracts").PrivateContract;',
};

/** Checks the types of blocks against the sources, all at once; gives what is wrong, with the page and the line. */
export function typeProblems(blocks: readonly Block[]): readonly string[] {
  const cache = path.join(root, "cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, "docs-"));
  try {
    const written = blocks.map((block, index) => {
      const { head, text } = moduleOf(block);
      writeFileSync(
        path.join(folder, `block-${index}.ts`),
        `${head}${text}\nexport {};\n`,
      );
      return { block, headLines: head.split("\n").length - 1 };
    });
    writeFileSync(path.join(folder, "tsconfig.json"), configuration(folder));
    const tsc = path.join(root, "node_modules/typescript-7/bin/tsc");
    const { stdout, status } = spawnSync(
      process.execPath,
      [tsc, "-p", folder, "--pretty", "false"],
      { cwd: folder, encoding: "utf8" },
    );
    const problems = stdout
      .split("\n")
      .filter((line) => line.includes("error TS"));
    if (status !== 0 && problems.length === 0) throw new Error(stdout);
    return problems.map((line) =>
      line.replace(
        /block-(\d+)\.ts\((\d+),\d+\)/,
        (_, index: string, at: string) => {
          const { block, headLines } = written[Number(index)] ?? {};
          const inPage = (block?.line ?? 0) + Number(at) - (headLines ?? 0);
          return `${block?.page ?? ""}:${inPage}`;
        },
      ),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A block as a module: with what is given, and a part of a configuration inside of one. */
function moduleOf({ text }: Block): {
  readonly head: string;
  readonly text: string;
} {
  const isPart = /^\s*(?:\/\/.*\n\s*)?(?:networks|sequencer): \{/.test(text);
  const whole = isPart ? `export default defineConfig({${text}});` : text;
  const head = Object.entries(givens)
    .filter(([name]) => new RegExp(`(?<![.\\w])${name}\\b(?!:)`).test(whole))
    .filter(([name]) => !declares(whole, name))
    .map(([, line]) => `${line}\n`)
    .join("");
  return { head, text: whole };
}

function declares(text: string, name: string): boolean {
  const isVariable = new RegExp(`\\b(?:const|let) ${name}\\b`).test(text);
  const imports = text.match(/^import [^;]*;/gm) ?? [];
  return (
    isVariable ||
    imports.some((line) =>
      new RegExp(`\\b${name}\\b`).test(line.split(" from ")[0] ?? ""),
    )
  );
}

/** The package is its sources: what was built may be older. */
function configuration(folder: string): string {
  const { exports } = JSON.parse(
    readFileSync(path.join(root, "package.json"), "utf8"),
  ) as { readonly exports: Readonly<Record<string, unknown>> };
  const paths = Object.entries(exports).flatMap(([name, target]) => {
    const types = JSON.stringify(target);
    const source = /"\.\/dist\/(src\/[^"]+)\.d\.ts"/.exec(types)?.[1];
    if (source === undefined) return [];
    const file = path.relative(folder, path.join(root, `${source}.ts`));
    return [[`hardhat-sequencer${name.slice(1)}`, [file]] as const];
  });
  return JSON.stringify({
    extends: path.relative(folder, path.join(root, "tsconfig.json")),
    compilerOptions: { paths: Object.fromEntries(paths) },
    include: ["*.ts"],
  });
}
