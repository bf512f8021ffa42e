import { expect } from "chai";
import { computeAddress } from "ethers";

import {
  failureOf,
  type RpcFailure,
  SocketClient,
} from "../../helpers/rpc/client.ts";
import { RealNodes } from "../../helpers/rpc/real-nodes.ts";
import { aTill } from "../../helpers/till.ts";
import { keyOf } from "../../helpers/cluster.ts";

interface Receipt {
  readonly id: string;
  readonly sequence: number;
  readonly success?: true;
  readonly transactionHash?: string;
  readonly blockNumber?: number;
  readonly contractAddress?: string;
  readonly failureMessage?: string;
  readonly revertData?: string;
  readonly public: readonly PublicTransaction[];
}

interface PublicTransaction {
  readonly from: string;
  readonly to?: string;
  readonly nonce: string;
  readonly transactionHash: string;
  readonly gas: string;
  readonly value: string;
  readonly success?: boolean;
}

describe("public transactions over RPC", function () {
  this.timeout(60_000);
  const { abi, bytecode, coder } = aTill();
  const payer = computeAddress(keyOf("alice")).toLowerCase();
  let nodes: RealNodes;
  let till: string;

  const rpc = async <Result>(
    method: string,
    ...params: readonly unknown[]
  ): Promise<Result> => await nodes.ask<Result>("alice", method, ...params);
  const invoke = (fields: object = {}): object => ({
    type: "public",
    from: "ann",
    to: till,
    abi,
    function: "add",
    data: { amount: 3, memo: "rent" },
    ...fields,
  });
  const send = async (fields: object = {}): Promise<string> =>
    await rpc<string>("ptx_sendTransaction", invoke(fields));
  const refusal = async (fields: object): Promise<RpcFailure> =>
    await failureOf(send(fields));
  const keyOfRefusal = async (fields: object): Promise<string> =>
    (await refusal(fields)).message.slice(0, 8);
  const receiptOf = async (id: string): Promise<Receipt> =>
    await nodes.receipt<Receipt>("alice", id);
  const total = async (): Promise<unknown> =>
    await rpc("ptx_call", { type: "public", to: till, abi, function: "total" });
  const deploy = (fields: object = {}): object => ({
    type: "public",
    from: "ann",
    abi,
    bytecode,
    data: [5],
    ...fields,
  });
  const query = async (
    method: string,
    field: string,
    value: string,
  ): Promise<readonly string[]> =>
    (
      await rpc<{ id: string }[]>(method, {
        limit: 100,
        equal: [{ field, value }],
      })
    ).map(({ id }) => id);

  before(async () => {
    nodes = await RealNodes.start(["alice", "bob"]);
    const id = await rpc<string>("ptx_sendTransaction", deploy());
    const receipt = await receiptOf(id);
    till = receipt.contractAddress ?? "";
  });
  after(async () => {
    await nodes.stop();
    expect(nodes.errors).to.deep.equal([]);
  });

  it("deploy a contract, call it, and tell its events", async () => {
    const id = await rpc<string>("ptx_sendTransaction", deploy({ data: [40] }));
    expect(await rpc("ptx_getTransaction", id)).to.deep.include({
      id,
      type: "public",
      submitMode: "auto",
      function: "constructor(uint256)",
      from: "ann",
      data: { first: "40" },
    });
    const created = await receiptOf(id);
    expect(created).to.include({ id, success: true });
    expect(created).to.not.have.property("failureMessage");
    expect(created).to.not.have.property("states");
    const to = created.contractAddress;
    expect(to).to.match(/^0x[0-9a-f]{40}$/);

    const call = await send({ to, value: "0x5" });
    const { transactionHash, success } = await receiptOf(call);
    expect(success).to.equal(true);
    expect(await rpc("ptx_getTransaction", call)).to.deep.include({
      function: "add(uint256,string)",
      to,
      data: { amount: "3", memo: "rent" },
    });
    expect(
      await rpc("ptx_call", { ...invoke({ to, function: "total" }), data: [] }),
    ).to.deep.equal({ "0": "43" });
    const ann = await rpc<string>(
      "ptx_resolveVerifier",
      "ann",
      "ecdsa:secp256k1",
      "eth_address",
    );
    expect(
      await rpc("bidx_decodeTransactionEvents", transactionHash, abi, ""),
    ).to.have.deep.nested.property("[0].data", {
      by: ann,
      amount: "3",
      memo: "rent",
    });
    const asked = { ...invoke({ to, function: "whoAsks" }), data: [] };
    expect(await rpc("ptx_call", asked)).to.deep.equal({
      asks: ann,
      balance: "5",
    });
    const somebody = `eth_address:0x${"ab".repeat(20)}`;
    expect(
      await rpc("ptx_call", {
        ...asked,
        from: somebody,
        dataFormat: "mode=array",
      }),
    ).to.deep.equal([`0x${"ab".repeat(20)}`, "5"]);
  });

  it("tell what they are on the base ledger", async () => {
    const id = await send({ value: 2 });
    const receipt = await receiptOf(id);
    const { blockNumber = 0, transactionHash } = receipt;
    const [sent] = receipt.public;
    expect(sent).to.deep.include({
      to: till,
      value: "0x2",
      transactionHash,
      dispatcher: "alice",
      success: true,
    });
    const mined = await nodes.client.request("eth_getTransactionByHash", [
      transactionHash,
    ]);
    expect(mined).to.include({
      from: sent?.from,
      nonce: sent?.nonce,
      gas: sent?.gas,
      blockNumber: `0x${blockNumber.toString(16)}`,
    });
    const full = await rpc<{ public: unknown }>("ptx_getTransactionFull", id);
    expect(full.public).to.deep.equal(receipt.public);
    expect(await query("ptx_queryTransactions", "type", "public")).to.include(
      id,
    );
    expect(
      await query(
        "ptx_queryTransactionReceipts",
        "transactionHash",
        transactionHash ?? "",
      ),
    ).to.deep.equal([id]);
  });

  it("are refused when they would revert, in the words of the contract", async () => {
    const take = { function: "take", data: [1_000] };
    const { message, code } = await refusal(take);
    expect(message).to.match(
      /^PD012216: Transaction reverted TooMuch\("\d+","1000"\)$/,
    );
    expect(code).to.equal(-32603);
    const { message: plain } = await refusal({ function: "refuse", data: [] });
    expect(plain).to.equal("PD012216: Transaction reverted never");
    const unknown = abi.filter(({ type }) => type !== "error");
    const asked = { ...take, abi: unknown, to: till };
    // Another transaction has stored the error since.
    expect(await keyOfRefusal(asked)).to.equal("PD012216");
    const deployment = failureOf(
      rpc("ptx_sendTransaction", deploy({ data: [666] })),
    );
    expect((await deployment).message).to.match(/TooMuch\("0","666"\)$/);
    const question = failureOf(rpc("ptx_call", invoke(take)));
    expect((await question).message).to.match(/^PD012216: .*TooMuch/);
  });

  it("fail with a receipt when they revert on the chain", async () => {
    // Who says how much gas it takes is believed.
    const id = await send({ function: "take", data: [999], gas: 100_000 });
    const receipt = await receiptOf(id);
    expect(receipt).to.not.have.property("success");
    expect(receipt.failureMessage).to.match(
      /^PD012216: Transaction reverted TooMuch\("\d+","999"\)$/,
    );
    expect(receipt.revertData?.slice(0, 10)).to.equal(
      coder.getError("TooMuch")?.selector,
    );
    expect(receipt.blockNumber).to.be.greaterThan(0);
    expect(receipt.public[0]).to.include({ success: false, gas: "0x186a0" });
    expect(receipt.public[0]).to.have.property(
      "revertData",
      receipt.revertData,
    );
  });

  it("are signed by an address of the node if the user wants", async () => {
    const id = await send({ from: `eth_address:${payer}` });
    const receipt = await receiptOf(id);
    expect(receipt.public[0]?.from).to.equal(payer);
    const stranger = `eth_address:0x${"12".repeat(20)}`;
    expect(await keyOfRefusal({ from: stranger })).to.equal("PD099008");
    expect(await keyOfRefusal({ from: "ann@bob" })).to.equal("PD012230");
  });

  it("offer what the user wants to pay", async () => {
    const fees = { maxFeePerGas: "0xba43b7400", maxPriorityFeePerGas: 7 };
    const { transactionHash } = await receiptOf(await send(fees));
    const mined = await nodes.client.request("eth_getTransactionByHash", [
      transactionHash,
    ]);
    expect(mined).to.include({
      maxFeePerGas: "0xba43b7400",
      maxPriorityFeePerGas: "0x7",
    });
    // More than the chain takes is told at once, and not after a rejection.
    expect(await keyOfRefusal({ gas: 16_777_217 })).to.equal("PD099012");
    const upsideDown = { maxFeePerGas: 1, maxPriorityFeePerGas: 2 };
    expect(await keyOfRefusal(upsideDown)).to.equal("PD099012");
  });

  it("are refused when they make no sense", async () => {
    const key = async (input: object): Promise<string> =>
      (await failureOf(rpc("ptx_sendTransaction", input))).message.slice(0, 8);
    expect(await key(invoke({ bytecode }))).to.equal("PD012207");
    expect(await key(deploy({ bytecode: undefined }))).to.equal("PD012210");
    expect(await key(deploy({ bytecode: "0x" }))).to.equal("PD012210");
    expect(await key(deploy({ function: "add" }))).to.equal("PD012204");
    expect(await key(deploy({ abi: undefined }))).to.equal("PD012208");
    expect(await key(deploy({ data: [] }))).to.equal("PD012208");
    expect(await key(invoke({ function: "nothing" }))).to.equal("PD012206");
    expect(await key(invoke({ function: "" }))).to.equal("PD012205");
    expect(await key(invoke({ abi: undefined }))).to.equal("PD012218");
    expect(await key(invoke({ data: { amount: 1 } }))).to.equal("PD012208");
    const id = "00000000-0000-4000-8000-000000000000";
    expect(await key(invoke({ dependsOn: [id] }))).to.equal("PD099003");
    const long = "00".repeat(140_000);
    expect(await key(deploy({ bytecode: bytecode + long }))).to.equal(
      "PD012208",
    );
    for (const value of [-1, 1.5, "1e3", "0x", "", 2 ** 53, "9".repeat(79), {}])
      expect(await key(invoke({ value })), JSON.stringify(value)).to.equal(
        "PD020704",
      );
    const tooMuch = invoke({ value: `0x${"f".repeat(64)}` });
    expect(await key(tooMuch)).to.equal("PD099015");
    expect(await key(invoke({ value: "9".repeat(78) }))).to.equal("PD099012");
  });

  it("need no ABI to create what has no constructor", async () => {
    const id = await rpc<string>("ptx_sendTransaction", {
      type: "public",
      from: "ann",
      // It gives back nothing.
      bytecode: "0x60006000f3",
    });
    expect(await receiptOf(id)).to.include({ success: true });
    expect(await rpc("ptx_getTransaction", id)).to.include({
      function: "constructor()",
    });
  });

  it("answer questions about the past, and say when nobody is there", async () => {
    const { blockNumber = 0 } = await receiptOf(await send());
    const now = (await total()) as { "0": string };
    const question = { ...invoke({ function: "total" }), data: null };
    expect(
      await rpc("ptx_call", { ...question, block: blockNumber - 1 }),
    ).to.deep.equal({ "0": String(Number(now["0"]) - 3) });
    expect(
      await rpc("ptx_call", { ...question, block: "latest" }),
    ).to.deep.equal(now);
    const nobody = `0x${"34".repeat(20)}`;
    const failure = await failureOf(
      rpc("ptx_call", { ...question, to: nobody }),
    );
    expect(failure.message).to.match(/^PD099010: .*there is no contract/);
    const future = failureOf(
      rpc("ptx_call", { ...question, block: 1_000_000 }),
    );
    expect((await future).message).to.match(/^PD099011: The chain refuses/);
  });

  it("come to listeners that want public ones", async () => {
    const name = "public-only";
    const listener = { name, filters: { type: "public" }, options: {} };
    await rpc("ptx_createReceiptListener", listener);
    const socket = await SocketClient.open(nodes.urlsOf("alice").webSocketUrl);
    const subscription = await socket.call<string>(
      "ptx_subscribe",
      "receipts",
      name,
    );
    const id = await send();
    for (;;) {
      const { params } = await socket.notification();
      const receipt = params.result.receipts.find((one) => one.id === id);
      socket.send("ptx_ack", subscription);
      if (receipt === undefined) continue;
      expect(receipt).to.deep.equal(await receiptOf(id));
      break;
    }
    await socket.close();
  });

  it("take an idempotency key once, also in a race", async () => {
    const idempotencyKey = "pay once";
    const before = Number(((await total()) as { "0": string })["0"]);
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, async () => await send({ idempotencyKey })),
    );
    const taken = results.flatMap((result) =>
      result.status === "fulfilled" ? [result.value] : [],
    );
    expect(taken).to.have.lengthOf(1);
    await receiptOf(taken[0] ?? "");
    expect(await total()).to.deep.equal({ "0": String(before + 3) });
    expect((await refusal({ idempotencyKey })).code).to.equal(-32001);
  });
});
