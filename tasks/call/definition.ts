import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:call`. */
export const callTask: TaskDefinition = task(
  "sequencer:call",
  "Ask a running node, without sending an intent",
)
  .addOption({
    ...text,
    name: "url",
    description:
      "The JSON-RPC of the node over HTTP (default: the first node of sequencer:run)",
  })
  .addOption({
    ...text,
    name: "group",
    description:
      "The name, id or address of the group (default: the only one of the node)",
  })
  .addOption({
    ...text,
    name: "function",
    description:
      "The name of a function of the group's domain that reads, as in balanceOf; if it is wrong, the error lists all (required)",
  })
  .addOption({
    ...text,
    name: "args",
    description:
      "Its arguments as JSON: an object by name, or a list (default: none)",
  })
  .addOption({
    ...text,
    name: "from",
    description: "Who asks, on that node (default: user)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
