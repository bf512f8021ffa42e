import { address, home, huge, of, type Row, zero } from "./row.ts";
import type { BadInvocation } from "./row.ts";

const other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const described = ["--members", "alice,bob", "--domain", "group-token"];

const deploy: readonly Row[] = [
  ["ADDRESS_INVALID", ["--members", ""], '""'],
  ["ADDRESS_INVALID", ["--members", "alice"], '"alice"'],
  ["ADDRESS_INVALID", ["--members", "0x123"], '"0x123"'],
  ["ADDRESS_INVALID", ["--members", "ünïcode☃"], "ünïcode☃"],
  ["ADDRESS_INVALID", ["--members", `${address},`], '""'],
  ["ADDRESS_CHECKSUM", ["--members", address.replace("F", "f")], "0x90f79"],
  ["MEMBER_ZERO", ["--members", zero], "zero address"],
  ["MEMBER_DUPLICATE", ["--members", `${address},${address}`], address],
  ["THRESHOLD_INVALID", ["--members", address, "--threshold", "2"], "2"],
  ["THRESHOLD_INVALID", ["--members", address, "--threshold", "0"], "0"],
  ["THRESHOLD_INVALID", ["--members", address, "--threshold", "0x1"], "0x1"],
  ["THRESHOLD_INVALID", ["--members", address, "--threshold", huge], huge],
  ["THRESHOLD_INVALID", ["--members", address, "--threshold", ""], '""'],
  ["SALT_INVALID", ["--members", address, "--salt", "0x12"], "0x12"],
  ["SALT_INVALID", ["--members", address, "--salt", ""], '""'],
  ["GROUP_NAME_INVALID", ["--members", address, "--name", "../a"], "../a"],
  ["MEMBERS_MISSING", ["--domain", "group-token"], "--domain"],
  ["MEMBERS_MISSING", ["--threshold", "2"], "--threshold"],
  ["DOMAIN_MISSING", ["--members", address, "--policy", "sticky"], "--policy"],
  ["CHOICE_INVALID", [...described, "--policy", "fast"], '"fast"'],
  ["CHOICE_INVALID", ["--members", "alice", "--domain", "gold"], '"gold"'],
  [
    "MEMBER_NOT_A_PEER",
    ["--members", "dave", "--domain", "group-token"],
    "dave",
  ],
  ["CONFIGURATION_INVALID", [...described, "--configuration", "[1]"], "[1]"],
  ["CONFIGURATION_INVALID", [...described, "--configuration", "{"], '"{"'],
  [
    "EXTERNAL_CALLS_BY_DOMAIN",
    [...described, "--external-calls"],
    "--external-calls",
  ],
  ["SENDER_UNKNOWN", ["--from", "99"], "99"],
  ["SENDER_UNKNOWN", ["--from", zero], zero],
  ["ADDRESS_INVALID", ["--from", "alice"], "alice"],
  ["COUNT_INVALID", ["--timeout", "0"], '--timeout "0"'],
  ["COUNT_INVALID", ["--confirmations", "1000001"], "1000001"],
  ["HARDHAT", ["--timeout", "soon"], "soon"],
  ["HARDHAT", ["--member", address], "--member"],
  ["HARDHAT", ["--members", address, "--members", other], "--members"],
  ["HARDHAT", ["--members"], "--members"],
  ["VERIFY_NOT_INSTALLED", ["--verify"], "--verify"],
];

/** A project without a database. */
const replicas: readonly Row[] = [
  ["NODE_NAME_INVALID", [], "--name"],
  ["NODE_NAME_INVALID", ["--name", "../alice"], "../alice"],
  ["DATABASE_NOT_CONFIGURED", ["--name", "alice"], "alice"],
  ["REPLICA_NAME_INVALID", ["--name", "alice", "--promote", ""], "--promote"],
  ["REPLICA_NAME_INVALID", ["--name", "alice", "--promote", "r 2"], '"r 2"'],
  ["DATABASE_NOT_CONFIGURED", ["--name", "alice", "--promote", "r2"], "alice"],
  ["HARDHAT", ["--name", "alice", "--url", "{url}"], "--url"],
];

