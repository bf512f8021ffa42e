import { execFile } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import ts from "typescript";

import { Declarations } from "../../helpers/sabotage/declarations.ts";
import { sabotaged, type Sabotage } from "../../helpers/sabotage/edit.ts";
import type { Violation } from "../harness/checker/violation.ts";
import type { FaultFact } from "../harness/evidence/evidence.ts";
import type { PlannedFault } from "../harness/nemesis/schedule.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** The harness takes from the sources what it shares with nodes; nodes run what is compiled. */
const copied = [
  "src",
  "tasks",
  "dist",
  "test/torture",
  "test/helpers",
  "package.json",
];

/** What sabotages change. */
export const sources = (): Declarations =>
  new Declarations(["src/!(simulation)/**/*.ts", "tasks/**/*.ts"]);

/** What a run in a copy came to. */
export interface Found {
  readonly violations: readonly Violation[];
  readonly faults: readonly FaultFact[];
  readonly confirmed: number;
}

/** A copy of the compiled package and of what tortures it, in a folder of its own, with some things made wrong. */
export class Copy {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "torture-mutant-"));

  constructor(sabotage?: Sabotage) {
    const folder = this.#folder;
    for (const part of copied)
      cpSync(path.join(root, part), path.join(folder, part), {
        recursive: true,
      });
    symlinkSync(
      path.join(root, "node_modules"),
      path.join(folder, "node_modules"),
    );
    if (sabotage === undefined) return;
    for (const { file, text } of sabotaged(sources(), sabotage)) {
      writeFileSync(path.join(folder, file), text);
      const compiled = file.replace(/\.ts$/, ".js");
      writeFileSync(path.join(folder, "dist", compiled), compile(text));
    }
  }

  /** Runs it in a process of its own. */
  async hunt(plan: readonly PlannedFault[], timeoutMs: number): Promise<Found> {
    const hunter = path.join(this.#folder, "test/torture/mutants/hunt.ts");
    return await new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        ["--disable-warning=ExperimentalWarning", hunter, JSON.stringify(plan)],
        { cwd: this.#folder, timeout: timeoutMs, maxBuffer: 64 * 2 ** 20 },
        (error, stdout, stderr) => {
          if (error === null) resolve(JSON.parse(stdout) as Found);
          else
            reject(new Error(`The run broke off: ${stderr}`, { cause: error }));
        },
      );
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What the build makes of a file. */
function compile(text: string): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  return outputText;
}
