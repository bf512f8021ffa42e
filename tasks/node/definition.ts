import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:node`. */
export const nodeTask: TaskDefinition = task(
  "sequencer:node",
  "Run one node as a process of its own, with the peers of the configuration, on --network",
)
  .addOption({
    ...text,
    name: "name",
    description: "Which of sequencer.peers it is (required)",
  })
  .addOption({
    ...text,
    name: "dataDir",
    description:
      "Where nodes keep their state; this one in a folder with its name (required)",
  })
  .addOption({
    ...text,
    name: "listen",
    description:
      "host:port to listen on for other nodes; needed if it has several addresses (default: its address in sequencer.peers)",
  })
  .addOption({
    ...text,
    name: "rpcPort",
    description:
      "The port of its JSON-RPC over HTTP; WebSocket is on the next; 0 takes any that are free (default: 8550)",
  })
  .addOption({
    ...text,
    name: "rpcHost",
    description:
      "Where its JSON-RPC listens; what other machines reach needs sequencer.servers.rpcToken (default: sequencer.servers.rpcHost, or 127.0.0.1)",
  })
  .addOption({
    ...text,
    name: "statusPort",
    description:
      "The port of /health, /ready and /metrics; 0 takes any that is free (default: 8552)",
  })
  .addOption({
    ...text,
    name: "statusHost",
    description:
      "Where /health, /ready and /metrics are; what other machines reach needs sequencer.servers.statusToken (default: sequencer.servers.statusHost, or 127.0.0.1)",
  })
  .addOption({
    ...text,
    name: "replica",
    description:
      "Which replica of the node it is, where sequencer.database is set (default: the name of this machine)",
  })
  .addOption({
    ...text,
    name: "operatorPort",
    description:
      "The port on which operators and supervisors reach this replica, with sequencer.servers.operatorToken (default: none, and they do not)",
  })
  .addOption({
    ...text,
    name: "logLevel",
    description:
      "With --json, the least that is written: debug, info, warn or error (default: info)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