const databaseOfNode: readonly Row[] = [
  ["NODE_NAME_INVALID", [], "--name"],
  ["NODE_NAME_INVALID", ["--name", "a b"], "a b"],
  ["DATABASE_NOT_CONFIGURED", ["--name", "alice"], "alice"],
  ["HARDHAT", ["--name", "alice", "--schema", "mine"], "--schema"],
];

const restore: readonly Row[] = [
  ["NODE_NAME_INVALID", ["--name", ""], '""'],
  ["FILE_NOT_WRITTEN", ["--name", "alice"], "--file"],
  ["FILE_NOT_WRITTEN", ["--name", "alice", "--file", ""], "--file"],
  ["FILE_NOT_WRITTEN", ["--name", "alice", "--file", "{file}"], "{file}"],
  ["FILE_NOT_WRITTEN", ["--name", "alice", "--file", "{empty}"], "{empty}"],
  [
    "FILE_NOT_WRITTEN",
    ["--name", "alice", "--file", "{empty}/deeper/node.db"],
    "{empty}",
  ],
  [
    "DATABASE_NOT_CONFIGURED",
    ["--name", "alice", "--file", "{empty}/node.db"],
    "alice",
  ],
];

const turns: readonly Row[] = [
  ["NODE_NAME_INVALID", ["--name", "ålice"], "ålice"],
  ["NUMBER_INVALID", ["--name", "alice", "--from", "0"], "--from"],
  ["NUMBER_INVALID", ["--name", "alice", "--from", huge], huge],
  ["NUMBER_INVALID", ["--name", "alice", "--count", "all"], '"all"'],
  ["NUMBER_INVALID", ["--name", "alice", "--count", "1000001"], "1000001"],
  ["DATABASE_NOT_CONFIGURED", ["--name", "alice", "--values"], "alice"],
];

const imported: readonly Row[] = [
  [
    "NODE_NAME_INVALID",
    ["--data-dir", "{nodes}", "--name", "../nodes"],
    "../nodes",
  ],
  ["DATA_DIR_MISSING", ["--name", "alice"], "--data-dir"],
  ["DATA_DIR_MISSING", ["--name", "alice", "--data-dir", " "], "--data-dir"],
  ["STORE_MISSING", ["--name", "alice", "--data-dir", "{nodes}"], "node.db"],
  ["STORE_MISSING", ["--name", "alice", "--data-dir", "{file}"], "{file}"],
];

const identity: readonly Row[] = [
  ["NODE_NAME_INVALID", ["--data-dir", "{empty}"], "--name"],
  ["NODE_NAME_INVALID", ["--name", "", "--data-dir", "{empty}"], '""'],
  [
    "NODE_NAME_INVALID",
    ["--name", "../evil", "--data-dir", "{empty}"],
    "../evil",
  ],
  ["NODE_NAME_INVALID", ["--name", "a b", "--data-dir", "{empty}"], "a b"],
  ["NODE_NAME_INVALID", ["--name", "ålice", "--data-dir", "{empty}"], "ålice"],
  ["DATA_DIR_MISSING", ["--name", "alice"], "--data-dir"],
  ["DATA_DIR_MISSING", ["--name", "alice", "--data-dir", ""], "--data-dir"],
  ["DATA_DIR_INVALID", ["--name", "alice", "--data-dir", "{file}"], "{file}"],
  [
    "DATA_DIR_INVALID",
    ["--name", "alice", "--data-dir", "{file}/deeper"],
    "{file}",
  ],
  ["DATA_DIR_DAMAGED", ["--name", "broken", "--data-dir", "{nodes}"], "broken"],
  ["HARDHAT", ["--name", "alice", "--data", "{empty}"], "--data"],
];

