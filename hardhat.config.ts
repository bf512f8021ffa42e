import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";

import { compiler } from "./scripts/compiler.ts";
import hardhatSequencer from "./src/index.ts";

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers, hardhatSequencer],
  // Typed factories are part of the package: scripts/contracts.ts makes them.
  typechain: { dontOverrideCompile: true },
  solidity: { profiles: { default: compiler, production: compiler } },
});
