/**
 * Proves the lemmas in `proofs/` with the model checker that the Solidity compiler carries, for every input and every
 * sequence of calls. A lemma whose name begins with "False" must not be provable: it shows that the others say
 * something. Exits with 1 when a lemma is not proved, or a false one is.
 *
 * A run that proves everything writes down what it looked at. With --changed, nothing is proved again while that is the
 * same.
 *
 *     npm run prove [-- --changed]
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";

import { hashOf, isRecorded, writeRecord } from "./record.ts";

const { values: options } = parseArgs({
  options: { changed: { type: "boolean" } },
});

interface Compiler {
  compile(
    input: string,
    callbacks: {
      import: (file: string) => { contents: string } | { error: string };
    },
  ): string;
}

interface Message {
  readonly errorCode?: string;
  readonly severity: string;
  readonly message: string;
  readonly formattedMessage: string;
  readonly sourceLocation?: { readonly file: string; readonly start: number };
}

interface Lemma {
  readonly file: string;
  readonly name: string;
  readonly claims: number;
  readonly start: number;
  readonly end: number;
}

const root = path.join(import.meta.dirname, "..");
const solc = createRequire(import.meta.url)("solc") as Compiler;
const read = (file: string): string =>
  readFileSync(path.join(root, file), "utf8");

/** The solver takes a custom error for a statement that does nothing, so here they are plain. */
const withPlainErrors = (source: string): string =>
  source.replaceAll(/revert IPrivacyGroup\.\w+\([^;]*\);/g, "revert();");

/** The code of the compiler's message "Assertion violation check is safe". */
const proved = "9576";

/**
 * The library, rewritten so that the solver can follow it: it forgets all it knows at a write through a storage
 * reference, and is lost in shifts. So references are written out, and shifts become the divisions that they are.
 */
function stateRegistersModel(): string {
  const slot = (id: string): string => `self._registers[registerOf(${id})]`;
  let source = read("contracts/libraries/StateRegisters.sol");
  const rewrite = (from: string, to: string, times = 1): void => {
    const parts = source.split(from);
    if (parts.length !== times + 1)
      throw new Error(
        `StateRegisters.sol has "${from}" ${parts.length - 1} times, not ${times}: adapt scripts/prove.ts`,
      );
    source = parts.join(to);
  };
  const writeOut = (id: string, until: string): void => {
    const declaration = `Register storage register = ${slot(id)};`;
    const start = source.indexOf(declaration);
    const end = source.indexOf(until, start);
    if (start < 0 || end < 0)
      throw new Error(`StateRegisters.sol lacks "${declaration}"`);
    source =
      source.slice(0, start) +
      source
        .slice(start + declaration.length, end)
        .replaceAll("register.holder", `${slot(id)}.holder`) +
      source.slice(end);
  };
  writeOut("input", "/// @dev Creates");
  writeOut("output", "\n    }\n");
  rewrite(
    "library StateRegisters {",
    "abstract contract StateRegistersModel {",
  );
  rewrite(
    "/// @dev The name of",
    "Registers internal self;\n\n    /// @dev The name of",
  );
  rewrite("Registers storage self, ", "", 4);
  rewrite("holds(self, ", "holds(");
  rewrite("uint256(stateId) >> 192", "uint256(stateId) / 2 ** 192");
  rewrite(
    "(registerOf(input) << 192) | ((uint256(hash) << 64) >> 64)",
    "registerOf(input) * 2 ** 192 + uint256(hash) % 2 ** 192",
  );
  rewrite('"../interfaces/', '"../contracts/interfaces/');
  return withPlainErrors(source);
}

const generated: Record<string, () => string> = {
  "proofs/StateRegistersModel.sol": stateRegistersModel,
};

function lemmasOf(file: string): Lemma[] {
  const source = read(file);
  return source
    .split(/^(?=contract )/m)
    .slice(1)
    .map((text) => ({
      file,
      name: /^contract (\w+)/.exec(text)?.[1] ?? "",
      claims: text.split("assert(").length - 1,
      start: source.indexOf(text),
      end: source.indexOf(text) + text.length,
    }));
}

function check(file: string, lemmas: readonly Lemma[]): Message[] {
  const input = {
    language: "Solidity",
    sources: { [file]: { content: read(file) } },
    settings: {
      modelChecker: {
        engine: "chc",
        solvers: ["z3"],
        targets: ["assert"],
        contracts: { [file]: lemmas.map(({ name }) => name) },
        showProvedSafe: true,
        showUnproved: true,
      },
    },
  };
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), {
      import: (wanted) => {
        const make = generated[wanted];
        if (make !== undefined) return { contents: make() };
        const found = [wanted, `node_modules/${wanted}`].find((candidate) =>
          existsSync(path.join(root, candidate)),
        );
        return found === undefined
          ? { error: "not found" }
          : { contents: withPlainErrors(read(found)) };
      },
    }),
  ) as { readonly errors?: Message[] };
  const messages = output.errors ?? [];
  const broken = messages.find(({ severity }) => severity === "error");
  if (broken !== undefined) throw new Error(broken.formattedMessage);
  return messages;
}

const record = "proofs/proved.json";
const inputs = hashOf({
  files: ["contracts/**/*.sol", "proofs/*.sol", "scripts/{prove,record}.ts"],
  packages: ["@openzeppelin/contracts", "solc"],
});
if (options.changed === true && isRecorded(record, inputs))
  console.log("Nothing has changed since everything was proved.");
else {
  proveAll();
  if (process.exitCode === undefined) writeRecord(record, inputs);
}

function proveAll(): void {
  for (const file of ["proofs/States.sol", "proofs/Committees.sol"])
    proveFile(file);
}

function proveFile(file: string): void {
  const lemmas = lemmasOf(file);
  const messages = check(file, lemmas).filter(
    ({ errorCode }) => errorCode === proved,
  );
  for (const { name, claims, start, end } of lemmas) {
    const count = messages.filter(
      ({ sourceLocation: at }) =>
        at?.file === file && at.start >= start && at.start < end,
    ).length;
    const mustFail = name.startsWith("False");
    const isProved = claims > 0 && count === claims;
    const isGood = mustFail ? count === 0 : isProved;
    const verdict = isProved ? "proved" : "not proved";
    console.log(
      `${isGood ? "ok  " : "FAIL"} ${name}: ${verdict}${mustFail ? ", as it must be" : ""}`,
    );
    if (!isGood) process.exitCode = 1;
  }
}
