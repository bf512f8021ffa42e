import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:supervise`. */
export const superviseTask: TaskDefinition = task(
  "sequencer:supervise",
  "Supervise the replicas of a node: replace an active one that is useless, and let operators change it",
)
  .addOption({
    ...text,
    name: "name",
    description: "The node's name (required)",
  })
  .addOption({
    ...text,
    name: "supervisor",
    description:
      "Which supervisor of the node it is (default: the name of this machine)",
  })
  .addOption({
    ...text,
    name: "port",
    description:
      "The port of its JSON-RPC for operators, with sequencer.servers.operatorToken; 0 takes any that is free (default: 8560)",
  })
  .addOption({
    ...text,
    name: "readsPort",
    description:
      "The port on which it forwards reads of users to the active replica; 0 takes any that is free (default: none, and it does not)",
  })
  .addOption({
    ...text,
    name: "probes",
    description:
      "So many probes of a replica must fail one after the other (default: 5)",
  })
  .addOption({
    ...text,
    name: "probeMs",
    description:
      "Milliseconds between probes, and for each of them (default: 1000)",
  })
  .addOption({
    ...text,
    name: "tenureMs",
    description:
      "Milliseconds for which an active replica is not replaced, however useless (default: 30000)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
