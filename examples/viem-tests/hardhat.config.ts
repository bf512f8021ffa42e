import { createRequire } from "node:module";

import hardhatToolboxViem from "@nomicfoundation/hardhat-toolbox-viem";
import hardhatSequencer from "hardhat-sequencer";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatToolboxViem, hardhatSequencer],
  solidity: {
    version: "0.8.37",
    // What a group's EVM runs if its creator does not say otherwise.
    settings: { evmVersion: "shanghai" },
    // Leave `path` out in a project of your own: Hardhat then downloads the compiler. This example takes it from npm,
    // so that its test needs nothing but the package registry.
    path: createRequire(import.meta.url).resolve("solc/soljson.js"),
  },
  sequencer: { nodes: ["alice", "bob", "carol"], threshold: 2 },
});
