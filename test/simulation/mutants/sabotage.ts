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
import { fileURLToPath, pathToFileURL } from "node:url";

import ts from "typescript";

import { Declarations } from "../../helpers/sabotage/declarations.ts";
import { sabotaged } from "../../helpers/sabotage/edit.ts";
import type { Mutant, TestedMutant } from "./catalogue.ts";
import type { Hunt, Catch } from "./hunt.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const hunter = fileURLToPath(new URL("hunt.ts", import.meta.url));

const programOf = (file: string): string => file.replace(/\.ts$/, ".js");

/** What Node runs of a source: the same without types, with imports of programs or of sources. */
export function withoutTypes(text: string, isProgram = true): string {
  return ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: isProgram,
      allowImportingTsExtensions: !isProgram,
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

  readonly declarations = new Declarations(["src/protocol/**/*.ts"]);

  constructor() {
    for (const file of globSync("src/{node,protocol,simulation}/**/*.ts", {
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

/** Runs the test that must notice a sabotage. Resolves with what it prints. */
export async function runTest(
  { declarations }: Original,
  mutant: TestedMutant,
  timeoutMs: number,
): Promise<string> {
  const sources = sabotaged(declarations, mutant).map(({ file, text }) => [
    pathToFileURL(join(root, file)).href,
    withoutTypes(text, false),
  ]);
  const { file, name } = mutant.test;
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [
        "--import",
        new URL("instead.ts", import.meta.url).href,
        join(root, "node_modules/mocha/bin/mocha.js"),
        join(root, "test/protocol", file),
        "--fgrep",
        name,
      ],
      {
        cwd: root,
        timeout: timeoutMs,
        env: {
          ...process.env,
          SABOTAGED: JSON.stringify(Object.fromEntries(sources)),
        },
      },
      (_error, stdout) => {
        resolve(stdout);
      },
    );
  });
}

/** Runs seeds in a process of its own, which a sabotage may hang or kill. */
export async function hunt(
  { folder, declarations }: Original,
  { mutant, trails }: Pick<Hunt, "trails"> & { readonly mutant?: Mutant },
  timeoutMs: number,
): Promise<Catch> {
  const instead = Object.fromEntries(
    (mutant === undefined ? [] : sabotaged(declarations, mutant)).map(
      ({ file, text }) => [programOf(file), withoutTypes(text)],
    ),
  );
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
