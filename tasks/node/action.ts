import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { leaveMs } from "../shared/close-or-leave.ts";
import { onInterrupt } from "../shared/signals.ts";
import { type NodeOptions, parseNodeOptions } from "./options.ts";
import { jsonReporter, plainReporter } from "./reporter.ts";
import { requireDatabase } from "./require-database.ts";
import { runNode } from "./run-node.ts";
import { requireTokens } from "./servers.ts";

/** The action of `sequencer:node`. */
export default async function node(
  { json, ...options }: NodeOptions & { readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  const request = parseNodeOptions(options);
  const { servers, ...config } = hre.config.sequencer;
  requireTokens(servers, request);
  requireDatabase(config, request);
  const { name, level } = request;
  const reporter = json
    ? jsonReporter({ node: name, level }, { stream: process.stdout })
    : plainReporter(
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
      reporter,
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