/** What `sequencer:node` refuses before it starts. */
const node: readonly Row[] = [
  ["NODE_NAME_INVALID", ["--data-dir", "{nodes}"], "--name"],
  [
    "NODE_NAME_INVALID",
    ["--name", "../alice", "--data-dir", "{nodes}"],
    "../alice",
  ],
  ["DATA_DIR_MISSING", ["--name", "alice"], "--data-dir"],
  ["LISTEN_INVALID", [...home, "--listen", "nowhere"], '"nowhere"'],
  ["LISTEN_INVALID", [...home, "--listen", "127.0.0.1:99999"], "99999"],
  ["LISTEN_INVALID", [...home, "--listen", ""], '""'],
  ["NUMBER_INVALID", [...home, "--rpc-port", "65535"], "65535"],
  ["NUMBER_INVALID", [...home, "--rpc-port=-1"], "-1"],
  ["NUMBER_INVALID", [...home, "--rpc-port", "0x1f90"], "0x1f90"],
  ["NUMBER_INVALID", [...home, "--rpc-port", ""], '""'],
  ["NUMBER_INVALID", [...home, "--status-port", huge], huge],
  ["HOST_INVALID", [...home, "--rpc-host", ""], '""'],
  ["HOST_INVALID", [...home, "--rpc-host", "0.0.0.0:8550"], "0.0.0.0:8550"],
  ["HOST_INVALID", [...home, "--status-host", "//alice"], '"//alice"'],
  [
    "SERVER_TOKEN_MISSING",
    [...home, "--rpc-host", "0.0.0.0"],
    ["--rpc-host", '"0.0.0.0"', "rpcToken"],
  ],
  [
    "SERVER_TOKEN_MISSING",
    [...home, "--status-host", "127.evil.example"],
    ["--status-host", "127.evil.example", "statusToken"],
  ],
  ["CHOICE_INVALID", [...home, "--log-level", "loud"], '"loud"'],
  ["REPLICA_NAME_INVALID", [...home, "--replica", "r 1"], '"r 1"'],
  [
    "REPLICA_WITHOUT_DATABASE",
    [...home, "--replica", "r1"],
    ['"r1"', "sequencer.database"],
  ],
  ["NUMBER_INVALID", [...home, "--operator-port", "65536"], "65536"],
  ["NUMBER_INVALID", [...home, "--operator-port", ""], '""'],
  [
    "OPERATOR_TOKEN_MISSING",
    [...home, "--operator-port", "0"],
    ["--operator-port", "operatorToken"],
  ],
  ["HARDHAT", [...home, "--port", "8550"], "--port"],
];

const alice = ["--name", "alice"] as const;

/** A project without a token for operators, and without a database. */
const supervise: readonly Row[] = [
  ["NODE_NAME_INVALID", [], "--name"],
  ["NODE_NAME_INVALID", ["--name", "../alice"], "../alice"],
  ["REPLICA_NAME_INVALID", [...alice, "--supervisor", ""], "--supervisor"],
  ["REPLICA_NAME_INVALID", [...alice, "--supervisor", "s 1"], '"s 1"'],
  ["NUMBER_INVALID", [...alice, "--port", "65536"], "65536"],
  ["NUMBER_INVALID", [...alice, "--port=-1"], "-1"],
  ["NUMBER_INVALID", [...alice, "--reads-port", "many"], '"many"'],
  ["NUMBER_INVALID", [...alice, "--probes", "0"], '"0"'],
  ["NUMBER_INVALID", [...alice, "--probe-ms", "49"], "49"],
  ["NUMBER_INVALID", [...alice, "--probe-ms", huge], huge],
  ["NUMBER_INVALID", [...alice, "--tenure-ms", "1.5"], "1.5"],
  ["OPERATOR_TOKEN_MISSING", alice, ["--port", "operatorToken"]],
];

/** A project without a database. */
const master: readonly Row[] = [
  ["NODE_NAME_INVALID", [], "--name"],
  ["NODE_NAME_INVALID", ["--name", "../alice"], "../alice"],
  ["DATABASE_NOT_CONFIGURED", alice, "alice"],
  ["REPLICA_NAME_INVALID", [...alice, "--set", ""], "--set"],
  ["REPLICA_NAME_INVALID", [...alice, "--set", "r 2"], '"r 2"'],
  ["DATABASE_NOT_CONFIGURED", [...alice, "--set", "r2"], "alice"],
  ["MASTER_FORCE_ALONE", [...alice, "--force"], ["--force", "--set"]],
  [
    "OPTIONS_EXCLUSIVE",
    [...alice, "--start-election", "--stop-election"],
    ["--stop-election", "--start-election"],
  ],
  ["DATABASE_NOT_CONFIGURED", [...alice, "--start-election"], "alice"],
];

