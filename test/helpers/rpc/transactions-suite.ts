import { expect } from "chai";

import { call, failureOf, post } from "./client.ts";
import type { RpcFactory, RpcFixture } from "./fixture.ts";
import { toyAbi } from "./toy-domain.ts";

interface Receipt {
  readonly success?: true;
  readonly sequence: number;
  readonly failureMessage?: string;
  readonly blockNumber?: number;
  readonly source?: string;
  readonly states: {
    readonly spent?: readonly unknown[];
    readonly confirmed?: readonly { readonly data: unknown }[];
  };
  readonly domainReceipt?: unknown;
}

/** What every node does with transactions of its users. */
export function transactionsSuite(name: string, start: RpcFactory): void {
  describe(`transactions over RPC, ${name}`, () => {
    let node: RpcFixture;
    const rpc = async <Result>(
      method: string,
      ...params: readonly unknown[]
    ): Promise<Result> => await call<Result>(node.httpUrl, method, ...params);
    const mint = (fields: object = {}): object => ({
      type: "private",
      from: "alice",
      to: node.group,
      abi: toyAbi,
      function: "mint",
      data: { to: "alice", amount: 5 },
      ...fields,
    });
    const send = async (fields: object = {}): Promise<string> =>
      await rpc<string>("ptx_sendTransaction", mint(fields));
    const errorOf = async (fields: object): Promise<string> =>
      (await failureOf(send(fields))).message;

    before(async () => {
      node = await start();
    });
    after(async () => {
      await node.stop();
    });

    it("gives an id, then a receipt with what it did", async () => {
      const id = await send({ data: { to: "zoe", amount: "0x10" } });
      expect(await rpc("ptx_getTransactionReceipt", id)).to.equal(null);
      const sent = await rpc<object>("ptx_getTransaction", id);
      expect(sent).to.deep.include({
        id,
        type: "private",
        submitMode: "auto",
        domain: "toy",
        function: "mint(string,uint256)",
        from: "alice",
        to: node.group,
        data: { to: "zoe", amount: "16" },
      });
      await node.settle();
      const receipt = await rpc<Receipt>("ptx_getTransactionReceiptFull", id);
      expect(receipt).to.deep.include({ success: true, source: node.group });
      expect(receipt).to.not.have.property("failureMessage");
      expect(receipt.states.confirmed?.[0]?.data).to.equal("16");
      expect(receipt.domainReceipt).to.deep.equal({ balances: ["16"] });
      expect(await rpc("ptx_getStateReceipt", id)).to.deep.equal(
        receipt.states,
      );
      expect(await rpc("ptx_getDomainReceipt", "toy", id)).to.deep.equal(
        receipt.domainReceipt,
      );
      const full = await rpc<object>("ptx_getTransactionFull", id);
      expect(full).to.have.nested.property("receipt.success", true);
    });

    it("says why a transaction failed", async () => {
      const id = await send({
        function: "transfer",
        from: "poor",
        data: ["alice", "7"],
      });
      await node.settle();
      const receipt = await rpc<Receipt>("ptx_getTransactionReceipt", id);
      expect(receipt).to.not.have.property("success");
      expect(receipt.failureMessage).to.equal("poor has only 0");
    });

    it("numbers receipts in the order of their commits", async () => {
      const ids = await rpc<string[]>("ptx_sendTransactions", [
        mint(),
        mint(),
        mint(),
      ]);
      await node.settle();
      const sequences = await Promise.all(
        ids.map(
          async (id) =>
            (await rpc<Receipt>("ptx_getTransactionReceipt", id)).sequence,
        ),
      );
      const first = sequences[0] ?? 0;
      expect(sequences).to.deep.equal([first, first + 1, first + 2]);
    });

    it("answers questions with named outputs, in the form that is asked for", async () => {
      await send({ data: { to: "rich", amount: "1000000000000000000000" } });
      await node.settle();
      const ask = async (dataFormat: string): Promise<unknown> =>
        await rpc("ptx_call", {
          ...mint({ function: "balanceOf", data: ["rich"] }),
          domain: "toy",
          dataFormat,
        });
      expect(await ask("")).to.deep.equal({
        balance: "1000000000000000000000",
        1: true,
      });
      expect(await ask("mode=array&number=hex")).to.deep.equal([
        "0x3635c9adc5dea00000",
        true,
      ]);
      expect((await failureOf(ask("colour=red"))).message).to.match(/PD099006/);
    });

    it("takes data by name, by position, encoded or not at all", async () => {
      const zero = `0x${"00".repeat(20)}`;
      const entry = { text: "é", numbers: [-128, "127", "-0x1"], 2: zero };
      const normal = {
        entry: { text: "é", numbers: ["-128", "127", "-1"], 2: zero },
        data: "0xabcd",
      };
      const forms = [
        { entry, data: "ABcd" },
        [["é", [-128, 127, "-1"], zero], "0xabcd"],
      ];
      for (const data of forms) {
        const id = await send({ function: "note", data });
        const kept = await rpc<object>("ptx_getTransaction", id);
        expect(kept).to.have.deep.property("data", normal);
      }
      const selector = "0x" + "00".repeat(4);
      expect(await errorOf({ function: "note", data: selector })).to.match(
        /^PD012208: .*selector/,
      );
      expect(await errorOf({ data: null })).to.match(/^PD012208/);
    });

    it("refuses data that does not fit", async () => {
      const bad = [
        { to: "alice" },
        { to: "alice", amount: -1 },
        { to: "alice", amount: 1.5 },
        { to: "alice", amount: "1e3" },
        { to: "alice", amount: `0x1${"0".repeat(64)}` },
        { to: 5, amount: 1 },
        ["alice"],
        ["alice", 1, 2],
        "0xzz",
        "0x00",
        true,
      ];
      for (const data of bad)
        expect(await errorOf({ data }), JSON.stringify(data)).to.match(
          /^PD012208/,
        );
    });

    it("refuses unknown and missing arguments with the names that there are", async () => {
      const entry = { text: "", numbers: [], 2: `0x${"00".repeat(20)}` };
      const refusals = [
        [
          { to: "alice", amount: 1, memo: "" },
          "memo is unknown; the names are to, amount",
        ],
        [
          { to: "alice", amout: 1 },
          "amout is unknown; the names are to, amount; amount is missing",
        ],
        [{}, "to is missing; amount is missing"],
        [["alice"], "amount is missing"],
        [["alice", 1, 2], "the list has 3 values; the names are to, amount"],
      ] as const;
      for (const [data, problem] of refusals) {
        const error = await errorOf({ function: "mint", data });
        expect(error).to.match(/^PD012208: /);
        expect(error).to.include("mint(string to, uint256 amount)");
        expect(error).to.include(problem);
      }
      const inside = { entry: { ...entry, colour: "red" }, data: "0x" };
      expect(await errorOf({ function: "note", data: inside })).to.include(
        "entry.colour is unknown; the names are text, numbers, 2",
      );
      const many = Object.fromEntries(
        Array.from({ length: 5_000 }, (_, index) => [`a${index}`, 1]),
      );
      expect(await errorOf({ function: "mint", data: many })).to.include(
        "and perhaps more",
      );
    });

    it("reads arguments by the names of the domain, whatever the user's ABI calls them", async () => {
      const named = (name: string, type: string): object => ({ name, type });
      const abi = [
        {
          type: "function",
          name: "mint",
          inputs: [named("payee", "string"), named("value", "uint256")],
        },
      ];
      const id = await send({ abi, function: "mint", data: ["alice", 1] });
      expect(await rpc("ptx_getTransaction", id)).to.deep.include({
        data: { to: "alice", amount: "1" },
      });
      expect(
        await errorOf({
          abi,
          function: "mint",
          data: { payee: "a", value: 1 },
        }),
      ).to.include("payee is unknown; the names are to, amount");
    });

    it("lists the functions that there are", async () => {
      const list = "mint(string to, uint256 amount)";
      expect(await errorOf({ function: "burn" })).to.include(list);
      const abi = [{ type: "function", name: "burn", inputs: [] }];
      expect(await errorOf({ abi, function: "burn" })).to.match(
        /^PD012206: toy has no function 'burn\(\)'.*mint\(string to, /,
      );
    });

    it("finds the function that is meant, or says why not", async () => {
      for (const asked of ["mint", "mint(string, uint256)", "0x056b01ce"]) {
        const id = await send({ function: asked });
        const sent = await rpc<object>("ptx_getTransaction", id);
        expect(sent).to.have.property("function", "mint(string,uint256)");
      }
      const key = async (fields: object): Promise<string> =>
        (await errorOf(fields)).slice(0, 8);
      expect(await key({ function: "0x056b01cf" })).to.equal("PD012206");
      expect(await key({ function: "burn" })).to.equal("PD012206");
      expect(await key({ function: "" })).to.equal("PD012205");
      expect(await key({ abi: undefined })).to.equal("PD012218");
      expect(await key({ abi: [{ type: "function" }] })).to.equal("PD012201");
      const same = { name: "same", type: "bool" };
      const twins = { type: "function", name: "f", inputs: [same, same] };
      expect(await key({ abi: [twins] })).to.equal("PD012201");
      const abiReference = `0x${"11".repeat(32)}`;
      expect(await key({ abiReference })).to.equal("PD012202");
      expect(await key({ abi: undefined, abiReference })).to.equal("PD012203");
      expect(await key({ bytecode: "0x00" })).to.equal("PD012207");
      expect(await key({ domain: "noto" })).to.equal("PD012231");
      expect(await key({ to: `0x${"11".repeat(20)}` })).to.equal("PD011609");
      expect(await key({ to: undefined })).to.equal("PD012204");
      expect(await key({ from: "alice@elsewhere" })).to.equal("PD012230");
      expect(await key({ type: "public" })).to.equal("PD099003");
      expect(await key({ data: ["a", "0"] })).to.equal("PD099001");
    });

    it("takes a stored ABI by its reference", async () => {
      const abiReference = await rpc<string>("ptx_storeABI", toyAbi);
      const again = await rpc<string>("ptx_storeABI", [...toyAbi].reverse());
      expect(again).to.equal(abiReference);
      const id = await send({ abi: undefined, abiReference });
      const sent = await rpc<object>("ptx_getTransaction", id);
      expect(sent).to.include({ abiReference });
      const stored = await rpc<object>("ptx_getStoredABI", abiReference);
      expect(stored).to.have.property("hash", abiReference);
    });

    it("refuses an idempotency key for the second time, also in a race", async () => {
      const idempotencyKey = "only once";
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, async () => await send({ idempotencyKey })),
      );
      const taken = results.filter(({ status }) => status === "fulfilled");
      expect(taken).to.have.length(1);
      const failure = await failureOf(send({ idempotencyKey }));
      expect(failure.code).to.equal(-32001);
      expect(failure.message).to.match(/^PD012220: /);
      const found = await rpc<object>(
        "ptx_getTransactionByIdempotencyKey",
        idempotencyKey,
      );
      expect(found).to.include({ idempotencyKey });
      const both = [
        mint({ idempotencyKey: "k" }),
        mint({ idempotencyKey: "k" }),
      ];
      const clash = await failureOf(rpc("ptx_sendTransactions", both));
      expect(clash.code).to.equal(-32001);
      await send({ idempotencyKey: "k" });
    });

    it("waits for what a transaction depends on, if it is of the same group", async () => {
      const first = await send();
      const second = await send({ dependsOn: [first] });
      const full = await rpc<object>("ptx_getTransactionFull", second);
      expect(full).to.deep.include({ dependsOn: [first] });
      const nobody = "00000000-0000-4000-8000-000000000000";
      expect(await errorOf({ dependsOn: [nobody] })).to.match(/^PD012254/);
    });

    it("finds transactions and receipts", async () => {
      await node.settle();
      const id = await send({ from: "finder" });
      const find = async (method: string, query: object): Promise<string[]> =>
        (
          await rpc<{ id: string }[]>(
            method,
            { limit: 10, ...query },
            ...(method === "ptx_queryPendingTransactions" ? [null] : []),
          )
        ).map((found) => found.id);
      const from = (value: string) => [{ field: "from", value }];
      const cases: readonly [object, boolean][] = [
        [{ equal: from("finder") }, true],
        [{ eq: from("FINDER") }, false],
        [{ eq: [{ ...from("FINDER")[0], caseInsensitive: true }] }, true],
        [{ like: from("f_nd%") }, true],
        [{ like: from("F%") }, false],
        [{ neq: from("finder") }, false],
        [{ eq: [{ ...from("finder")[0], not: true }] }, false],
        [{ in: [{ field: "id", values: [id.toUpperCase()] }] }, true],
        [{ nin: [{ field: "id", values: [id] }] }, false],
        [{ null: [{ field: "idempotencyKey" }] }, true],
        [{ or: [{ eq: from("x") }, { eq: from("finder") }] }, true],
        [{ gt: [{ field: "created", value: "2000-01-01T00:00:00Z" }] }, true],
        [{ sort: ["-created", "from desc"] }, true],
      ];
      for (const [query, isFound] of cases)
        for (const method of [
          "ptx_queryTransactions",
          "ptx_queryTransactionsFull",
          "ptx_queryPendingTransactions",
        ])
          expect(
            (await find(method, query)).includes(id),
            `${method} ${JSON.stringify(query)}`,
          ).to.equal(isFound);
      await node.settle();
      expect(await find("ptx_queryPendingTransactions", {})).to.deep.equal([]);
      const receipts = await find("ptx_queryTransactionReceipts", {
        eq: [{ field: "success", value: true }],
        limit: 1,
      });
      expect(receipts).to.deep.equal([id]);
    });

    it("refuses queries that make no sense", async () => {
      const keyOf = async (query: object): Promise<string> =>
        (await failureOf(rpc("ptx_queryTransactions", query))).message;
      expect(await keyOf({})).to.match(/^PD010721: /);
      expect(await keyOf({ limit: 0 })).to.match(/^PD010721: /);
      for (const field of ["number", "data", "__proto__", "1=1; --"])
        expect(
          await keyOf({ limit: 1, eq: [{ field, value: 1 }] }),
          field,
        ).to.match(/^PD010700: There is no field/);
      expect(await keyOf({ limit: 1, sort: ["from; DROP"] })).to.match(
        /no field/,
      );
    });

    it("refuses to prepare what nobody would stop", async () => {
      const refusal = await failureOf(rpc("ptx_prepareTransaction", mint()));
      expect(refusal.message).to.match(/^PD099002: Preparing/);
      const id = await send();
      expect(await rpc("ptx_getPreparedTransaction", id)).to.equal(null);
    });

    it("knows nothing of what was never sent", async () => {
      const nobody = "00000000-0000-4000-8000-000000000000";
      for (const method of [
        "ptx_getTransaction",
        "ptx_getTransactionFull",
        "ptx_getTransactionReceipt",
        "ptx_getTransactionReceiptFull",
        "ptx_getPreparedTransaction",
      ])
        expect(await rpc(method, nobody), method).to.equal(null);
      expect(await rpc("ptx_getStateReceipt", nobody)).to.deep.equal({
        none: true,
      });
    });

    it("says what a transaction waits for, and takes it up again", async () => {
      const id = await send();
      expect(await rpc("sequencer_explain", id)).to.be.a("string");
      expect(await rpc("sequencer_resume", id)).to.be.a("boolean");
      await node.settle();
      expect(await rpc("sequencer_explain", id)).to.equal(null);
      expect(await rpc("sequencer_resume", id)).to.equal(false);
      const status = await rpc<{ height: number }>("sequencer_status");
      expect(await rpc("bidx_getConfirmedBlockHeight")).to.equal(
        `0x${status.height.toString(16)}`,
      );
    });

    it("answers a batch in its order", async () => {
      const answers = await post(node.httpUrl, [
        { jsonrpc: "2.0", id: "a", method: "sequencer_status", params: [] },
        { jsonrpc: "2.0", id: { b: 1 }, method: "nothing", params: [] },
        5,
      ]);
      expect(answers).to.have.length(3);
      expect(answers).to.have.nested.property("[0].id", "a");
      expect(answers).to.have.nested.property("[1].error.code", -32600);
      expect(answers).to.have.deep.nested.property("[1].id", { b: 1 });
      expect(answers).to.have.nested.property("[2].error.code", -32600);
    });

    it("reported nothing that was its own fault", () => {
      expect(node.errors).to.deep.equal([]);
    });
  });
}
