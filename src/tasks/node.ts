import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { leaveMs } from "../plugin/running/run.ts";
import { onInterrupt } from "../plugin/running/signals.ts";
import { jsonJournal, plainJournal } from "../plugin/serving/journal.ts";
import {
  type NodeOptions,
  parseNodeOptions,
} from "../plugin/serving/options.ts";
import { runNode } from "../plugin/serving/run.ts";

/** The action of `sequencer:node`. */
export default async function node(
  { json, ...options }: NodeOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  const request = parseNodeOptions(options);
  const { name, level } = request;
  const journal = json
    ? jsonJournal({ node: name, level }, { stream: process.stdout })
    : plainJournal(
        { node: name },
        {
          write: (line) => {
            console.log(line);
          },
          report: (error) => {
            console.error(error);
          },
        },
      );
  const now = (): number => performance.now();
  let graceMs = leaveMs;
  try {
    const { hasLeft } = await runNode(hre, request, {
      journal,
      now,
      onInterrupt,
    });
    if (hasLeft) {
      process.exitCode = 130;
      graceMs = 0;
    }
  } finally {
    // Only what does not let itself be closed can keep the process alive now.
    setTimeout(() => process.exit(), graceMs).unref();
  }
}
