import { execFile } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
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

const programOf = (file: string): string => file.replace(/\.ts$/, ".js");

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
 * What the simulator consists of, as programs in a folder of its own. Types are taken out here, once for all
 * sabotages: every process that has to do it takes longer for that than for a seed.
 */
export class Original {
  // As Node names it when it loads something from there.
  readonly folder = realpathSync(
    mkdtempSync(join(tmpdir(), "sequencer-original-")),
  );

  constructor() {
    for (const file of globSync("src/{protocol,simulation}/**/*.ts", {
      cwd: root,
    }))
      this.#write(file, readFileSync(join(root, file), "utf8"));
    this.#write("hunt.ts", readFileSync(hunter, "utf8"));
    writeFileSync(join(this.folder, "package.json"), '{ "type": "module" }\n');
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
  }

  #write(file: string, text: string): void {
    const program = join(this.folder, programOf(file));
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, withoutTypes(text));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The programs that a sabotage changes, by their names in the folder of the original. */
function sabotaged(mutant: Mutant): Readonly<Record<string, string>> {
  const edits = [mutant, mutant.also].filter((edit) => edit !== undefined);
  const files = [
    ...new Set(edits.map(({ file }) => join("src/protocol", file))),
  ];
  return Object.fromEntries(
    files.map((file) => {
      const text = edits
        .filter((edit) => join("src/protocol", edit.file) === file)
        .reduce(sabotage, readFileSync(join(root, file), "utf8"));
      return [programOf(file), withoutTypes(text)];
    }),
  );
}

/** Runs seeds in a process of its own, which a sabotage may hang or kill. */
export async function hunt(
  { folder }: Original,
  { mutant, trails }: Pick<Hunt, "trails"> & { readonly mutant?: Mutant },
  timeoutMs: number,
): Promise<Catch> {
  const instead = mutant === undefined ? {} : sabotaged(mutant);
  const task: Hunt = { folder, instead, trails };
  return await new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [join(folder, "hunt.js")],
      { timeout: timeoutMs, killSignal: "SIGKILL" },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Catch);
        else
          reject(new Error(`The runs broke off: ${stderr}`, { cause: error }));
      },
    );
    // If it ends before it has read everything, what it said tells why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(task));
  });
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
