import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { NodePorts } from "../../src/runtime/node/ports.ts";
import { Closers, closeOrLeave } from "../shared/closers.ts";
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
  readonly onTurn?: NodePorts["onTurn"];
}

/**
 * Runs one node until somebody ends it, or it cannot go on. What it accepted is on its disk either way. Somebody who ends it
 * twice has left, and nothing is waited for.
 */
export async function runNode(
  hre: HardhatRuntimeEnvironment,
  request: NodeRequest,
  { reporter, now, onInterrupt, onTurn }: NodeRunPorts,
): Promise<{ readonly hasLeft: boolean }> {
  const control = createControl(now);
  const closers = new Closers();
  // Nothing else does while nodes wait for each other: their timers do not keep the process alive.
  const alive = setInterval(() => undefined, 1_000_000);
  await closers.add(() => {
    clearInterval(alive);
  });
  await closers.add(onInterrupt(control.interrupt));
  try {
    const serving = serve(request, {
      hre,
      closers,
      reporter,
      onTurn,
      onFatal: control.fail,
    });
    // If it is not waited for, it fails because everything else is closed.
    serving.catch(() => undefined);
    await Promise.race([control.ended, serving.then(reporter.ready)]);
    await control.ended;
    reporter.stopping();
  } finally {
    await closeOrLeave(closers, control, 0);
  }
  return { hasLeft: control.hasLeft() };
}
