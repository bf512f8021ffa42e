import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import hardhatSequencer from "hardhat-sequencer";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatMocha, hardhatSequencer],
  sequencer: {
    nodes: ["bank", "audit", "court", "alice", "bob"],
    // Tests of faults are faster when nodes find out sooner.
    tickMs: 20,
    heartbeatMs: 100,
    requestMs: 60,
    suspicionMs: 1_000,
    blockMs: 100,
  },
  test: { mocha: { timeout: 60_000 } },
});
