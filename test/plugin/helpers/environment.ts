import hardhatEthers from "@nomicfoundation/hardhat-ethers";
import type { HardhatUserConfig } from "hardhat/config";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import hardhatSequencer from "../../../src/index.ts";
import type {
  DeployFact,
  Deployment,
} from "../../../src/plugin/deployment/facts.ts";
import { deployLedger } from "../../../tasks/deploy/deploy-ledger.ts";
import type { DeployOptions } from "../../../tasks/deploy/options.ts";

/** Three accounts of Hardhat's chain, not in order. */
export const members = [
  "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
] as const;

/** A project with our plugin and nothing else, on a chain of its own. */
export async function anEnvironment(
  config: HardhatUserConfig = {},
  network = "default",
): Promise<HardhatRuntimeEnvironment> {
  return await createHardhatRuntimeEnvironment(
    {
      ...config,
      plugins: [hardhatEthers, hardhatSequencer, ...(config.plugins ?? [])],
    },
    { network },
  );
}

/** What a run did and told. */
export interface Run {
  readonly deployment: Deployment;
  readonly facts: readonly DeployFact[];
}

/** Deploys and collects the facts. */
export async function deploy(
  hre: HardhatRuntimeEnvironment,
  options: DeployOptions = {},
  onFact: (fact: DeployFact) => void = () => undefined,
): Promise<Run> {
  const facts: DeployFact[] = [];
  const deployment = await deployLedger(
    hre,
    options,
    (fact) => {
      facts.push(fact);
      onFact(fact);
    },
    { pauseMs: 1 },
  );
  return { deployment, facts };
}

/** The number of the last block: on Hardhat's chain, how many transactions there were. */
export async function blockNumber(
  hre: HardhatRuntimeEnvironment,
): Promise<number> {
  const { ethers } = await hre.network.getOrCreate();
  return await ethers.provider.getBlockNumber();
}