const run: readonly Row[] = [
  ["NUMBER_INVALID", ["--nodes", "0"], '"0"'],
  ["NUMBER_INVALID", ["--nodes", "256"], "256"],
  ["NUMBER_INVALID", ["--nodes", "three"], "three"],
  ["NUMBER_INVALID", ["--nodes", "1.5"], "1.5"],
  ["NUMBER_INVALID", ["--nodes", "４"], "４"],
  ["NUMBER_INVALID", ["--nodes=-1"], "-1"],
  ["THRESHOLD_INVALID", ["--nodes", "3", "--threshold", "4"], "4"],
  ["CHOICE_INVALID", ["--policy", "Sticky"], '"Sticky"'],
  ["NUMBER_INVALID", ["--range-size", "0"], "--range-size"],
  ["NUMBER_INVALID", ["--heartbeat", "1"], "--heartbeat"],
  ["NUMBER_INVALID", ["--block-time", "9"], "--block-time"],
  ["NUMBER_INVALID", ["--nodes", "4", "--rpc-port", "65530"], "65530"],
  ["NUMBER_INVALID", ["--intents", huge], huge],
  ["NUMBER_INVALID", ["--intents", "1", "--contention", "some"], "some"],
  ["NUMBER_INVALID", ["--timeout", "0"], "--timeout"],
  ["INTENTS_MISSING", ["--rate", "5"], "--rate"],
  ["INTENTS_MISSING", ["--contention", "all"], "--contention"],
  ["DATA_DIR_INVALID", ["--data-dir", ""], '""'],
  ["DATA_DIR_INVALID", ["--data-dir", "{file}"], "{file}"],
  ["HARDHAT", ["--node", "3"], "--node"],
];

const simulate: readonly Row[] = [
  ["NUMBER_INVALID", ["--seed=-1"], "-1"],
  ["NUMBER_INVALID", ["--seed", "4294967296"], "4294967296"],
  ["NUMBER_INVALID", ["--seeds", "0"], "--seeds"],
  ["NUMBER_INVALID", ["--nodes", "many"], "many"],
  ["NUMBER_INVALID", ["--intents", huge], huge],
  ["CHOICE_INVALID", ["--policy", ""], '""'],
  ["CHOICE_INVALID", ["--faults", "earthquake"], "earthquake"],
  ["CHOICE_INVALID", ["--liar", "nobody"], "nobody"],
  ["CHOICE_INVALID", ["--lane", "middle"], '"middle"'],
  ["CHOICE_INVALID", ["--domain", "gold"], '"gold"'],
  [
    "DOMAIN_MODULE_INVALID",
    ["--domain", "../../nowhere.ts"],
    "../../nowhere.ts",
  ],
  [
    "DOMAIN_MODULE_INVALID",
    ["--seeds", "1", "--domain", "{empty}/"],
    "{empty}",
  ],
  [
    "DOMAIN_MODULE_INVALID",
    ["--seeds", "1", "--domain", "{module}"],
    "{module}",
  ],
  ["FILE_NOT_WRITTEN", ["--seeds", "1", "--transcript", "{empty}"], "{empty}"],
  [
    "FILE_NOT_WRITTEN",
    ["--seeds", "1", "--transcript", "{file}/page.md"],
    "{file}",
  ],
  ["FILE_NOT_WRITTEN", ["--seeds", "1", "--transcript", ""], "--transcript"],
];

/** Of tasks that do something here. */
export const badHere: readonly BadInvocation[] = [
  ...of("sequencer:deploy", deploy),
  ...of("sequencer:database check", databaseOfNode),
  ...of("sequencer:database import", imported),
  ...of("sequencer:database restore", restore),
  ...of("sequencer:database snapshot", databaseOfNode),
  ...of("sequencer:database turns", turns),
  ...of("sequencer:identity", identity),
  ...of("sequencer:master", master),
  ...of("sequencer:node", node),
  ...of("sequencer:replicas", replicas),
  ...of("sequencer:run", run),
  ...of("sequencer:simulate", simulate),
  ...of("sequencer:supervise", supervise),
];
