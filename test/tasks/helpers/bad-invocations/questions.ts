import { address, huge, of, type Row, secretUrl, zero } from "./row.ts";
import type { BadInvocation } from "./row.ts";

const uuid = "7a3c9e0e-4e5b-4f0e-9c56-0d1f5f6b8a11";
const at = ["--url", "{url}"];
const mint = [...at, "--function", "mint"];
const wanted = [...at, "--domain", "group-token", "--members", "alice,bob"];

const status: readonly Row[] = [
  ["URL_INVALID", ["--url", ""], "--url"],
  ["URL_INVALID", ["--url", "localhost:8550"], "--url"],
  ["URL_INVALID", ["--url", "{url},"], "--url"],
  ["URL_INVALID", ["--url", "ws://user:secret@127.0.0.1:1"], "--url"],
  ["URL_INVALID", ["--url", "{url},user:secret@nowhere"], "--url"],
];

const submit: readonly Row[] = [
  ["FUNCTION_MISSING", at, ["--function", "mint"]],
  ["FUNCTION_MISSING", [...at, "--function", " "], "--function"],
  ["FUNCTION_UNKNOWN", [...at, "--function", "steal"], ['"steal"', "mint"]],
  ["FUNCTION_UNKNOWN", [...at, "--function", "__proto__"], "__proto__"],
  [
    "FUNCTION_IS_VIEW",
    [...at, "--function", "balanceOf", "--args", '["a"]'],
    "balanceOf",
  ],
  ["ARGS_INVALID", [...mint, "--args", ""], '""'],
  ["ARGS_INVALID", [...mint, "--args", "null"], "null"],
  ["ARGS_INVALID", [...mint, "--args", '{"to":'], "to"],
  ["ARGUMENTS_INVALID", [...mint, "--args", '{"to":"a"}'], "amount"],
  [
    "ARGUMENTS_INVALID",
    [...mint, "--args", '{"to":"a","amount":"1","for":"b"}'],
    "for",
  ],
  [
    "ARGUMENTS_INVALID",
    [...mint, "--args", '{"to":"a","amount":"-1"}'],
    "amount",
  ],
  [
    "ARGUMENTS_INVALID",
    [...mint, "--args", `{"to":"a","amount":"${huge.repeat(3)}"}`],
    "amount",
  ],
  ["ARGUMENTS_INVALID", [...mint, "--args", "[1]"], "mint"],
  ["GROUP_UNKNOWN", [...mint, "--group", "theirs"], ['"theirs"', '"main"']],
  ["GROUP_UNKNOWN", [...mint, "--group", ""], ['""', '"main"']],
  ["GROUP_UNKNOWN", [...mint, "--group", zero], [zero, '"main"']],
  ["NUMBER_INVALID", [...mint, "--timeout", "0"], "--timeout"],
  ["NODE_REFUSED", [...mint, "--args", '["a","1"]', "--from", "a b"], "a b"],
  [
    "NODE_UNREACHABLE",
    ["--url", secretUrl, "--function", "mint"],
    "http://127.0.0.1:1",
  ],
  ["URL_INVALID", ["--url", "user:secret@host", "--function", "mint"], "--url"],
];

const call: readonly Row[] = [
  ["FUNCTION_MISSING", at, ["--function", "balanceOf"]],
  ["FUNCTION_UNKNOWN", [...at, "--function", "☃"], "☃"],
  ["FUNCTION_IS_NO_VIEW", [...mint, "--args", '["a","1"]'], "mint"],
  ["ARGS_INVALID", [...at, "--function", "balanceOf", "--args", "7"], "7"],
  ["ARGUMENTS_INVALID", [...at, "--function", "balanceOf"], "account"],
  [
    "GROUP_UNKNOWN",
    [...at, "--function", "balanceOf", "--group", "../x"],
    "../x",
  ],
  [
    "NODE_REFUSED",
    [...at, "--function", "balanceOf", "--args", '["a"]', "--from", "a b"],
    "a b",
  ],
  ["NODE_UNREACHABLE", ["--url", secretUrl], "http://127.0.0.1:1"],
];

const receipt: readonly Row[] = [
  ["HARDHAT", [], "id"],
  ["TRANSACTION_ID_INVALID", ["nothing", ...at], "nothing"],
  ["TRANSACTION_ID_INVALID", ["", ...at], '""'],
  ["TRANSACTION_ID_INVALID", [`0x${"1".repeat(64)}`, ...at], "0x1111"],
  ["TRANSACTION_UNKNOWN", [uuid, ...at], uuid],
  ["NODE_UNREACHABLE", [uuid, "--url", secretUrl], "http://127.0.0.1:1"],
];

