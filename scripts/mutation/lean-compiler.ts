/**
 * A Hardhat plugin that compiles in this process and asks the compiler for bytecode alone. Syntax trees and source maps
 * only serve stack traces, which nobody reads here, and take four fifths of the time.
 */
import { createRequire } from "node:module";

import type { SolidityHooks } from "hardhat/types/hooks";
import type { HardhatPlugin } from "hardhat/types/plugins";
import type { CompilerInput, CompilerOutput } from "hardhat/types/solidity";

const require = createRequire(import.meta.url);

const OUTPUTS = [
  "abi",
  "evm.bytecode.object",
  "evm.bytecode.linkReferences",
  "evm.deployedBytecode.object",
  "evm.deployedBytecode.linkReferences",
  "evm.deployedBytecode.immutableReferences",
];

function compile({ settings, ...input }: CompilerInput): CompilerOutput {
  const solc = require("solc") as { compile(input: string): string };
  const ours = Object.keys(input.sources).filter((name) =>
    name.startsWith("project/"),
  );
  const outputSelection = Object.fromEntries(
    ours.map((name) => [name, { "*": OUTPUTS }]),
  );
  const request = { ...input, settings: { ...settings, outputSelection } };
  return JSON.parse(solc.compile(JSON.stringify(request))) as CompilerOutput;
}

const createHandlers = async (): Promise<Partial<SolidityHooks>> =>
  await Promise.resolve({
    invokeSolc: async (_context, _compiler, input) =>
      await Promise.resolve(compile(input)),
  });

export const leanCompiler: HardhatPlugin = {
  id: "lean-compiler",
  hookHandlers: {
    solidity: async () => await Promise.resolve({ default: createHandlers }),
  },
};
