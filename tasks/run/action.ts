import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { RunSummary } from "../../src/view/facts.ts";
import { openView } from "../../src/view/view.ts";
import { leaveMs } from "../shared/close-or-leave.ts";
import { onInterrupt } from "../shared/signals.ts";
import { exitCodeOf } from "./exit-code.ts";
import type { RunOptions } from "./options.ts";
import { runNodes } from "./run-nodes.ts";

/** The action of `sequencer:run`. */
export default async function run(
  { json, ...options }: RunOptions & { json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<RunSummary> {
  const now = (): number => performance.now();
  const view = openView(
    { json, environment: process.env },
    {
      stream: process.stdout,
      now,
      every: (ms, draw) => {
        const timer = setInterval(draw, ms);
        return () => {
          clearInterval(timer);
        };
      },
    },
  );
  try {
    const summary = await runNodes(hre, options, {
      now,
      tell: view.tell,
      report: (error) => {
        console.error(error);
      },
      onInterrupt,
      statusEveryMs: view.statusEveryMs,
    });
    process.exitCode = exitCodeOf(summary);
    // Only what does not let itself be closed can keep the process alive now, and nobody who ended the run waits for it.
    if (summary.reason !== "done")
      setTimeout(() => process.exit(), leaveMs).unref();
    return summary;
  } finally {
    view.close();
  }
}
