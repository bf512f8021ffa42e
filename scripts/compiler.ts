import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * The compiler and its settings, for Hardhat and for the artifacts that we publish.
 *
 * The compiler comes from npm, so that a build needs nothing but the package registry. The bytecode carries no hash of
 * the metadata: comments may change without moving the addresses that follow from it.
 */
export const compiler = {
  version: "0.8.37",
  path: require.resolve("solc/soljson.js"),
  settings: {
    evmVersion: "cancun",
    viaIR: true,
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: "none" },
  },
} as const;
