import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { type Block, root } from "./blocks.ts";

interface Compiler {
  readonly compile: (
    input: string,
    callbacks: {
      readonly import: (
        file: string,
      ) => { readonly contents: string } | { readonly error: string };
    },
  ) => string;
}

const require = createRequire(import.meta.url);

/** Compiles a block with the compiler of the repository; gives its errors. A part of a contract is put into one. */
export function solidityProblems({ text }: Block): readonly string[] {
  const isPart = /^\s*(?:event|error|function) /.test(text);
  const content = isPart ? `contract Part { ${text} }` : text;
  const head = content.includes("pragma ") ? "" : "pragma solidity ^0.8.28;\n";
  const compiler = require("solc") as Compiler;
  const output = JSON.parse(
    compiler.compile(
      JSON.stringify({
        language: "Solidity",
        sources: { "Block.sol": { content: `${head}${content}` } },
        settings: {
          evmVersion: "cancun",
          outputSelection: { "Block.sol": { "*": ["abi"] } },
        },
      }),
      { import: sourceOf },
    ),
  ) as {
    readonly errors?: readonly {
      readonly severity: string;
      readonly formattedMessage: string;
    }[];
  };
  return (output.errors ?? [])
    .filter(({ severity }) => severity === "error")
    .map(({ formattedMessage }) => formattedMessage);
}

/** Files as the remappings of docs/guides/foundry.md find them. */
function sourceOf(
  file: string,
): { readonly contents: string } | { readonly error: string } {
  const own = /^hardhat-sequencer\/(.*)$/.exec(file)?.[1];
  const place = own ?? path.join("node_modules", file);
  try {
    return { contents: readFileSync(path.join(root, place), "utf8") };
  } catch {
    return { error: `There is no ${file}` };
  }
}
