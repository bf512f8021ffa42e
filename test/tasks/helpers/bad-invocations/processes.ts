import { home, of, secretUrl } from "./row.ts";
import type { BadInvocation } from "./row.ts";

/** The same in processes, with a project that knows no nodes: what comes after the options, and the exit code. */
export const badProcesses: readonly BadInvocation[] = [
  ...of("sequencer:node", [
    ["PEER_MISSING", [...home, "--network", "chain"], "alice"],
    ["NUMBER_INVALID", [...home, "--rpc-port", "65535"], "65535"],
  ]),
  ...of("sequencer:identity", [
    [
      "NODE_NAME_INVALID",
      ["--name", "../evil", "--data-dir", "{empty}"],
      "../evil",
    ],
    ["HARDHAT", ["--name", "alice", "--data", "{empty}"], "--data"],
  ]),
  ...of("sequencer:run", [
    ["DATA_DIR_INVALID", ["--data-dir", "{file}"], "{file}"],
  ]),
  ...of("sequencer:submit", [
    ["NODE_UNREACHABLE", ["--url", secretUrl], "http://127.0.0.1:1"],
  ]),
  ...of("sequencer:deploy", [
    ["SENDER_UNKNOWN", ["--network", "chain", "--from", "99"], "99"],
  ]),
];
