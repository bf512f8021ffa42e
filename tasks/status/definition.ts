import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:status`. */
export const statusTask: TaskDefinition = task(
  "sequencer:status",
  "Ask running nodes what they are doing, and what blocked intents wait for",
)
  .addOption({
    ...text,
    name: "url",
    description:
      "The JSON-RPC of the nodes over HTTP, separated by commas (default: where sequencer:run has them)",
  })
  .addFlag({
    name: "watch",
    description: "Ask again every second, until Ctrl-C",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
