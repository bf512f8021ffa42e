import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { toJson } from "../../src/view/json.ts";
import type { MasterFact } from "./facts.ts";
import { masterLines } from "./format.ts";
import { type MasterOptions, showMaster } from "./show-master.ts";

/** The action of `sequencer:master`. */
export default async function master(
  { json, ...options }: MasterOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<readonly MasterFact[]> {
  const all: MasterFact[] = [];
  await showMaster(hre, options, (facts) => {
    all.push(...facts);
    console.log((json ? facts.map(toJson) : masterLines(facts)).join("\n"));
  });
  return all;
}
