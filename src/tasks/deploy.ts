import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { deployLedger } from "../plugin/deployment/deploy.ts";
import type { Deployment } from "../plugin/deployment/facts.ts";
import { toJson, toLines } from "../plugin/deployment/format.ts";
import type { DeployOptions } from "../plugin/deployment/options.ts";

/** The action of `sequencer:deploy`. */
export default async function deploy(
  { json, ...options }: DeployOptions & { json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<Deployment> {
  return await deployLedger(hre, options, (fact) => {
    console.log(json ? toJson(fact) : toLines(fact).join("\n"));
  });
}
