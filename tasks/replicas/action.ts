import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { toJson } from "../../src/view/json.ts";
import type { ReplicasFact } from "./facts.ts";
import { replicasLines } from "./format.ts";
import { type ReplicasOptions, showReplicas } from "./show-replicas.ts";

/** The action of `sequencer:replicas`. */
export default async function replicas(
  { json, ...options }: ReplicasOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<readonly ReplicasFact[]> {
  const all: ReplicasFact[] = [];
  await showReplicas(hre, options, (facts) => {
    all.push(...facts);
    console.log((json ? facts.map(toJson) : replicasLines(facts)).join("\n"));
  });
  return all;
}
