import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:master`. */
export const masterTask: TaskDefinition = task(
  "sequencer:master",
  "Show which replica of a node is active and why, change it, or freeze that; asks the database",
)
  .addOption({
    ...text,
    name: "name",
    description: "The node's name (required)",
  })
  .addOption({
    ...text,
    name: "set",
    description:
      "The healthy replica that becomes active, through the supervisor on duty (default: none, and nothing changes)",
  })
  .addFlag({
    name: "force",
    description:
      "With --set, also a replica that is not healthy; never one without the last turn",
  })
  .addFlag({
    name: "stopElection",
    description:
      "Stop elections: the active replica stays the active one, also if it dies",
  })
  .addFlag({
    name: "startElection",
    description: "Start elections again",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
