import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { toJson } from "../../src/view/json.ts";
import { leaveMs } from "../shared/close-or-leave.ts";
import { onInterrupt } from "../shared/signals.ts";
import type { SuperviseFact } from "./facts.ts";
import { superviseLine } from "./format.ts";
import { parseSuperviseOptions, type SuperviseOptions } from "./options.ts";
import { supervise } from "./supervise.ts";

/** The action of `sequencer:supervise`. */
export default async function superviseAction(
  { json, ...options }: SuperviseOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  const request = parseSuperviseOptions(options);
  const tell = (fact: SuperviseFact): void => {
    console.log(json ? toJson(fact) : superviseLine(fact));
  };
  await supervise(hre, request, {
    tell,
    report: (error) => {
      console.error(error);
    },
    now: () => performance.now(),
    onInterrupt,
  });
  // Only what does not let itself be closed can keep the process alive now.
  setTimeout(() => process.exit(), leaveMs).unref();
}
