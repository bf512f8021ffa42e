import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:drain`. */
export const drainTask: TaskDefinition = task(
  "sequencer:drain",
  "Let a node leave the role of the coordinator to others, and wait until it can be stopped",
)
  .addOption({
    ...text,
    name: "url",
    description:
      "The node's JSON-RPC over HTTP (default: the first node of sequencer:run)",
  })
  .addFlag({
    name: "undo",
    description: "Let the node take part again, and wait for nothing",
  })
  .addOption({
    ...text,
    name: "timeout",
    description:
      "Seconds after which to give up waiting and exit with 4 (default: 600)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
