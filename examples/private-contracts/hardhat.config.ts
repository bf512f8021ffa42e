import { createRequire } from "node:module";

import hardhatEthers from "@nomicfoundation/hardhat-ethers";
import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import hardhatSequencer from "hardhat-sequencer";
import hardhatSequencerChai from "hardhat-sequencer/chai";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [
    hardhatEthers,
    hardhatMocha,
    hardhatSequencer,
    hardhatSequencerChai,
  ],
  solidity: {
    version: "0.8.37",
    // What a group's EVM runs if its creator does not say otherwise.
    settings: { evmVersion: "shanghai" },
    // Leave `path` out in a project of your own: Hardhat then downloads the compiler. This example takes it from npm,
    // so that its test needs nothing but the package registry.
    path: createRequire(import.meta.url).resolve("solc/soljson.js"),
  },
  sequencer: { nodes: ["alice", "bob", "carol"], threshold: 2 },
  test: { mocha: { timeout: 60_000 } },
});
