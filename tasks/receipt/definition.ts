import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:receipt`. */
export const receiptTask: TaskDefinition = task(
  "sequencer:receipt",
  "Show how a transaction ended, and what it did",
)
  .addPositionalArgument({
    name: "id",
    description: "The id that sequencer:submit printed",
  })
  .addOption({
    ...text,
    name: "url",
    description:
      "The JSON-RPC of the node that took it, over HTTP (default: the first node of sequencer:run)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
