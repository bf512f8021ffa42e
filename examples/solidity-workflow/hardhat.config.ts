import { createRequire } from "node:module";

import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import hardhatSequencer from "hardhat-sequencer";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers, hardhatSequencer],
  solidity: {
    version: "0.8.37",
    // Leave `path` out in a project of your own: Hardhat then downloads the compiler. This example takes it from npm,
    // so that its test needs nothing but the package registry.
    path: createRequire(import.meta.url).resolve("solc/soljson.js"),
  },
});
