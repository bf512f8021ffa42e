import { artifacts } from "hardhat";
import type { Artifact } from "hardhat/types/artifacts";

import type {} from "../../../src/plugin/chai/type-extensions.ts";
import type { ClusterGroup } from "../../../src/plugin/connection/types.ts";
import {
  attachPrivate,
  deployPrivate,
  type IndexedHash,
  type PrivateContract,
} from "../../../src/plugin/domains/private-contracts.ts";

// The compiler is the test: `npm run typecheck` fails if one of these lines has a type that it must not have, and also if a
// line that must be wrong is right. Nothing in here runs.

const abi = [
  {
    type: "constructor",
    stateMutability: "nonpayable",
    inputs: [{ name: "supply", type: "uint256" }],
  },
  {
    type: "function",
    name: "transfer",
    stateMutability: "nonpayable",
    inputs: [
      { name: "to", type: "address" },
      { name: "value", type: "uint256" },
    ],
    outputs: [{ name: "", type: "bool" }],
  },
  {
    type: "function",
    name: "total",
    stateMutability: "view",
    inputs: [],
    outputs: [{ name: "", type: "uint8" }],
  },
  {
    type: "function",
    name: "range",
    stateMutability: "view",
    inputs: [],
    outputs: [
      { name: "first", type: "int24" },
      { name: "", type: "bytes4" },
    ],
  },
  {
    type: "function",
    name: "order",
    stateMutability: "nonpayable",
    inputs: [
      {
        name: "orders",
        type: "tuple[2][]",
        components: [
          { name: "note", type: "string" },
          { name: "data", type: "bytes" },
        ],
      },
    ],
    outputs: [],
  },
  {
    type: "function",
    name: "orderOf",
    stateMutability: "view",
    inputs: [{ name: "id", type: "uint256" }],
    outputs: [
      {
        name: "",
        type: "tuple",
        components: [
          { name: "note", type: "string" },
          { name: "prices", type: "uint256[]" },
        ],
      },
    ],
  },
  {
    type: "function",
    name: "pay",
    stateMutability: "nonpayable",
    inputs: [{ name: "to", type: "address" }],
    outputs: [],
  },
  {
    type: "function",
    name: "pay",
    stateMutability: "nonpayable",
    inputs: [
      { name: "to", type: "address" },
      { name: "isLate", type: "bool" },
    ],
    outputs: [],
  },
  {
    type: "event",
    name: "Transfer",
    anonymous: false,
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "value", type: "uint256", indexed: false },
    ],
  },
  {
    type: "event",
    name: "Noted",
    anonymous: false,
    inputs: [
      { name: "note", type: "string", indexed: true },
      { name: "", type: "bool", indexed: false },
    ],
  },
  {
    type: "error",
    name: "TooMuch",
    inputs: [{ name: "asked", type: "uint256" }],
  },
] as const;

declare module "hardhat/types/artifacts" {
  interface ArtifactMap {
    /** As Hardhat writes it for the contracts of a project. */
    TypedToken: Artifact<typeof abi>;
  }
}

/** Two types are the same, and not only assignable. */
// oxlint-disable typescript/no-unnecessary-type-parameters -- only so the compiler compares types without relating them
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2
    ? true
    : false;
// oxlint-enable typescript/no-unnecessary-type-parameters

export async function functionsAndArguments(
  token: PrivateContract<typeof abi>,
): Promise<void> {
  await token.send("alice", "transfer", ["0x01", 1n]);
  await token.send("alice", "transfer(address,uint256)", ["0x01", 1]);
  // @ts-expect-error -- there is no such function
  await token.send("alice", "transfers", ["0x01", 1n]);
  // @ts-expect-error -- an argument is missing
  await token.send("alice", "transfer", ["0x01"]);
  // @ts-expect-error -- the arguments are missing
  await token.send("alice", "transfer");
  // @ts-expect-error -- they are in the wrong order
  await token.send("alice", "transfer", [1n, "0x01"]);
  // @ts-expect-error -- there is one too many
  await token.send("alice", "transfer", ["0x01", 1n, 2n]);
  await token.call("alice", "total");
  await token.call("alice", "total", []);
  // @ts-expect-error -- it takes no arguments
  await token.call("alice", "total", [1n]);
  const order = { note: "tea", data: "0x" };
  await token.send("bob", "order", [[[order, ["tea", new Uint8Array()]]]]);
  // @ts-expect-error -- a list of lists is asked for
  await token.send("bob", "order", [[order]]);
  // @ts-expect-error -- the order has no data
  await token.send("bob", "order", [[[{ note: "tea" }]]]);
  await token.send("bob", "pay(address)", ["0x01"]);
  await token.send("bob", "pay(address,bool)", ["0x01", true]);
  await token.send("bob", "order((string,bytes)[2][])", [[]]);
  // @ts-expect-error -- two functions have that name
  await token.send("bob", "pay", ["0x01"]);
  // @ts-expect-error -- that function takes another argument
  await token.send("bob", "pay(address)", ["0x01", true]);
}

