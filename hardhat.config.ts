import { globSync } from "node:fs";

import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import type { SolidityCompilerUserConfig } from "hardhat/types/config";

import { compiler } from "./scripts/compiler.ts";
import { mochaWorkers } from "./scripts/mocha-workers.ts";
import { sharedCompilations } from "./scripts/shared-compilations.ts";
import hardhatSequencer from "./src/index.ts";

// Without the IR and the optimizer, tests compile in a tenth of the time. What they test is the build above: see
// LedgerTest.sol.
const testCompiler = {
  ...compiler,
  settings: {
    ...compiler.settings,
    viaIR: false,
    optimizer: { enabled: false },
  },
};

// What runs inside a group is compiled for the rules that a group has if nobody says otherwise.
const privateCompiler = {
  ...compiler,
  settings: { ...compiler.settings, viaIR: false, evmVersion: "shanghai" },
};

// Which lines tests reach does not depend on the bytecode that they become, nor on how often they are reached.
const isCoverage = process.argv.includes("--coverage");

const overridesOf = (files: string, settings: SolidityCompilerUserConfig) =>
  globSync(files, { cwd: import.meta.dirname }).map(
    (file) => [file.replaceAll("\\", "/"), settings] as const,
  );

const profile = {
  compilers: [isCoverage ? testCompiler : compiler],
  overrides: Object.fromEntries([
    ...overridesOf("test/contracts/**/*.sol", testCompiler),
    ...overridesOf("test/contracts/private/*.sol", privateCompiler),
  ]),
};

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers, hardhatSequencer, sharedCompilations],
  // Tests in TypeScript run those in groups.
  paths: { sources: { solidity: ["contracts", "test/contracts/private"] } },
  // Typed factories are part of the package: scripts/contracts.ts makes them.
  typechain: { dontOverrideCompile: true },
  solidity: {
    profiles: { default: profile, production: profile },
    // Builds the contracts before the tests, also when only one test file is asked for.
    splitTestsCompilation: true,
  },
  test: {
    mocha: mochaWorkers,
    solidity: {
      // The same seed every time, so that a run that passes passes again.
      fuzz: { runs: isCoverage ? 16 : 256, seed: "0x5e90e9ce" },
      invariant: {
        runs: isCoverage ? 2 : 16,
        depth: 100,
        failOnRevert: true,
      },
    },
  },
});
