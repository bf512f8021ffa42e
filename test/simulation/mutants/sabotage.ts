import { execFile } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";

import type { Edit, Mutant } from "./catalogue.ts";
import type { Hunt, Catch } from "./hunt.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const hunter = fileURLToPath(new URL("hunt.ts", import.meta.url));

/** What Node runs of a source: the same without types. */
function withoutTypes(text: string): string {
  return ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText;
}

/**
 * What the simulator consists of, as programs in a folder of its own. Types are taken out here, once for all copies: every
 * process that has to do it takes longer for that than for a seed.
 */
export class Original {
  readonly folder = mkdtempSync(join(tmpdir(), "sequencer-original-"));

  constructor() {
    for (const file of globSync("src/{protocol,simulation}/**/*.ts", {
      cwd: root,
    }))
      this.#write(file, readFileSync(join(root, file), "utf8"));
    this.#write("hunt.ts", readFileSync(hunter, "utf8"));
    writeFileSync(join(this.folder, "package.json"), '{ "type": "module" }\n');
  }

  #write(file: string, text: string): void {
    const program = join(this.folder, file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, withoutTypes(text));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A copy of that, with at most one thing made wrong. */
export class Copy {
  readonly #folder = mkdtempSync(join(tmpdir(), "sequencer-mutant-"));

  constructor(original: Original, mutant?: Mutant) {
    const folder = this.#folder;
    cpSync(original.folder, folder, { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const edits = [mutant, mutant?.also].filter((edit) => edit !== undefined);
    for (const file of new Set(edits.map((edit) => edit.file))) {
      const text = edits
        .filter((edit) => edit.file === file)
        .reduce(
          sabotage,
          readFileSync(join(root, "src/protocol", file), "utf8"),
        );
      const program = file.replace(/\.ts$/, ".js");
      writeFileSync(join(folder, "src/protocol", program), withoutTypes(text));
    }
  }

  /** Runs seeds in a process of its own, which a sabotage may hang or kill. */
  async hunt(hunt: Omit<Hunt, "folder">, timeoutMs: number): Promise<Catch> {
    const task: Hunt = { ...hunt, folder: this.#folder };
    return await new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [join(this.#folder, "hunt.js"), JSON.stringify(task)],
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