const explain: readonly Row[] = [
  ["HARDHAT", [], "id"],
  ["TRANSACTION_ID_INVALID", ["../etc/passwd", ...at], "../etc/passwd"],
  ["TRANSACTION_ID_INVALID", ["0x12", ...at], "0x12"],
  ["TRANSACTION_UNKNOWN", [uuid, ...at], uuid],
  ["URL_INVALID", [uuid, "--url", "file:///etc/passwd"], "--url"],
];

const drain: readonly Row[] = [
  ["URL_INVALID", ["--url", "localhost"], "--url"],
  ["NODE_UNREACHABLE", ["--url", secretUrl], "http://127.0.0.1:1"],
  ["NUMBER_INVALID", [...at, "--timeout", "0"], "0"],
  ["NUMBER_INVALID", [...at, "--timeout", "soon", "--undo"], "soon"],
];

const create: readonly Row[] = [
  [
    "URL_INVALID",
    ["--domain", "group-token", "--members", "alice", "--url", "localhost"],
    "--url",
  ],
  ["GROUP_DOMAIN_MISSING", [...at, "--members", "alice"], "--domain"],
  ["GROUP_MEMBERS_MISSING", [...at, "--domain", "group-token"], "--members"],
  [
    "GROUP_MEMBERS_MISSING",
    [...at, "--domain", "group-token", "--members", ","],
    "--members",
  ],
  ["NODE_REFUSED", [...at, "--domain", "gold", "--members", "alice"], "'gold'"],
  [
    "NODE_REFUSED",
    [...at, "--domain", "group-token", "--members", "alice,dave"],
    "dave",
  ],
  ["NUMBER_INVALID", [...wanted, "--threshold", "257"], "257"],
  ["NODE_REFUSED", [...wanted, "--threshold", "3"], "3"],
  ["CONFIGURATION_INVALID", [...wanted, "--configuration", '"text"'], "text"],
  [
    "CONFIGURATION_INVALID",
    [...wanted, "--configuration", '{"threshold":"1"}'],
    "threshold",
  ],
  ["NUMBER_INVALID", [...wanted, "--timeout", "1e3"], "1e3"],
  ["NODE_REFUSED", [...wanted, "--name", "x".repeat(10_000)], "name"],
];

const list: readonly Row[] = [
  ["URL_INVALID", ["--url", "//user:secret@x"], "--url"],
  ["NODE_UNREACHABLE", ["--url", secretUrl], "http://127.0.0.1:1"],
  ["HARDHAT", ["--group", "main"], "--group"],
];

const show: readonly Row[] = [
  ["GROUP_UNKNOWN", [...at, "--group", "theirs"], ['"theirs"', '"main"']],
  ["NODE_UNREACHABLE", ["--url", secretUrl], "http://127.0.0.1:1"],
  ["HARDHAT", [...at, "main"], "main"],
];

const imported: readonly Row[] = [
  ["GROUP_NOT_CONFIGURED", at, ['"main"', "plain"]],
  ["GROUP_NOT_CONFIGURED", [...at, "--name", "constructor"], "constructor"],
  ["GROUP_NOT_DESCRIBED", [...at, "--name", "plain"], [address, "--domain"]],
  [
    "OPTIONS_EXCLUSIVE",
    [...at, "--name", "plain", "--file", "{file}"],
    ["--name", "--file"],
  ],
  [
    "GROUP_FILE_INVALID",
    [...at, "--file", "../../nowhere.json"],
    "../../nowhere.json",
  ],
  ["GROUP_FILE_INVALID", [...at, "--file", "{empty}"], "{empty}"],
  ["GROUP_FILE_INVALID", [...at, "--file", "{file}"], "{file}"],
];

/** Of tasks that ask a running node. */
export const badQuestions: readonly BadInvocation[] = [
  ...of("sequencer:status", status),
  ...of("sequencer:submit", submit),
  ...of("sequencer:call", call),
  ...of("sequencer:receipt", receipt),
  ...of("sequencer:explain", explain),
  ...of("sequencer:drain", drain),
  ...of("sequencer:group create", create),
  ...of("sequencer:group list", list),
  ...of("sequencer:group show", show),
  ...of("sequencer:group import", imported),
];
