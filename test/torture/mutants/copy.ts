import { execFile } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { Violation } from "../harness/checker/violation.ts";
import type { FaultFact } from "../harness/evidence/evidence.ts";
import type { PlannedFault } from "../harness/nemesis/schedule.ts";
import type { Edit } from "./catalogue.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** What a run in a copy came to. */
export interface Found {
  readonly violations: readonly Violation[];
  readonly faults: readonly FaultFact[];
  readonly confirmed: number;
}

/** A copy of the sources and of what tortures them, in a folder of its own, with some things made wrong. */
export class Copy {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "torture-mutant-"));

  constructor(edits: readonly Edit[]) {
    const folder = this.#folder;
    for (const part of ["src", "test/torture", "test/helpers", "package.json"])
      cpSync(path.join(root, part), path.join(folder, part), {
        recursive: true,
      });
    for (const part of ["node_modules", "dist"])
      symlinkSync(path.join(root, part), path.join(folder, part));
    for (const edit of edits) {
      const file = path.join(folder, "src", edit.file);
      writeFileSync(file, sabotaged(readFileSync(file, "utf8"), edit));
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

/** The text with one thing made wrong. */
function sabotaged(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(
      `${file} has ${parts.length - 1} times: ${find}. Adapt the sabotage to the code.`,
    );
  return parts.join(replace);
}
