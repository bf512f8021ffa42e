import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { printerOf } from "./print.ts";
import { showTurns, type TurnsOptions } from "./show-turns.ts";

/** The action of `sequencer:database turns`. */
export default async function turns(
  { json, ...options }: TurnsOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  const print = printerOf(json);
  let count = 0;
  await showTurns(hre, options, (fact) => {
    count += 1;
    print(fact);
  });
  if (count === 0 && !json) console.log("The log has no turns to print");
}
