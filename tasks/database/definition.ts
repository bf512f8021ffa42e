import { emptyTask, task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

const name = {
  ...text,
  name: "name",
  description: "The node's name (required)",
} as const;

const json = {
  name: "json",
  description: "Print one JSON object per line and nothing else",
} as const;

/** `sequencer:database check`. */
export const databaseCheckTask: TaskDefinition = task(
  ["sequencer:database", "check"],
  "Read the whole log of a node, and say whether anything is damaged",
)
  .addOption(name)
  .addFlag(json)
  .setAction(async () => await import("./check-action.ts"))
  .build();

/** `sequencer:database import`. */
export const databaseImportTask: TaskDefinition = task(
  ["sequencer:database", "import"],
  "Let the log of a node begin with the store that it had without a database",
)
  .addOption(name)
  .addOption({
    ...text,
    name: "dataDir",
    description:
      "Where nodes keep their state; this one in a folder with its name (required)",
  })
  .addFlag(json)
  .setAction(async () => await import("./import-action.ts"))
  .build();

/** `sequencer:database restore`. */
export const databaseRestoreTask: TaskDefinition = task(
  ["sequencer:database", "restore"],
  "Write the store of a node, as of the end of its log, to a new file",
)
  .addOption(name)
  .addOption({
    ...text,
    name: "file",
    description: "The file, which must not be there yet (required)",
  })
  .addFlag(json)
  .setAction(async () => await import("./restore-action.ts"))
  .build();

/** `sequencer:database snapshot`. */
export const databaseSnapshotTask: TaskDefinition = task(
  ["sequencer:database", "snapshot"],
  "Make a snapshot now, and delete the turns that nobody needs any more",
)
  .addOption(name)
  .addFlag(json)
  .setAction(async () => await import("./snapshot-action.ts"))
  .build();

/** `sequencer:database turns`. */
export const databaseTurnsTask: TaskDefinition = task(
  ["sequencer:database", "turns"],
  "Print turns of the log of a node, with their statements",
)
  .addOption(name)
  .addOption({
    ...text,
    name: "from",
    description: "The first turn (default: so that the last one is printed)",
  })
  .addOption({
    ...text,
    name: "count",
    description: "How many turns (default: 20)",
  })
  .addFlag({
    name: "values",
    description:
      "Print the values of statements too: they have private states in them",
  })
  .addFlag(json)
  .setAction(async () => await import("./turns-action.ts"))
  .build();

/** `sequencer:database` and its subtasks. */
export const databaseTasks: readonly TaskDefinition[] = [
  emptyTask(
    "sequencer:database",
    "Look after the database of a node that runs as replicas",
  ).build(),
  databaseCheckTask,
  databaseImportTask,
  databaseRestoreTask,
  databaseSnapshotTask,
  databaseTurnsTask,
];
