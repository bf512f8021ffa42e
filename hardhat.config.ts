import { createRequire } from "node:module";

import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";

// The compiler comes from npm, so that a build needs nothing but the package registry.
const compiler = {
  version: "0.8.37",
  path: createRequire(import.meta.url).resolve("solc/soljson.js"),
  settings: {
    evmVersion: "cancun",
    viaIR: true,
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: "none" },
  },
} as const;

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers],
  solidity: { profiles: { default: compiler, production: compiler } },
});
