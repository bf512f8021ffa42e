import { expect } from "chai";
import { computeAddress, getAddress, id, Interface } from "ethers";

import { ChainError, type ChainClient } from "../../../src/chain/ports.ts";
import { call, failureOf } from "../../helpers/rpc/client.ts";
import { type FakeFixture, startFake } from "../../helpers/rpc/fixture.ts";

const abi = [
  {
    type: "event",
    name: "Paid",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "memo", type: "string", indexed: true },
      { name: "amount", type: "uint256", indexed: false },
      { name: "", type: "bytes", indexed: false },
    ],
  },
  {
    type: "function",
    name: "pay",
    inputs: [
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    outputs: [],
  },
  { type: "error", name: "Poor", inputs: [{ name: "has", type: "uint8" }] },
];
const coder = new Interface(abi);
const somebody = getAddress(`0x${"ab".repeat(20)}`);
const paid = coder.encodeEventLog("Paid", [somebody, "rent", 5n, "0x00ff"]);
const hash = `0x${"77".repeat(32)}`;

/** A chain with one transaction. */
const chain: ChainClient = {
  request: async (method, [asked]) => {
    if (method !== "eth_getTransactionReceipt")
      throw new ChainError("refused", `no ${method}`);
    const log = (logIndex: string, topics: readonly string[]): object => ({
      blockNumber: "0x1",
      transactionIndex: "0x2",
      logIndex,
      address: somebody,
      topics,
      data: paid.data,
    });
    if (asked === `0x${"66".repeat(32)}`)
      throw new ChainError("unreachable", "http://user:password@chain");
    return await Promise.resolve(
      asked === hash
        ? {
            blockNumber: "0x1",
            logs: [log("0x3", paid.topics), log("0x4", [id("Other()")])],
          }
        : asked === `0x${"88".repeat(32)}`
          ? { blockNumber: "0x1000", logs: [] }
          : null,
    );
  },
  onHead: () => () => undefined,
  close: async () => {
    await Promise.resolve();
  },
};

