import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:submit`. */
export const submitTask: TaskDefinition = task(
  "sequencer:submit",
  "Send one intent to a running node",
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
      "The name of a function of the group's domain, as in transfer; if it is wrong, the error lists all (required)",
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
    description: "Who sends it, on that node (default: user)",
  })
  .addFlag({
    name: "wait",
    description: "Wait for the receipt; exit with 3 if it was reverted",
  })
  .addOption({
    ...text,
    name: "timeout",
    description:
      "With --wait: seconds after which to give up and exit with 4 (default: 60)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
