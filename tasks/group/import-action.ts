import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { toJson } from "../../src/view/json.ts";
import type { GroupImportedFact } from "./facts.ts";
import { importedLines } from "./format.ts";
import { importGroup, type ImportOptions } from "./import-group.ts";

/** The action of `sequencer:group import`. */
export default async function importTask(
  { json, ...options }: ImportOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<GroupImportedFact> {
  // Hardhat leaves it undefined without --network, although its type says otherwise.
  const chosen: { readonly network?: string } = hre.globalOptions;
  const network = chosen.network ?? "default";
  const { groups = {} } = hre.config.sequencer.networks[network] ?? {};
  const fact = await importGroup(options, { network, groups });
  console.log(json ? toJson(fact) : importedLines(fact).join("\n"));
  return fact;
}
