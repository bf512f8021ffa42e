import { emptyTask } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { callTask } from "./call/definition.ts";
import { databaseTasks } from "./database/definition.ts";
import { deployTask } from "./deploy/definition.ts";
import { drainTask } from "./drain/definition.ts";
import { explainTask } from "./explain/definition.ts";
import { groupTasks } from "./group/definition.ts";
import { identityTask } from "./identity/definition.ts";
import { masterTask } from "./master/definition.ts";
import { nodeTask } from "./node/definition.ts";
import { receiptTask } from "./receipt/definition.ts";
import { replicasTask } from "./replicas/definition.ts";
import { runTask } from "./run/definition.ts";
import { simulateTask } from "./simulate/definition.ts";
import { statusTask } from "./status/definition.ts";
import { submitTask } from "./submit/definition.ts";
import { superviseTask } from "./supervise/definition.ts";

const named: readonly TaskDefinition[] = [
  callTask,
  ...databaseTasks,
  deployTask,
  drainTask,
  explainTask,
  ...groupTasks,
  identityTask,
  masterTask,
  nodeTask,
  receiptTask,
  replicasTask,
  runTask,
  simulateTask,
  statusTask,
  submitTask,
  superviseTask,
];

/** `sequencer:run` also as `sequencer run`, so that Hardhat lists it in the help of `sequencer`. */
function asSubtask(definition: TaskDefinition): TaskDefinition {
  return { ...definition, id: definition.id.flatMap((id) => id.split(":")) };
}

/** All tasks of the plugin. Their actions are loaded when they run. */
export const tasks: TaskDefinition[] = [
  emptyTask("sequencer", "Privacy-group ledger and sequencer").build(),
  ...named,
  ...named.map(asSubtask),
];
