import { methods } from "../../../src/api/rpc/methods.ts";
import type { Random } from "../random.ts";
import { toyAbi } from "./toy-domain.ts";

/** What a stranger might send: from nearly right to nothing like it. */
export function hostileText(random: Random, group: string): string {
  const request = hostileRequest(random, group);
  const value = random.chance(0.1)
    ? Array.from({ length: random.below(5) }, () =>
        hostileRequest(random, group),
      )
    : request;
  const text = JSON.stringify(value);
  return random.chance(0.2) ? damage(random, text) : text;
}

function hostileRequest(random: Random, group: string): unknown {
  if (random.chance(0.03)) return hostileValue(random, 3);
  const { name, params } = random.pick(methods);
  const count = random.chance(0.1) ? random.below(5) : params.length;
  return {
    jsonrpc: random.chance(0.03) ? hostileValue(random, 1) : "2.0",
    ...(random.chance(0.97) && { id: random.below(1_000) }),
    method: random.chance(0.05) ? hostileValue(random, 1) : name,
    params: random.chance(0.03)
      ? hostileValue(random, 2)
      : Array.from({ length: count }, (_, index) =>
          hostileParam(random, params[index]?.name ?? "", group),
        ),
  };
}

/** Mostly with the right form, so that what is behind the schemas gets its share. */
function hostileParam(random: Random, name: string, group: string): unknown {
  if (random.chance(0.1)) return hostileValue(random, 4);
  const examples = new Map(Object.entries(examplesOf(group)));
  const good = random.pick(examples.get(name) ?? oddities);
  return random.chance(0.3) ? good : spoil(random, good, 0.1);
}

/** Replaces parts of a value, more often the whole of small ones. */
function spoil(random: Random, value: unknown, chance: number): unknown {
  if (random.chance(chance)) return hostileValue(random, 3);
  if (Array.isArray(value))
    return value.map((item) => spoil(random, item, chance / 2));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => random.chance(0.97))
      .map(([key, part]) => [key, spoil(random, part, chance)]),
  );
}

/** Values that make sense, by the names of parameters. */
function examplesOf(
  group: string,
): Readonly<Record<string, readonly unknown[]>> {
  const hash = `0x${"ab".repeat(32)}`;
  const uuid = "00000000-0000-4000-8000-000000000000";
  const to = ["alice", 1];
  const call = { type: "private", from: "alice", to: group, abi: toyAbi };
  const inGroup = { domain: "toy", group: hash, from: "alice" };
  const open = { ...call, type: "public" };
  const fees = { maxFeePerGas: "0x1", maxPriorityFeePerGas: 1 };
  const calls = [
    { ...open, function: "mint", data: to, value: "0x5", gas: 21_000 },
    { ...open, function: "mint", data: to, ...fees, block: 1 },
    {
      ...open,
      to: null,
      bytecode: "0x60006000f3",
      from: `eth_address:${group}`,
    },
    { ...call, function: "mint", data: to },
    { ...call, function: "mint", data: { to: "a", amount: "0x5" }, domain: "" },
    { ...call, function: "mint", data: `0x056b01ce${"00".repeat(96)}` },
    { ...call, function: "note", data: [["a", [1, 2], group], "0xabcd"] },
    { ...call, function: "balanceOf", data: to.slice(1), dataFormat: "" },
    {
      ...call,
      function: "balanceOf",
      data: ["alice"],
      dataFormat: "mode=array",
    },
    { ...inGroup, function: toyAbi[0], input: to },
    { ...inGroup, function: toyAbi[3], input: ["alice"] },
    { ...inGroup, to: group, function: toyAbi[2], input: "0x1234" },
    { ...inGroup, to: group, input: "0x1234", bytecode: "0x60" },
  ];
  const error = `0x08c379a0${"00".repeat(31)}20${"00".repeat(31)}01aa`;
  return {
    transaction: [...calls, { ...calls[0], idempotencyKey: "k" }],
    transactions: [calls.slice(0, 4), calls.slice(0, 1)],
    call: calls,
    query: [
      { limit: 5 },
      { limit: 5, eq: [{ field: "from", value: "a" }], sort: ["-created"] },
      { limit: 5, or: [{ in: [{ field: "id", values: ["a", 1] }] }] },
      { limit: 5, like: [{ field: "name", value: "a%", not: true }] },
      {
        limit: 5,
        gt: [{ field: "sequence", value: "0x1" }],
        sort: ["id desc"],
      },
    ],
    id: [uuid, hash],
    full: [true, null],
    idempotencyKey: ["k"],
    domain: ["toy"],
    abi: [toyAbi, toyAbi.slice(2)],
    hash: [hash],
    data: [error, `0x056b01ce${"00".repeat(31)}40${"ff".repeat(64)}`],
    format: ["", null, "mode=self-describing&number=json-number"],
    topics: [[hash], []],
    lookup: ["alice@node1"],
    algorithm: ["ecdsa:secp256k1"],
    verifierType: ["eth_address"],
    listener: [{ name: "listener", filters: {}, options: {} }, "listener"],
    name: ["listener"],
    type: ["receipts"],
    subscription: [uuid],
    group: [{ domain: "toy", members: ["a@node1"], configuration: {} }],
    address: [group],
    member: ["a@node1"],
  };
}

const oddities: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  0.1,
  2 ** 53,
  "",
  "0x",
  "0X0",
  "\u0000",
  "\ud800",
  "'; DROP TABLE user_transactions; --",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "%%%%%%%%%%%%",
  "alice@node1@node1",
  "0x" + "ff".repeat(5_000),
  "9".repeat(5_000),
  "uint256[][][][][][][][][]",
  [],
  {},
];

function hostileValue(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.5)) return random.pick(oddities);
  const size = random.below(4);
  if (random.chance(0.4))
    return Array.from({ length: size }, () => hostileValue(random, depth - 1));
  const keys = [
    "type",
    "name",
    "inputs",
    "__proto__",
    "field",
    "value",
    "limit",
  ];
  return Object.fromEntries(
    Array.from({ length: size }, () => [
      random.pick(keys),
      hostileValue(random, depth - 1),
    ]),
  );
}

function damage(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const length = random.below(8);
  const noise = Array.from({ length: random.below(4) }, () =>
    String.fromCharCode(random.below(256)),
  ).join("");
  return text.slice(0, at) + noise + text.slice(at + length);
}
