import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:run`. */
export const runTask: TaskDefinition = task(
  "sequencer:run",
  "Run nodes that share a group, on a chain of their own or on --network, and let them confirm intents",
)
  .addOption({
    ...text,
    name: "nodes",
    description:
      "How many nodes, each with an account of the network (default: as configured, or 4)",
  })
  .addOption({
    ...text,
    name: "threshold",
    description: "How many nodes must endorse (default: more than half)",
  })
  .addOption({
    ...text,
    name: "policy",
    description:
      "When the role of the coordinator moves: sticky or rotating (default: sticky)",
  })
  .addOption({
    ...text,
    name: "rangeSize",
    description:
      "Blocks for which the ranking of the nodes stays (default: 50)",
  })
  .addOption({
    ...text,
    name: "heartbeat",
    description:
      "Milliseconds between heartbeats of a coordinator (default: 500)",
  })
  .addOption({
    ...text,
    name: "blockTime",
    description:
      "Milliseconds between blocks of a simulated chain when nothing is to do (default: 250)",
  })
  .addOption({
    ...text,
    name: "rpcPort",
    description:
      "The port of the first node's JSON-RPC over HTTP; WebSocket is on the next, the second node on the two after that; 0 takes any that are free (default: 8550)",
  })
  .addOption({
    ...text,
    name: "dataDir",
    description:
      "Where nodes keep their state, to go on in the next run (default: a temporary directory)",
  })
  .addOption({
    ...text,
    name: "intents",
    description:
      "Submit so many sample intents, print what they came to, and exit (default: serve until Ctrl-C)",
  })
  .addOption({
    ...text,
    name: "rate",
    description: "Sample intents per second (default: as fast as possible)",
  })
  .addOption({
    ...text,
    name: "contention",
    description:
      "How many accounts the sample intents spend from; all means that all spend from one (default: all)",
  })
  .addOption({
    ...text,
    name: "timeout",
    description:
      "Seconds after which to give up and exit with 4 (default: never)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
