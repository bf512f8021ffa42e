import { expect } from "chai";

import { type Api, createApi } from "../../../src/api/rpc/api.ts";
import { Dispatcher } from "../../../src/api/rpc/dispatcher.ts";
import { ApiGate } from "../../../src/api/rpc/gate.ts";
import { rpcLimits } from "../../../src/api/rpc/limits.ts";
import { methods } from "../../../src/api/rpc/methods.ts";
import { UserBook } from "../../../src/api/book.ts";
import { parseGroupAddress, parseIntentId } from "../../../src/protocol/ids.ts";
import type { NewWork } from "../../../src/node/service.ts";
import { Database } from "../../../src/store/database.ts";
import { openMachineDisk } from "../../../src/store/disk.ts";
import { userTables } from "../../../src/store/user-tables.ts";
import { FakeNode } from "../../helpers/rpc/fake-node.ts";
import { toyDomain } from "../../helpers/rpc/toy-domain.ts";

/** Its commits are on the disk only after a flush, as those of a real node. */
class LateNode extends FakeNode {
  readonly #database: Database;

  constructor(...[options, ports]: ConstructorParameters<typeof FakeNode>) {
    super(options, ports);
    this.#database = ports.database;
  }

  override async submit(_: NewWork, record: () => void): Promise<void> {
    await this.#database.commit(record);
  }
}

/** A node whose disk is as slow as the test wants. */
class SlowNode {
  readonly waiting: (() => void)[] = [];
  readonly database: Database;
  readonly book: UserBook;
  readonly node: FakeNode;
  readonly group: string;
  readonly #api: Api;
  readonly #rpc: Dispatcher;
  isSlow = false;

  constructor() {
    const database = new Database(
      { file: ":memory:" },
      {
        migrations: userTables,
        openDisk: (file) => ({
          ...openMachineDisk(file),
          flush: (done) => {
            if (this.isSlow) this.waiting.push(() => done(null));
            else done(null);
          },
        }),
      },
    );
    const book = new UserBook({ database, now: () => 0 });
    this.database = database;
    this.book = book;
    this.node = new LateNode({ domains: [toyDomain] }, { database, book });
    this.group = this.node.addGroup({
      id: `0x${"ab".repeat(32)}`,
      name: "first",
      domain: "toy",
      members: [this.node.name],
      threshold: 1,
      configuration: {},
    }).address;
    const report = (): void => undefined;
    this.#api = createApi({ service: this.node, book, report });
    const gate = new ApiGate();
    gate.serve(this.#api);
    this.#rpc = new Dispatcher(
      { limits: rpcLimits, methods },
      { gate, report },
    );
  }

  /** Resolves with the answer, or with undefined if there is none before anything else can happen. */
  async ask(method: string, ...params: unknown[]): Promise<unknown> {
    const answer = this.later(method, ...params);
    return await Promise.race([answer, turns()]);
  }

  async later(method: string, ...params: unknown[]): Promise<unknown> {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const reply = await this.#rpc.handle(text, { inFlight: 0 });
    return JSON.parse(reply.text ?? "null");
  }

  /** An intent ends in a commit that is not on the disk yet. */
  settle(id: string): void {
    const transaction = this.book.transactions.byId(id);
    const group = parseGroupAddress(transaction?.group);
    const intentId = parseIntentId(transaction?.intentId);
    if (group === undefined || intentId === undefined)
      throw new Error(`${id} is not a transaction of a group.`);
    const outcome = { type: "Reverted", reason: "too late" } as const;
    this.database.write(() => {
      this.book.settle({ group, intentId, outcome });
    });
  }

  flush(): void {
    for (const done of this.waiting.splice(0)) done();
  }
}

/** The event loop has been around a few times. */
async function turns(): Promise<undefined> {
  for (let i = 0; i < 20; i++)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  return undefined;
}

describe("answers of a node whose disk is slow", () => {
  const transaction = (slow: SlowNode): object => ({
    type: "private",
    from: "ann",
    to: slow.group,
    abi: toyDomain.abi,
    function: "mint",
    data: { to: "ann", amount: 1 },
    idempotencyKey: "once",
  });

  it("tell no receipt before it is durable", async () => {
    const slow = new SlowNode();
    const sent = await slow.ask("ptx_sendTransaction", transaction(slow));
    const { result: id } = sent as { readonly result: string };
    slow.isSlow = true;
    slow.settle(id);
    const answer = slow.later("ptx_getTransactionReceipt", id);
    expect(await Promise.race([answer, turns()])).to.equal(undefined);
    slow.flush();
    expect(await answer).to.have.nested.property("result.id", id);
  });

  it("name no transaction that has a key and may still be lost", async () => {
    const slow = new SlowNode();
    slow.isSlow = true;
    const first = slow.later("ptx_sendTransaction", transaction(slow));
    const second = slow.later("ptx_sendTransaction", transaction(slow));
    expect(await Promise.race([first, second, turns()])).to.equal(undefined);
    slow.flush();
    const { result: id } = (await first) as { readonly result: string };
    await turns();
    slow.flush();
    expect(await second).to.have.nested.property(
      "error.message",
      `PD012220: idempotencyKey already used by submitted transaction ${id}`,
    );
  });
});
