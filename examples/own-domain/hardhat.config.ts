import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import hardhatSequencer from "hardhat-sequencer";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatMocha, hardhatSequencer],
  sequencer: {
    nodes: ["north", "south", "alice", "bob", "carol"],
    tickMs: 20,
    requestMs: 60,
    blockMs: 100,
  },
  test: { mocha: { timeout: 60_000 } },
});
