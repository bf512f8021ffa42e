import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { importNodeStore, type ImportOptions } from "./import-store.ts";
import { printerOf } from "./print.ts";

/** The action of `sequencer:database import`. */
export default async function importTask(
  { json, ...options }: ImportOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  printerOf(json)(await importNodeStore(hre, options));
}
