import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";

/** `sequencer:status`. */
export const statusTask: TaskDefinition = task(
  "sequencer:status",
  "Ask running nodes what they are doing, and what blocked intents wait for",
)
  .addOption({
    type: ArgumentType.STRING_WITHOUT_DEFAULT,
    defaultValue: undefined,
    name: "url",
    description:
      "The JSON-RPC of the nodes over HTTP, separated by commas (default: where sequencer:run has them)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./status.ts"))
  .build();
