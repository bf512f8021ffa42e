import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { NodeOptions } from "./check-database.ts";
import { snapshotDatabase } from "./make-snapshot.ts";
import { printerOf } from "./print.ts";

/** The action of `sequencer:database snapshot`. */
export default async function snapshot(
  { json, ...options }: NodeOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  await snapshotDatabase(hre, options, printerOf(json));
}
