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
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Edit, Mutant } from "./catalogue.ts";
import type { Hunt, Catch } from "./hunt.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const hunter = fileURLToPath(new URL("hunt.ts", import.meta.url));

/** A copy of what the simulator consists of, in a folder of its own, with at most one thing made wrong. */
export class Copy {
  readonly #folder = mkdtempSync(join(tmpdir(), "sequencer-mutant-"));

  constructor(mutant?: Mutant) {
    const folder = this.#folder;
    for (const part of ["protocol", "simulation"])
      cpSync(join(root, "src", part), join(folder, "src", part), {
        recursive: true,
      });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
    if (mutant === undefined) return;
    for (const edit of [mutant, ...(mutant.also ? [mutant.also] : [])]) {
      const file = join(folder, "src", "protocol", edit.file);
      writeFileSync(file, sabotage(readFileSync(file, "utf8"), edit));
    }
  }

  /** Runs seeds in a process of its own, which a sabotage may hang or kill. */
  async hunt(hunt: Omit<Hunt, "folder">, timeoutMs: number): Promise<Catch> {
    const task: Hunt = { ...hunt, folder: this.#folder };
    return await new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        ["--disable-warning=ExperimentalWarning", hunter, JSON.stringify(task)],
        { timeout: timeoutMs, killSignal: "SIGKILL" },
        (error, stdout, stderr) => {
          if (error === null) resolve(JSON.parse(stdout) as Catch);
          else
            reject(
              new Error(`The runs broke off: ${stderr}`, { cause: error }),
            );
        },
      );
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The text with the one thing made wrong. */
export function sabotage(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(
      `${file} has ${parts.length - 1} times: ${find}. Adapt the sabotage to the code.`,
    );
  return parts.join(replace);
}
