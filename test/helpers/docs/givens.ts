/** Names that pages use without saying again where they come from. */
export const givenImports: Readonly<Record<string, string>> = {
  artifacts: 'import { artifacts } from "hardhat";',
  configVariable: 'import { configVariable } from "hardhat/config";',
  defineConfig: 'import { defineConfig } from "hardhat/config";',
  expect: 'import { expect } from "chai";',
  hardhatKeystore:
    'import hardhatKeystore from "@nomicfoundation/hardhat-keystore";',
  hardhatSequencer: 'import hardhatSequencer from "hardhat-sequencer";',
  hre: 'import hre from "hardhat";',
  network: 'import { network } from "hardhat";',
  privateAddressOf:
    'import { privateAddressOf } from "hardhat-sequencer/private-contracts";',
};
