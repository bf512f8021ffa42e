/**
 * Makes what we publish of the contracts: artifacts, the compiler input from which anybody can make them again, and
 * typed ethers factories.
 *
 * The contracts are compiled on their own, not by Hardhat together with tests: bytecode from the IR pipeline can depend
 * on what else is compiled, and addresses follow from the bytecode.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  globSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { runTypeChain } from "typechain";

import { compiler } from "./compiler.ts";

const root = path.resolve(import.meta.dirname, "..");
const require = createRequire(import.meta.url);

/** Published contracts, by the file that holds them. */
const published: Readonly<Record<string, string>> = {
  PrivacyGroup: "contracts/PrivacyGroup.sol",
  PrivacyGroupFactory: "contracts/PrivacyGroupFactory.sol",
  Atom: "contracts/AtomFactory.sol",
  AtomFactory: "contracts/AtomFactory.sol",
};

interface CompiledContract {
  readonly abi: readonly unknown[];
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: {
      readonly object: string;
      readonly immutableReferences: Readonly<Record<string, readonly object[]>>;
    };
  };
}

interface CompilerOutput {
  readonly errors?: readonly {
    readonly severity: string;
    readonly formattedMessage: string;
  }[];
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, CompiledContract>>>
  >;
}

interface Solc {
  version(): string;
  compile(input: string): string;
}

/** All sources that `names` need, by source name, following their imports. */
function collectSources(
  names: readonly string[],
): Record<string, { content: string }> {
  const sources: Record<string, { content: string }> = {};
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (sources[name] !== undefined) continue;
    const file = name.startsWith("contracts/")
      ? path.join(root, name)
      : require.resolve(name);
    const content = readFileSync(file, "utf8");
    sources[name] = { content };
    for (const [, imported = ""] of content.matchAll(
      /^import [^;]*?"([^"]+)";/gm,
    )) {
      const isRelative = imported.startsWith(".");
      queue.push(
        isRelative
          ? path.posix.join(path.posix.dirname(name), imported)
          : imported,
      );
    }
  }
  return Object.fromEntries(
    Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** All that the compiler is told. */
function inputOf(): object {
  return {
    language: "Solidity",
    sources: collectSources([...new Set(Object.values(published))]),
    settings: {
      ...compiler.settings,
      outputSelection: {
        "*": {
          "*": [
            "abi",
            "evm.bytecode.object",
            "evm.deployedBytecode.object",
            "evm.deployedBytecode.immutableReferences",
          ],
        },
      },
    },
  };
}

function compile(input: object): { output: CompilerOutput; version: string } {
  const solc = require("solc") as Solc;
  const output = JSON.parse(
    solc.compile(JSON.stringify(input)),
  ) as CompilerOutput;
  const errors =
    output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0)
    throw new Error(
      errors.map(({ formattedMessage }) => formattedMessage).join("\n"),
    );
  return {
    output,
    version: `v${solc.version().replace(".Emscripten.clang", "")}`,
  };
}

/** Whether the artifacts of this very input are there, with the types made from them. */
function isUpToDate(input: object, outDir: string): boolean {
  const made = [
    ...Object.keys(published).map((name) => path.join(outDir, `${name}.json`)),
    path.join(root, "src/typechain/index.ts"),
  ];
  try {
    const kept: unknown = JSON.parse(
      readFileSync(path.join(outDir, "compiler.json"), "utf8"),
    );
    return (
      made.every((file) => existsSync(file)) &&
      JSON.stringify((kept as { readonly input?: unknown }).input) ===
        JSON.stringify(input)
    );
  } catch {
    // Nothing was made yet.
    return false;
  }
}

function writeArtifacts(input: object, outDir: string): string[] {
  const { output, version } = compile(input);
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  writeFileSync(
    path.join(outDir, "compiler.json"),
    JSON.stringify({ version, input }),
  );
  return Object.entries(published).map(([contractName, sourceName]) => {
    const contract = output.contracts[sourceName]?.[contractName];
    if (contract === undefined)
      throw new Error(
        `The compiler made no ${contractName} from ${sourceName}`,
      );
    const artifact = {
      _format: "hh3-artifact-1",
      contractName,
      sourceName,
      abi: contract.abi,
      bytecode: `0x${contract.evm.bytecode.object}`,
      deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
      linkReferences: {},
      deployedLinkReferences: {},
      immutableReferences: contract.evm.deployedBytecode.immutableReferences,
    };
    const file = path.join(outDir, `${contractName}.json`);
    writeFileSync(file, `${JSON.stringify(artifact, null, 2)}\n`);
    return file;
  });
}

async function writeTypes(
  artifacts: readonly string[],
  outDir: string,
): Promise<void> {
  rmSync(outDir, { recursive: true, force: true });
  await runTypeChain({
    cwd: root,
    target: "ethers-v6",
    outDir,
    allFiles: [...artifacts],
    filesToProcess: [...artifacts],
    flags: {
      alwaysGenerateOverloads: false,
      discriminateTypes: false,
      tsNocheck: false,
      environment: undefined,
      node16Modules: true,
    },
  });
  // Our sources name files as they are, so that Node can run them without a loader.
  for (const file of globSync("**/*.ts", { cwd: outDir })) {
    const full = path.join(outDir, file);
    writeFileSync(
      full,
      readFileSync(full, "utf8").replaceAll(
        /(from\s+["']\.[^"']*)\.js(["'])/g,
        "$1.ts$2",
      ),
    );
  }
}

const outDir = path.join(root, "dist/artifacts");
const input = inputOf();
if (!isUpToDate(input, outDir)) {
  const artifacts = writeArtifacts(input, outDir);
  await writeTypes(artifacts, path.join(root, "src/typechain"));
}
