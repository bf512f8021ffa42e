import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:identity`. */
export const identityTask: TaskDefinition = task(
  "sequencer:identity",
  "Print the public key by which other nodes know a node; it is made if there is none yet",
)
  .addOption({
    ...text,
    name: "name",
    description: "The node's name (required)",
  })
  .addOption({
    ...text,
    name: "dataDir",
    description:
      "Where nodes keep their state; this one in a folder with its name (required)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
