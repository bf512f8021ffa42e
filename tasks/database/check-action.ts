import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { checkDatabase, type NodeOptions } from "./check-database.ts";
import { printerOf } from "./print.ts";

/** The action of `sequencer:database check`. */
export default async function check(
  { json, ...options }: NodeOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  const problems = await checkDatabase(hre, options, printerOf(json));
  if (problems > 0) process.exitCode = 1;
}
