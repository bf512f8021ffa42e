import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import hardhatSequencer from "hardhat-sequencer";
import hardhatSequencerChai from "hardhat-sequencer/chai";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatMocha, hardhatSequencer, hardhatSequencerChai],
  sequencer: {
    nodes: ["alice", "bob", "carol", "dave"],
    threshold: 3,
    // Tests of faults are faster when nodes find out sooner.
    tickMs: 20,
    heartbeatMs: 100,
    requestMs: 60,
    suspicionMs: 1_000,
    blockMs: 100,
  },
  test: { mocha: { timeout: 60_000 } },
});
