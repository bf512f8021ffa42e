import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { Deployment } from "../../src/plugin/deployment/facts.ts";
import { deployLedger } from "./deploy-ledger.ts";
import { toJson, toLines } from "./format.ts";
import type { DeployOptions } from "./options.ts";

/** The action of `sequencer:deploy`. */
export default async function deploy(
  { json, ...options }: DeployOptions & { json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<Deployment> {
  return await deployLedger(hre, options, (fact) => {
    console.log(json ? toJson(fact) : toLines(fact).join("\n"));
  });
}
