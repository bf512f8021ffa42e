import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { NodePorts } from "../../src/node/ports.ts";
import { Parts } from "../../src/host/parts.ts";
import { closeOrLeave } from "../shared/close-or-leave.ts";
import { createControl } from "../shared/control.ts";
import type { NodeRequest } from "./options.ts";
import type { NodeReporter } from "./reporter.ts";
import { serve } from "./serve.ts";

/** What a node needs of the world. */
export interface NodeRunPorts {
  readonly reporter: NodeReporter;
  /** Milliseconds of real time. */
  readonly now: () => number;
  /** Calls back for every polite request to end. */
  readonly onInterrupt: (listener: () => void) => () => void;
  readonly onBatch?: NodePorts["onBatch"];
}

/**
 * Runs one node until somebody ends it, or it cannot go on. What it accepted is on its disk either way. Somebody who ends it
 * twice has left, and nothing is waited for.
 */
export async function runNode(
  hre: HardhatRuntimeEnvironment,
  request: NodeRequest,
  { reporter, now, onInterrupt, onBatch }: NodeRunPorts,
): Promise<{ readonly hasLeft: boolean }> {
  const control = createControl(now);
  const parts = new Parts();
  // Nothing else does while nodes wait for each other: their timers do not keep the process alive.
  const alive = setInterval(() => undefined, 1_000_000);
  await parts.add(() => {
    clearInterval(alive);
  });
  await parts.add(onInterrupt(control.interrupt));
  try {
    const serving = serve(request, {
      hre,
      parts,
      reporter,
      onBatch,
      onFatal: control.fail,
    });
    // If it is not waited for, it fails because everything else is closed.
    serving.catch(() => undefined);
    await Promise.race([control.ended, serving.then(reporter.ready)]);
    await control.ended;
    reporter.stopping();
  } finally {
    await closeOrLeave(parts, control, 0);
  }
  return { hasLeft: control.hasLeft() };
}
