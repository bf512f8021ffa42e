import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:replicas`. */
export const replicasTask: TaskDefinition = task(
  "sequencer:replicas",
  "Show the replicas of a node, or make another one active; needs no running node",
)
  .addOption({
    ...text,
    name: "name",
    description: "The node's name (required)",
  })
  .addOption({
    ...text,
    name: "promote",
    description:
      "The replica that takes over from the active one (default: none, and nothing changes)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