export async function results(
  token: PrivateContract<typeof abi>,
): Promise<void> {
  const total = await token.call("alice", "total");
  true satisfies Same<typeof total, bigint>;
  const done = await token.call("alice", "transfer", ["0x01", 1n]);
  true satisfies Same<typeof done, boolean>;
  const range = await token.call("alice", "range");
  const [first, bytes] = range;
  true satisfies Same<typeof first, bigint>;
  true satisfies Same<typeof bytes, string>;
  true satisfies Same<typeof range.first, bigint>;
  const order = await token.call("alice", "orderOf", [1n]);
  true satisfies Same<typeof order.note, string>;
  true satisfies Same<typeof order.prices, readonly bigint[]>;
  // @ts-expect-error -- the order has no such field
  void order.data;
}

export async function events(
  token: PrivateContract<typeof abi>,
): Promise<void> {
  const receipt = await token.send("alice", "pay(address)", ["0x01"]);
  for (const event of receipt.events) {
    true satisfies Same<typeof event.address, string>;
    switch (event.name) {
      case "Transfer": {
        const { from, value } = event.args;
        true satisfies Same<typeof from, string>;
        true satisfies Same<typeof value, bigint>;
        break;
      }
      case "Noted": {
        true satisfies Same<typeof event.args.note, IndexedHash>;
        true satisfies Same<(typeof event.args)["1"], boolean>;
        break;
      }
      case undefined:
        break;
    }
    // @ts-expect-error -- the contract has no such event
    void (event.name === "Burned");
  }
}

export async function deploying(group: ClusterGroup): Promise<void> {
  const artifact = await artifacts.readArtifact("TypedToken");
  const token = await deployPrivate(group, "alice", artifact, [1_000n]);
  true satisfies Same<typeof token.abi, typeof abi>;
  await token.send("alice", "transfer", ["0x01", 1n]);
  for (const { name } of token.receipt.events)
    true satisfies Same<typeof name, "Transfer" | "Noted" | undefined>;
  // @ts-expect-error -- the constructor takes a number
  await deployPrivate(group, "alice", artifact, ["1000"]);
  // @ts-expect-error -- the constructor takes an argument
  await deployPrivate(group, "alice", artifact);
  const attached = attachPrivate(group, "0x01", artifact);
  // @ts-expect-error -- there is no such function
  await attached.call("alice", "balance");
  const inline = await deployPrivate(group, "alice", {
    abi: [{ type: "function", name: "run", inputs: [], outputs: [] }],
    bytecode: "0x00",
  });
  await inline.send("alice", "run");
  // @ts-expect-error -- there is no such function
  await inline.send("alice", "walk");
}

export async function unknownAbis(group: ClusterGroup): Promise<void> {
  const artifact: Artifact = await artifacts.readArtifact("Elsewhere");
  const token: PrivateContract = await deployPrivate(
    group,
    "alice",
    artifact,
    [1],
  );
  const { events: emitted } = await token.send("alice", "anything", [1n, "x"]);
  true satisfies Same<(typeof emitted)[number]["name"], string | undefined>;
  const answer = await token.call("alice", "anything");
  true satisfies Same<typeof answer, unknown>;
  const readable = attachPrivate(group, "0x01", {
    abi: ["function total() view returns (uint256)"],
  });
  await readable.call("alice", "total");
}

export function anyContract(
  token: PrivateContract<typeof abi>,
): PrivateContract {
  return token;
}

export async function matchers(
  expect: (value: unknown) => Chai.Assertion,
  token: PrivateContract<typeof abi>,
): Promise<void> {
  const sent = token.send("alice", "pay(address)", ["0x01"]);
  await expect(sent).to.emit(token, "Transfer").withArgs("0x01", 1n);
  await expect(sent).to.be.revertedWithCustomError(token, "TooMuch");
  await expect(sent).to.be.confirmed;
  await expect(sent).to.be.revertedWithReason(/late/);
  // @ts-expect-error -- a reason is a text or a pattern
  await expect(sent).to.be.revertedWithReason(1);
}
