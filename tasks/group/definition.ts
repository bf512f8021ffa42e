import { emptyTask, task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

const url = {
  ...text,
  name: "url",
  description:
    "The JSON-RPC of the node over HTTP (default: the first node of sequencer:run)",
} as const;

const json = {
  name: "json",
  description: "Print one JSON object per line and nothing else",
} as const;

/** `sequencer:group create`. */
export const groupCreateTask: TaskDefinition = task(
  ["sequencer:group", "create"],
  "Create a group with a running node, and wait until it is on the ledger",
)
  .addOption(url)
  .addOption({
    ...text,
    name: "domain",
    description: "The domain of the group, as in group-token (required)",
  })
  .addOption({
    ...text,
    name: "members",
    description:
      "The nodes of the group, separated by commas; that of --url must be one of them (required)",
  })
  .addOption({
    ...text,
    name: "name",
    description: "A name by which to find the group (default: none)",
  })
  .addOption({
    ...text,
    name: "threshold",
    description: "How many nodes must endorse (default: all that endorse)",
  })
  .addOption({
    ...text,
    name: "configuration",
    description:
      "Settings of the domain as JSON: an object of texts (default: none)",
  })
  .addOption({
    ...text,
    name: "timeout",
    description:
      "Seconds after which to stop waiting and exit with 4 (default: 60)",
  })
  .addFlag(json)
  .setAction(async () => await import("./create-action.ts"))
  .build();

/** `sequencer:group import`. */
export const groupImportTask: TaskDefinition = task(
  ["sequencer:group", "import"],
  "Let a running node take part in a group that sequencer:deploy --domain created",
)
  .addOption(url)
  .addOption({
    ...text,
    name: "name",
    description:
      "The name of the group in sequencer.networks.<network>.groups of the configuration, for the network of --network (default: main)",
  })
  .addOption({
    ...text,
    name: "file",
    description:
      "Instead of --name: a file with what sequencer:deploy --domain --json printed (default: none)",
  })
  .addFlag(json)
  .setAction(async () => await import("./import-action.ts"))
  .build();

/** `sequencer:group list`. */
export const groupListTask: TaskDefinition = task(
  ["sequencer:group", "list"],
  "List the groups of a running node",
)
  .addOption(url)
  .addFlag(json)
  .setAction(async () => await import("./list-action.ts"))
  .build();

/** `sequencer:group show`. */
export const groupShowTask: TaskDefinition = task(
  ["sequencer:group", "show"],
  "Show the members, the threshold and the coordinator of a group",
)
  .addOption(url)
  .addOption({
    ...text,
    name: "group",
    description:
      "The name, id or address of the group (default: the only one of the node)",
  })
  .addFlag(json)
  .setAction(async () => await import("./show-action.ts"))
  .build();

/** `sequencer:group` and its subtasks. */
export const groupTasks: readonly TaskDefinition[] = [
  emptyTask("sequencer:group", "Create, import, list and show groups").build(),
  groupCreateTask,
  groupImportTask,
  groupListTask,
  groupShowTask,
];
