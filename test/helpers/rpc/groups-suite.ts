import { expect } from "chai";

import { call, failureOf } from "./client.ts";
import type { RpcFactory, RpcFixture } from "./fixture.ts";
import { toyAbi } from "./toy-domain.ts";

interface Group {
  readonly id: string;
  readonly genesisTransaction: string;
  readonly contractAddress: string | null;
}

/** What every node does with groups of its users. */
export function groupsSuite(name: string, start: RpcFactory): void {
  describe(`groups over RPC, ${name}`, () => {
    let node: RpcFixture;
    const rpc = async <Result>(
      method: string,
      ...params: readonly unknown[]
    ): Promise<Result> => await call<Result>(node.httpUrl, method, ...params);
    const input = {
      domain: "toy",
      name: "ours",
      members: ["me@node1"],
      properties: { team: "a" },
      configuration: { colour: "red" },
    };
    const create = async (fields: object = {}): Promise<Group> =>
      await rpc<Group>("pgroup_createGroup", { ...input, ...fields });
    const read = async (id: string): Promise<Group> =>
      await rpc<Group>("pgroup_getGroupById", "toy", id);
    const entry = (label: string): object =>
      toyAbi.find((item) => item["name"] === label) ?? {};

    beforeEach(async () => {
      node = await start();
    });
    afterEach(async () => {
      await node.stop();
      expect(node.errors).to.deep.equal([]);
    });

    it("answers at once, and has an address later", async () => {
      const group = await create();
      expect(group).to.deep.include({ ...input, contractAddress: null });
      expect(await read(group.id)).to.deep.equal(group);
      const { genesisTransaction } = group;
      expect(
        await rpc("ptx_getTransactionReceipt", genesisTransaction),
      ).to.equal(null);
      await node.settle();
      const created = await read(group.id);
      const { contractAddress } = created;
      expect(contractAddress).to.match(/^0x[\da-f]{40}$/);
      const receipt = await rpc(
        "ptx_getTransactionReceiptFull",
        genesisTransaction,
      );
      expect(receipt).to.include({ success: true, contractAddress });
      expect(
        await rpc("pgroup_getGroupByAddress", contractAddress),
      ).to.deep.equal(created);
    });

    it("goes on with a group after a restart", async () => {
      const group = await create();
      node = await node.restart();
      expect(await read(group.id)).to.deep.equal(group);
      await node.settle();
      expect((await read(group.id)).contractAddress).to.not.equal(null);
    });

    it("gives different groups different ids, also if they look the same", async () => {
      expect((await create()).id).to.not.equal((await create()).id);
    });

    it("shows groups that were there before", async () => {
      const group = await rpc<Group>("pgroup_getGroupByAddress", node.group);
      expect(group).to.deep.include({ name: "first", domain: "toy" });
      await create();
      const names = async (...params: unknown[]): Promise<string[]> =>
        (
          await rpc<{ name: string }[]>(
            params.length > 1
              ? "pgroup_queryGroupsWithMember"
              : "pgroup_queryGroups",
            ...params,
          )
        ).map((found) => found.name);
      expect(await names({ limit: 5 })).to.have.members(["first", "ours"]);
      expect(await names("me@node1", { limit: 5 })).to.deep.equal(["ours"]);
      expect(
        await names({ limit: 5, null: [{ field: "contractAddress" }] }),
      ).to.deep.equal(["ours"]);
    });

    it("takes transactions and answers calls of the domain", async () => {
      const group = await create();
      await node.settle();
      const at = { domain: "toy", group: group.id, from: "alice" };
      const id = await rpc<string>("pgroup_sendTransaction", {
        ...at,
        function: entry("mint"),
        input: { to: "alice", amount: 3 },
      });
      await node.settle();
      expect(await rpc("ptx_getTransactionReceipt", id)).to.include({
        success: true,
      });
      const balance = await rpc("pgroup_call", {
        ...at,
        function: entry("balanceOf"),
        input: ["alice"],
        dataFormat: "number=hex",
      });
      expect(balance).to.deep.equal({ balance: "0x3", 1: true });
    });

    it("takes the name of a function, and refuses unknown functions and arguments", async () => {
      const group = await create();
      await node.settle();
      const at = { domain: "toy", group: group.id, from: "alice" };
      const input = { to: "alice", amount: 3 };
      for (const asked of ["mint", "mint(string to, uint amount)"])
        await rpc("pgroup_sendTransaction", { ...at, function: asked, input });
      await node.settle();
      const question = { ...at, function: "balanceOf" };
      expect(
        await rpc("pgroup_call", { ...question, input: { account: "alice" } }),
      ).to.deep.equal({ balance: "6", 1: true });
      const transactions = async (): Promise<number> =>
        (await rpc<object[]>("ptx_queryTransactions", { limit: 99 })).length;
      const before = await transactions();
      const errorOf = async (method: string, fields: object): Promise<string> =>
        (await failureOf(rpc(method, { ...at, ...fields }))).message;
      const send = "pgroup_sendTransaction";
      const functions = /^PD012206: .*mint\(string to, uint256 amount\)/;
      expect(await errorOf(send, { function: "burn", input })).to.match(
        functions,
      );
      expect(await errorOf(send, { function: " ", input })).to.match(functions);
      for (const [method, asked] of [
        [send, "mint"],
        [send, entry("mint")],
        ["pgroup_call", "balanceOf"],
        ["pgroup_call", entry("balanceOf")],
      ] as const) {
        const fields = { function: asked, input: { colour: "red" } };
        const error = await errorOf(method, fields);
        expect(error).to.match(/^PD012208: .*colour is unknown; the names are/);
        expect(error).to.match(/(amount|account) is missing/);
      }
      const to = `0x${"33".repeat(20)}`;
      expect(await errorOf(send, { function: "set", to })).to.match(
        /^PD012208/,
      );
      expect(await transactions()).to.equal(before);
    });

    it("tells a group's members, threshold, state and functions", async () => {
      const { address, ...told } = await rpc<{ address: string }>(
        "sequencer_group",
        node.group.toUpperCase().replace("0X", "0x"),
      );
      expect(address).to.equal(node.group);
      expect(told).to.deep.include({
        name: "first",
        domain: "toy",
        members: ["node1"],
        endorsers: ["node1"],
        threshold: 1,
      });
      expect(told).to.have.nested.property("status.address", address);
      const functions = await rpc<readonly { name: string }[]>(
        "sequencer_functions",
        address,
      );
      expect(functions.map(({ name: one }) => one)).to.deep.equal(
        toyAbi.map((item) => item["name"]),
      );
      expect(
        functions.find(({ name: one }) => one === "balanceOf"),
      ).to.deep.include({
        type: "function",
        stateMutability: "view",
        inputs: [{ type: "string", name: "account" }],
      });
      expect(functions.find(({ name: one }) => one === "transfer")).to.include({
        stateMutability: "nonpayable",
      });
      const nowhere = `0x${"55".repeat(20)}`;
      for (const method of ["sequencer_group", "sequencer_functions"])
        expect(await rpc(method, nowhere)).to.equal(null);
    });

    it("wraps what is for contracts inside the group", async () => {
      const group = await create();
      await node.settle();
      const at = { domain: "toy", group: group.id, from: "alice" };
      const number = { name: "n", type: "uint8" };
      const deployed = await rpc<string>("pgroup_sendTransaction", {
        ...at,
        function: { type: "constructor", inputs: [number] },
        bytecode: "0x6000",
        input: { n: 7 },
      });
      expect(await rpc("ptx_getTransaction", deployed)).to.deep.include({
        function: "constructor(uint8)",
        data: { inputs: { n: "7" } },
      });
      const to = `0x${"33".repeat(20)}`;
      const set = { type: "function", name: "set", inputs: [number] };
      const invoked = await rpc<string>("pgroup_sendTransaction", {
        ...at,
        to,
        function: set,
        input: [8],
      });
      expect(await rpc("ptx_getTransaction", invoked)).to.deep.include({
        function: "set(uint8)",
        data: { to, inputs: { n: "8" } },
      });
      const get = { type: "function", name: "get", inputs: [] };
      const outputs = [{ name: "value", type: "uint256" }];
      expect(
        await rpc("pgroup_call", { ...at, to, function: { ...get, outputs } }),
      ).to.deep.equal({ value: "42" });
    });

    it("refuses what makes no sense", async () => {
      const keyOf = async (work: Promise<unknown>): Promise<string> =>
        (await failureOf(work)).message.slice(0, 8);
      expect(await keyOf(create({ members: [] }))).to.equal("PD012501");
      expect(await keyOf(create({ members: ["me"] }))).to.equal("PD020006");
      expect(await keyOf(create({ domain: "nothing" }))).to.equal("PD011600");
      const stranger = create({ members: ["me@node1", "you@nobody"] });
      expect((await failureOf(stranger)).message).to.match(
        /^PD099002: .*"nobody".*It knows: node1/,
      );
      expect(
        await rpc("pgroup_queryGroups", {
          limit: 5,
          null: [{ field: "contractAddress" }],
        }),
      ).to.deep.equal([]);
      expect(await keyOf(create({ configuration: { size: "1" } }))).to.equal(
        "PD099001",
      );
      expect(
        await keyOf(create({ configuration: { threshold: "2" } })),
      ).to.equal("PD099009");
      const transactionOptions = { idempotencyKey: "group" };
      const group = await create({ transactionOptions });
      expect(await keyOf(create({ transactionOptions }))).to.equal("PD012220");
      const send = async (fields: object): Promise<string> =>
        await keyOf(
          rpc("pgroup_sendTransaction", {
            domain: "toy",
            group: group.id,
            from: "alice",
            function: entry("mint"),
            input: ["alice", 1],
            ...fields,
          }),
        );
      expect(await send({})).to.equal("PD012503");
      expect(await send({ group: `0x${"44".repeat(32)}` })).to.equal(
        "PD012502",
      );
      expect(await send({ group: null })).to.equal("PD012504");
      expect(await send({ domain: null })).to.equal("PD012505");
    });
  });
}
