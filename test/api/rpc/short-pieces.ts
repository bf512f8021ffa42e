import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { expect } from "chai";
import { id as hashOf } from "ethers";

import { call, post, SocketClient } from "../../helpers/rpc/client.ts";
import { toyAbi } from "../../helpers/rpc/toy-domain.ts";

interface Server {
  readonly httpUrl: string;
  readonly webSocketUrl: string;
  readonly group: string;
}

/** A server in another thread: nothing that the test does is counted. */
class MeasuredServer {
  readonly #worker = new Worker(
    new URL("../../helpers/rpc/measured-server.ts", import.meta.url),
    { workerData: { transactions: 50_000 } },
  );

  async start(): Promise<Server> {
    return await this.#next<Server>();
  }

  async ask(wanted: "begin" | "end" | "settle"): Promise<number> {
    this.#worker.postMessage(wanted);
    return await this.#next<number>();
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  async #next<Message>(): Promise<Message> {
    const messages: readonly unknown[] = await once(this.#worker, "message");
    return messages[0] as Message;
  }
}

/**
 * How long one piece may take, in milliseconds of the processor. It is 50 on a machine of today; a slow one, or one that has to
 * compile what it runs for the first time, gets more. Requests that are not bounded take seconds.
 */
const pieceMs = 150;

const word = (value: number): string => value.toString(16).padStart(64, "0");
const selectorOf = (signature: string): string =>
  hashOf(signature).slice(0, 10);
const ones = `[${"1,".repeat(450_000)}1]`;
const texts = JSON.stringify(Array.from({ length: 200_000 }, () => "1"));

/** Text, since some of it is no JSON that JavaScript would write. */
const request = (method: string, ...params: readonly string[]): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params.join(",")}]}`;

const transaction = (type: string, data: string): string =>
  `{"type":"public","from":"alice","to":"0x${"11".repeat(20)}","function":"f","data":[${data}],
    "abi":[{"type":"function","name":"f","inputs":[{"name":"a","type":"${type}"}]}]}`;

const digits = "9".repeat(900_000);

/** An array of arrays, all at the same place, and a flag that is none, so that nothing fits in the end. */
const inflated = `${word(64)}${"f".repeat(64)}${word(40)}${word(40 * 32).repeat(40)}${word(1_500)}${"f".repeat(64 * 14_000)}`;

const attacks: Readonly<Record<string, string>> = {
  "a list of 450,000 numbers for the base ledger": request(
    "ptx_sendTransaction",
    transaction("uint256[]", ones),
  ),
  "a list of 200,000 texts for the base ledger": request(
    "ptx_call",
    transaction("string[]", texts),
  ),
  "a number of 900,000 digits": request(
    "ptx_sendTransaction",
    transaction("uint256", `"${digits}"`),
  ),
  "a number of 900,000 digits that is no text": request(
    "ptx_sendTransaction",
    transaction("uint256", digits),
  ),
  "450,000 members": request(
    "pgroup_createGroup",
    `{"domain":"toy","members":${ones}}`,
  ),
  "450,000 topics": request("ptx_decodeEvent", ones, '"0x"', "null"),
  "450,000 entries of an ABI": request("ptx_storeABI", ones),
  "a query with 30,000 mistakes": request(
    "ptx_queryTransactions",
    `{"limit":1,"eq":[${'{"field":1},'.repeat(30_000)}{}]}`,
  ),
  "an entry of an ABI with lists in lists": request(
    "ptx_storeABI",
    JSON.stringify([
      {
        type: "function",
        name: "f",
        inputs: Array.from({ length: 660 }, (_, index) => ({
          name: `p${index}`,
          type: `uint256${"[]".repeat(120)}`,
        })),
      },
    ]),
  ),
  "a call that thousands of definitions begin like": request(
    "ptx_decodeCall",
    `"${selectorOf("h(uint256[][],bool)")}${inflated}"`,
    "null",
  ),
  "a query with a hundred comparisons": request(
    "ptx_queryTransactions",
    JSON.stringify({
      limit: 10,
      or: Array.from({ length: 49 }, () => ({
        like: [{ field: "idempotencyKey", value: "%a%a%a%a%a%a%b%" }],
      })),
    }),
  ),
  "a query with a long list": request(
    "ptx_queryTransactions",
    JSON.stringify({
      limit: 1_000,
      sort: ["-idempotencyKey"],
      nin: [
        {
          field: "idempotencyKey",
          caseInsensitive: true,
          values: Array.from(
            { length: 30 },
            (_, at) => `${"a".repeat(900)}${at}`,
          ),
        },
      ],
    }),
  ),
};

describe("requests that would take seconds in one piece", function () {
  this.timeout(120_000);
  let server: MeasuredServer;
  let urls: Server;
  before(async () => {
    // Not before: nobody would hear that it has started.
    server = new MeasuredServer();
    urls = await server.start();
    await call(
      urls.httpUrl,
      "ptx_storeABI",
      Array.from({ length: 2_000 }, (_, index) => ({
        type: "function",
        name: "h",
        inputs: [
          { name: `a${index}`, type: "uint256[][]" },
          { name: "b", type: "bool" },
        ],
      })),
    );
  });
  after(async () => {
    await server.stop();
  });

  for (const [name, body] of Object.entries(attacks))
    it(`take none: ${name}`, async () => {
      await server.ask("begin");
      expect(await post(urls.httpUrl, body)).to.have.property("id", 1);
      expect(await server.ask("end")).to.be.lessThan(pieceMs);
    });

  it("take none: listeners for receipts that never come", async () => {
    const filters = { type: "private", domain: "nobody" };
    const sockets: SocketClient[] = [];
    for (let index = 0; index < 90; index++) {
      const name = `listener${index}`;
      await call(urls.httpUrl, "ptx_createReceiptListener", { name, filters });
      if (index % 30 === 0)
        sockets.push(await SocketClient.open(urls.webSocketUrl));
      await sockets.at(-1)?.call("ptx_subscribe", "receipts", name);
    }
    await call(urls.httpUrl, "ptx_sendTransaction", {
      type: "private",
      from: "alice",
      to: urls.group,
      abi: toyAbi,
      function: "mint",
      data: ["alice", 1],
    });
    await server.ask("begin");
    await server.ask("settle");
    expect(await server.ask("end")).to.be.lessThan(pieceMs);
    for (const socket of sockets) socket.cut();
  });
});