describe("lookups over RPC", () => {
  let node: FakeFixture;
  const rpc = async <Result>(
    method: string,
    ...params: readonly unknown[]
  ): Promise<Result> => await call<Result>(node.httpUrl, method, ...params);
  const keyOf = async (work: Promise<unknown>): Promise<string> =>
    (await failureOf(work)).message.slice(0, 8);

  before(async () => {
    node = await startFake({ chain });
  });
  after(async () => {
    await node.stop();
    expect(node.errors).to.deep.equal([]);
  });

  it("decode calls, errors and events with stored ABIs, and with no others", async () => {
    const data = coder.encodeFunctionData("pay", [somebody, 7]);
    const event = [paid.topics, paid.data, ""] as const;
    const error = coder.encodeErrorResult("Poor", [3]);
    expect(await keyOf(rpc("ptx_decodeCall", data, ""))).to.equal("PD012227");
    expect(await keyOf(rpc("ptx_decodeEvent", ...event))).to.equal("PD012229");
    expect(await keyOf(rpc("ptx_decodeError", error, ""))).to.equal("PD012221");
    await rpc("ptx_storeABI", abi);
    expect(await rpc("ptx_decodeCall", data, "address=checksum")).to.deep.equal(
      {
        data: { to: somebody, amount: "7" },
        definition: abi[1],
        signature: "pay(address,uint256)",
      },
    );
    expect(await rpc("ptx_decodeEvent", ...event)).to.deep.equal({
      data: {
        from: somebody.toLowerCase(),
        memo: id("rent"),
        amount: "5",
        3: "0x00ff",
      },
      definition: abi[0],
      signature:
        "event Paid(address indexed from, string indexed memo, uint256 amount, bytes)",
    });
    expect(
      await rpc("ptx_decodeError", error, "number=json-number"),
    ).to.include({ signature: "Poor(uint8)", summary: 'Poor("3")' });
    expect(await keyOf(rpc("ptx_decodeCall", "0x00", ""))).to.equal("PD012226");
    expect(await keyOf(rpc("ptx_decodeEvent", [], "0x", ""))).to.equal(
      "PD012228",
    );
  });

  it("decode with every form of an event, however many ABIs have one of them", async () => {
    const inputs = (isIndexed: boolean, index: number): readonly object[] => [
      { name: `a${index}`, type: "address", indexed: true },
      { name: "b", type: "uint256", indexed: isIndexed },
    ];
    const entry = (isIndexed: boolean, index: number): object => ({
      type: "event",
      name: "Moved",
      inputs: inputs(isIndexed, index),
    });
    await rpc(
      "ptx_storeABI",
      Array.from({ length: 100 }, (_, index) => entry(false, index)),
    );
    await rpc("ptx_storeABI", [entry(true, 0)]);
    const [topic, address, number] = [
      id("Moved(address,uint256)"),
      `0x${"00".repeat(12)}${somebody.slice(2).toLowerCase()}`,
      `0x${"5".padStart(64, "0")}`,
    ];
    const plain = await rpc("ptx_decodeEvent", [topic, address], number, "");
    expect(plain).to.have.deep.property("data", {
      a0: somebody.toLowerCase(),
      b: "5",
    });
    const indexed = await rpc(
      "ptx_decodeEvent",
      [topic, address, number],
      "0x",
      "",
    );
    expect(indexed).to.have.deep.property("data", {
      a0: somebody.toLowerCase(),
      b: "5",
    });
  });

  it("know plain errors without an ABI", async () => {
    const plain = new Interface(["error Error(string message)"]);
    const data = plain.encodeErrorResult("Error", ["no funds"]);
    expect(await rpc("ptx_decodeError", data, null)).to.deep.include({
      data: { message: "no funds" },
      summary: "no funds",
    });
  });

  it("find ABIs", async () => {
    const stored = await rpc<string>("ptx_storeABI", abi);
    const found = await rpc<object[]>("ptx_queryStoredABIs", {
      limit: 5,
      eq: [{ field: "hash", value: stored }],
    });
    expect(found).to.deep.equal([{ hash: stored, abi }]);
    const nothing = `0x${"00".repeat(32)}`;
    expect(await rpc("ptx_getStoredABI", nothing)).to.equal(null);
  });

  it("tell the events of a transaction of the base ledger", async () => {
    const events = await rpc<object[]>("bidx_getTransactionEventsByHash", hash);
    expect(events).to.have.length(2);
    expect(events[0]).to.deep.equal({
      blockNumber: 1,
      transactionIndex: 2,
      logIndex: 3,
      transactionHash: hash,
      signature: paid.topics[0],
    });
    const decoded = await rpc<object[]>(
      "bidx_decodeTransactionEvents",
      hash,
      abi,
      "",
    );
    expect(decoded[0]).to.deep.include({
      address: somebody.toLowerCase(),
      data: {
        from: somebody.toLowerCase(),
        memo: id("rent"),
        amount: "5",
        3: "0x00ff",
      },
    });
    expect(decoded[1]).to.include({ soliditySignature: "", data: null });
    // Neither is there what the node has not seen yet.
    for (const unknown of [`0x${"88".repeat(32)}`, `0x${"99".repeat(32)}`]) {
      expect(
        await rpc("bidx_getTransactionEventsByHash", unknown),
      ).to.deep.equal([]);
      expect(
        await keyOf(rpc("bidx_decodeTransactionEvents", unknown, abi, "")),
      ).to.equal("PD011305");
    }
  });

  it("say that the chain cannot be reached, and not where it is", async () => {
    const asked = `0x${"66".repeat(32)}`;
    const { message } = await failureOf(
      rpc("bidx_getTransactionEventsByHash", asked),
    );
    expect(message).to.equal("PD099011: The chain cannot be reached");
  });

  it("resolve verifiers", async () => {
    const resolve = async (lookup: string, type: string): Promise<string> =>
      await rpc<string>("ptx_resolveVerifier", lookup, "ecdsa:secp256k1", type);
    const identity = { name: "alice", node: node.node.name };
    const publicKey = (await node.node.publicKeyOf(identity)) ?? "";
    const address = computeAddress(publicKey);
    const key = publicKey.slice(4);
    expect(await resolve("alice", "eth_address")).to.equal(
      address.toLowerCase(),
    );
    expect(await resolve("alice@node1", "eth_address_checksum")).to.equal(
      address,
    );
    expect(await resolve("alice", "hex_ecdsa_pubkey_uncompressed")).to.equal(
      key,
    );
    expect(await resolve("alice", "hex_ecdsa_pubkey_uncompressed_0x")).to.equal(
      `0x${key}`,
    );
    const nobody = resolve(`eth_address:${address}`, "eth_address");
    expect(await keyOf(nobody)).to.equal("PD099008");
    const stranger = resolve("alice@node2", "eth_address");
    expect(await keyOf(stranger)).to.equal("PD099002");
    expect(await keyOf(resolve("alice", "dna"))).to.equal("PD099003");
    expect(await keyOf(resolve("-a", "eth_address"))).to.equal("PD020006");
  });
});
