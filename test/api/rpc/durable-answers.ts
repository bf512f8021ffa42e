import { setImmediate } from "node:timers/promises";

import { expect } from "chai";

import { createApi } from "../../../src/api/rpc/api.ts";
import { UserBook } from "../../../src/api/book.ts";
import { Dispatcher } from "../../../src/api/rpc/dispatcher.ts";
import { ApiGate } from "../../../src/api/rpc/gate.ts";
import { rpcLimits } from "../../../src/api/rpc/limits.ts";
import { methods } from "../../../src/api/rpc/methods.ts";
import { Database } from "../../../src/store/database.ts";
import { openMachineDisk } from "../../../src/store/disk.ts";
import { userTables } from "../../../src/store/user-tables.ts";
import { FakeNode } from "../../helpers/rpc/fake-node.ts";
import { toyDomain } from "../../helpers/rpc/toy-domain.ts";

type Flushed = (error: Error | null) => void;

describe("answers of a node", () => {
  let database: Database;
  let dispatcher: Dispatcher;
  /** Flushes that have begun and not ended. */
  let flushes: Flushed[];

  beforeEach(() => {
    flushes = [];
    database = new Database(
      { file: ":memory:" },
      {
        migrations: userTables,
        openDisk: (file) => ({
          ...openMachineDisk(file),
          flush: (done) => {
            flushes.push(done);
          },
        }),
      },
    );
    database.flushNow();
    const book = new UserBook({ database, now: () => 0 });
    const service = new FakeNode({ domains: [toyDomain] }, { database, book });
    const report = (): void => undefined;
    const api = createApi({ service, book, report });
    const gate = new ApiGate();
    gate.serve(api);
    dispatcher = new Dispatcher(
      { limits: rpcLimits, methods },
      { gate, report },
    );
  });
  afterEach(() => {
    database.close();
  });

  /** Asks, and gives what became of it so far. */
  function ask(
    id: number,
    method: string,
    ...params: readonly unknown[]
  ): { answer: string | undefined } {
    const asked: { answer: string | undefined } = { answer: undefined };
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    void dispatcher.handle(text, { inFlight: 0 }).then((reply) => {
      asked.answer = reply.text;
    });
    return asked;
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await setImmediate();
  }

  /** Long enough for an answer that nothing holds back. */
  async function turns(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  }

  function flushed(error: Error | null): void {
    for (const done of flushes.splice(0)) done(error);
  }

  it("leave when what they tell is durable, also to those who only read it", async () => {
    const created = ask(1, "ptx_createReceiptListener", { name: "all" });
    await until(() => flushes.length === 1);
    const read = ask(2, "ptx_getReceiptListener", "all");
    const again = ask(3, "ptx_createReceiptListener", { name: "all" });
    await until(() => flushes.length === 3);
    await turns();
    for (const { answer } of [created, read, again])
      expect(answer).to.equal(undefined);
    flushed(null);
    await until(() => again.answer !== undefined);
    expect(created.answer).to.include('"result":true');
    expect(read.answer).to.include('"name":"all"');
    expect(again.answer).to.include("already exists");
    // Nothing is to be waited for any more.
    const later = ask(4, "ptx_getReceiptListener", "all");
    await until(() => later.answer !== undefined);
    expect(flushes).to.have.length(0);
  });

  it("tell nothing but an error when it cannot become durable", async () => {
    const created = ask(1, "ptx_createReceiptListener", { name: "all" });
    await until(() => flushes.length === 1);
    flushed(new Error("The disk has failed."));
    await until(() => created.answer !== undefined);
    const answer = JSON.parse(created.answer ?? "") as object;
    expect(answer).to.have.property("id", 1);
    expect(answer).to.have.property("error");
    expect(answer).not.to.have.property("result");
  });
});
