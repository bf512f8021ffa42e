import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { printerOf } from "./print.ts";
import { type RestoreOptions, restoreStore } from "./restore-store.ts";

/** The action of `sequencer:database restore`. */
export default async function restore(
  { json, ...options }: RestoreOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  await restoreStore(hre, options, printerOf(json));
}
