import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { expect } from "chai";
import fc from "fast-check";

import { clientLimits } from "../../src/chain/client/limits.ts";
import {
  type ChainClientOptions,
  openChainClient,
} from "../../src/chain/client/open.ts";
import { RateLimit } from "../../src/chain/client/rate-limit.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { impatientTimers } from "../helpers/impatient-timers.ts";
import { randomFrom } from "../helpers/random.ts";

interface Asked {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What is sent back; undefined: nothing, ever. */
interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer to one request: an echo, or an error for those that want one. */
function answerTo({ id, method, params: [value] }: Asked): object {
  return method === "fail"
    ? { jsonrpc: "2.0", id, error: { code: -32_000, message: String(value) } }
    : { jsonrpc: "2.0", id, result: value };
}

/** An endpoint over HTTP whose treatment of batches the test chooses. */
class BatchEndpoint {
  readonly #server: Server;
  /** Requests of every HTTP request, in order; a single one is not in a list. */
  readonly posts: (Asked | readonly Asked[])[] = [];
  onBatch: (batch: readonly Asked[]) => Reply | undefined = (batch) => ({
    body: batch.map(answerTo),
  });
  onSingle: (one: Asked) => Reply | undefined = (one) => ({
    body: answerTo(one),
  });
  #url = "";
  readonly #closed: (() => void)[] = [];

  constructor() {
    this.#server = createServer((request, response) => {
      response.on("close", () => {
        if (!response.writableEnded)
          for (const resolve of this.#closed.splice(0)) resolve();
      });
      void bodyOf(request).then((body) => {
        const asked = JSON.parse(body) as Asked | readonly Asked[];
        this.posts.push(asked);
        const reply = isBatch(asked)
          ? this.onBatch(asked)
          : this.onSingle(asked);
        if (reply === undefined) return;
        const { status = 200, headers = {}, body: sent } = reply;
        response.writeHead(status, headers);
        response.end(typeof sent === "string" ? sent : JSON.stringify(sent));
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = this.#server.address() as AddressInfo;
    this.#url = `http://127.0.0.1:${port}`;
  }

  open(options: ChainClientOptions = {}): ChainClient {
    return openChainClient(this.#url, options);
  }

  get batches(): number {
    return this.posts.filter(isBatch).length;
  }

  /** Resolves when the client gives up a connection before there was an answer. */
  async givenUp(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closed.push(resolve);
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function isBatch(asked: Asked | readonly Asked[]): asked is readonly Asked[] {
  return Array.isArray(asked);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/** How a request ends, as something that can be compared. */
async function outcomeOf(request: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await request };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const { kind, code, message } = error;
    return { kind, code, message };
  }
}

/** Ways to refuse a batch, and whether they can only mean that. */
const refusals: readonly (Reply & { readonly isFinal: boolean })[] = [
  { isFinal: true, body: { error: { code: -32_600, message: "no batches" } } },
  { isFinal: true, status: 405, body: "" },
  { isFinal: true, status: 413, body: "<html>too large</html>" },
  { isFinal: true, status: 403, body: { error: { code: 7, message: "no" } } },
  { isFinal: false, status: 502, body: "<html>bad gateway</html>" },
  { isFinal: false, body: [] },
  { isFinal: false, body: [null, 7, { id: "other", result: 1 }] },
  { isFinal: false, body: {} },
  { isFinal: false, body: "nonsense" },
];

describe("runtime: batches of requests", function () {
  this.timeout(60_000);

  let endpoint: BatchEndpoint;
  beforeEach(async () => {
    endpoint = new BatchEndpoint();
    await endpoint.start();
  });
  afterEach(async () => {
    await endpoint.stop();
  });

  const echoes = (client: ChainClient, count: number): Promise<unknown>[] =>
    Array.from(
      { length: count },
      async (_, i) => await client.request("echo", [i]),
    );

  const numbers = (count: number): readonly number[] =>
    Array.from({ length: count }, (_, i) => i);

  it("sends what is asked at the same moment as one request", async () => {
    const client = endpoint.open();
    expect(await Promise.all(echoes(client, 10))).to.deep.equal(numbers(10));
    expect(endpoint.posts).to.have.length(1);
    await client.close();
  });

  it("sends one request as such", async () => {
    const client = endpoint.open();
    expect(await client.request("echo", [7])).to.equal(7);
    expect(endpoint.posts.map(isBatch)).to.deep.equal([false]);
    await client.close();
  });

  it("puts no more requests into a batch than endpoints take", async () => {
    const client = endpoint.open();
    const count = 2 * clientLimits.batchRequests + 1;
    expect(await Promise.all(echoes(client, count))).to.deep.equal(
      numbers(count),
    );
    const sizes = endpoint.posts.map((asked) =>
      isBatch(asked) ? asked.length : 1,
    );
    expect(sizes.toSorted((a, b) => a - b)).to.deep.equal([
      1,
      clientLimits.batchRequests,
      clientLimits.batchRequests,
    ]);
    await client.close();
  });

  it("gives every request the answer that it gets alone, whatever happens to answers of a batch", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            method: fc.constantFrom("echo", "fail"),
            isMissing: fc.boolean(),
          }),
          { minLength: 1, maxLength: 40 },
        ),
        fc.array(fc.constantFrom(null, 1, "x", [], {}, { id: -1 }), {
          maxLength: 3,
        }),
        fc.integer({ min: 1, max: 1_000_000 }),
        async (asked, garbage, seed) => {
          const random = randomFrom(seed);
          endpoint.onBatch = (batch) => {
            const answers = batch
              .filter(({ params }) => !asked[Number(params[0])]?.isMissing)
              .map(answerTo);
            return { body: shuffled([...answers, ...garbage], random) };
          };
          const client = endpoint.open();
          const ask = async (at: number): Promise<unknown> =>
            await outcomeOf(client.request(asked[at]?.method ?? "", [at]));
          const together = await Promise.all(asked.map((_, at) => ask(at)));
          const alone: unknown[] = [];
          for (const at of asked.keys()) alone.push(await ask(at));
          expect(together).to.deep.equal(alone);
          await client.close();
        },
      ),
      { numRuns: 20 },
    );
  });

  for (const { isFinal, ...refusal } of refusals) {
    const name = JSON.stringify(refusal);
    it(`asks one by one where a batch is answered with ${name}, and remembers it`, async () => {
      endpoint.onBatch = () => refusal;
      const client = endpoint.open();
      for (let round = 0; round < 6; round++)
        expect(await Promise.all(echoes(client, 4))).to.deep.equal(numbers(4));
      expect(endpoint.batches).to.equal(
        isFinal ? 1 : clientLimits.batchRefusals,
      );
      await client.close();
    });
  }

  it("goes on with batches after trouble that has passed", async () => {
    const client = endpoint.open();
    const good = endpoint.onBatch;
    for (let round = 0; round < 4 * clientLimits.batchRefusals; round++) {
      endpoint.onBatch =
        round % clientLimits.batchRefusals === 0
          ? good
          : () => ({ status: 503, body: "busy" });
      await Promise.all(echoes(client, 3));
    }
    expect(endpoint.batches).to.equal(4 * clientLimits.batchRefusals);
    await client.close();
  });

  it("asks an endpoint in trouble for one request of a batch, and not for all", async () => {
    endpoint.onBatch = () => ({ status: 503, body: "busy" });
    endpoint.onSingle = () => ({ status: 503, body: "busy" });
    const client = endpoint.open();
    const outcomes = await Promise.all(echoes(client, 10).map(outcomeOf));
    expect(new Set(outcomes.map((one) => JSON.stringify(one))).size).to.equal(
      1,
    );
    expect(outcomes[0]).to.include({ kind: "unreachable" });
    expect(endpoint.posts).to.have.length(2);
    await client.close();
  });

  it("asks one by one for answers that are too long together", async () => {
    const value = "x".repeat(1_000);
    const client = endpoint.open({ answerBytesMax: 2_500 });
    const answers = await Promise.all(
      numbers(4).map(async () => await client.request("echo", [value])),
    );
    expect(answers).to.deep.equal([value, value, value, value]);
    await client.close();
  });

  for (const [how, limited] of Object.entries<Reply>({
    "HTTP status 429": { status: 429, headers: { "retry-after": "0" } },
    "the code -32005": { body: { error: { code: -32_005, message: "slow" } } },
  }))
    it(`pauses once where a batch is refused with ${how}, and sends a batch again`, async () => {
      const good = endpoint.onBatch;
      endpoint.onBatch = () => {
        endpoint.onBatch = good;
        return limited;
      };
      const rateLimit = new RateLimit({ timers: impatientTimers });
      const client = endpoint.open({ rateLimit });
      expect(await Promise.all(echoes(client, 5))).to.deep.equal(numbers(5));
      expect(endpoint.posts.map(isBatch)).to.deep.equal([true, true]);
      expect(rateLimit.hits).to.be.at.least(1);
      await client.close();
    });

  it("repeats only those of a batch for which the endpoint wants a pause", async () => {
    let isFirst = true;
    endpoint.onBatch = (batch) => ({
      body: batch.map((one) =>
        isFirst && one.params[0] === 2
          ? { id: one.id, error: { code: -32_005, message: "limit" } }
          : answerTo(one),
      ),
    });
    const good = endpoint.onSingle;
    endpoint.onSingle = (one) => {
      isFirst = false;
      return good(one);
    };
    const rateLimit = new RateLimit({ timers: impatientTimers });
    const client = endpoint.open({ rateLimit });
    expect(await Promise.all(echoes(client, 4))).to.deep.equal(numbers(4));
    expect(endpoint.posts.map(isBatch)).to.deep.equal([true, false]);
    await client.close();
  });

  for (const [how, answered] of Object.entries<
    (batch: readonly Asked[]) => object[]
  >({
    "that there are too many, in place of the first answer": ([first]) => [
      { id: first?.id, error: { code: -32_600, message: "batch too large" } },
    ],
    "that the answers are too long": (batch) =>
      batch.map((one, at) =>
        at < 2
          ? answerTo(one)
          : {
              id: one.id,
              error: { code: -32_003, message: "response too large" },
            },
      ),
    "that the time is up": (batch) =>
      batch.map((one, at) =>
        at < 2
          ? answerTo(one)
          : {
              id: one.id,
              error: { code: -32_002, message: "request timed out" },
            },
      ),
    "that batches are not supported": (batch) =>
      batch.map(({ id }) => ({
        id,
        error: { code: -32_600, message: "Batch requests are not supported." },
      })),
  }))
    it(`takes no error for an answer to one request that says about its batch ${how}`, async () => {
      endpoint.onBatch = (batch) => ({ body: answered(batch) });
      const client = endpoint.open();
      for (let round = 0; round < 4; round++)
        expect(await Promise.all(echoes(client, 8))).to.deep.equal(numbers(8));
      await client.close();
    });

  it("sends an endpoint smaller batches that takes no larger ones", async () => {
    endpoint.onBatch = (batch) => ({
      body:
        batch.length <= 10
          ? batch.map(answerTo)
          : [
              {
                id: batch[0]?.id,
                error: { code: -32_600, message: "batch too large" },
              },
            ],
    });
    const client = endpoint.open();
    await Promise.all(echoes(client, 16));
    endpoint.posts.length = 0;
    for (let round = 0; round < 6; round++)
      expect(await Promise.all(echoes(client, 16))).to.deep.equal(numbers(16));
    expect(endpoint.posts).to.have.length(12);
    await client.close();
  });

  it("sends few requests twice where larger batches are refused without a reason, and small ones are not", async () => {
    endpoint.onBatch = (batch) =>
      batch.length > 3 ? { status: 500 } : { body: batch.map(answerTo) };
    const client = endpoint.open();
    for (let round = 0; round < 30; round++) {
      await Promise.all(echoes(client, 16));
      await Promise.all(echoes(client, 2));
    }
    const sent = endpoint.posts.flat().length;
    expect(sent).to.be.below(1.25 * 30 * 18);
    await client.close();
  });

  it("takes a contract that speaks of batches at its word", async () => {
    let asked = 0;
    endpoint.onBatch = (batch) => ({
      body: batch.map(({ id }) => {
        asked += 1;
        const message = "execution reverted: batch too old";
        return { id, error: { code: 3, message, data: "0x" } };
      }),
    });
    const client = endpoint.open();
    for (const outcome of await Promise.all(echoes(client, 4).map(outcomeOf)))
      expect(outcome).to.include({ kind: "refused" });
    expect(asked).to.equal(4);
    expect(endpoint.posts).to.have.length(1);
    await client.close();
  });

  it("gets everything answered where a batch is more than the endpoint takes at a time", async () => {
    endpoint.onBatch = (batch) =>
      batch.length > 10 ? { status: 429 } : { body: batch.map(answerTo) };
    const rateLimit = new RateLimit({ timers: impatientTimers });
    const client = endpoint.open({ rateLimit });
    const count = 2 * clientLimits.batchRequests;
    expect(await Promise.all(echoes(client, count))).to.deep.equal(
      numbers(count),
    );
    await client.close();
  });

  for (const id of [null, "first"] as const)
    it(`sends nothing one by one where an answer ${id === null ? "to nobody" : "to one request"} says that there were too many`, async () => {
      const good = endpoint.onBatch;
      endpoint.onBatch = ([first]) => {
        endpoint.onBatch = good;
        const error = { code: -32_005, message: "limit exceeded" };
        return { body: [{ id: id === null ? null : first?.id, error }] };
      };
      const rateLimit = new RateLimit({ timers: impatientTimers });
      const client = endpoint.open({ rateLimit });
      expect(await Promise.all(echoes(client, 5))).to.deep.equal(numbers(5));
      expect(endpoint.posts.map(isBatch)).to.deep.equal([true, true]);
      await client.close();
    });

  it("asks one by one where batches hang and single requests do not", async () => {
    const timers = new FakeTimers();
    const client = endpoint.open({ timers });
    for (let round = 0; round < clientLimits.batchRefusals; round++) {
      const arrived = new Promise<void>((resolve) => {
        endpoint.onBatch = () => {
          resolve();
          return undefined;
        };
      });
      const asked = echoes(client, 3).map(outcomeOf);
      await arrived;
      const givenUp = endpoint.givenUp();
      timers.advance(clientLimits.requestMs);
      await Promise.all(asked);
      await givenUp;
      expect(await client.request("echo", [7])).to.equal(7);
    }
    expect(await Promise.all(echoes(client, 3))).to.deep.equal(numbers(3));
    await client.close();
  });

  it("goes on with batches after everything has hung", async () => {
    const timers = new FakeTimers();
    const client = endpoint.open({ timers });
    const good = endpoint.onBatch;
    for (let round = 0; round < 2 * clientLimits.batchRefusals; round++) {
      const arrived = new Promise<void>((resolve) => {
        endpoint.onBatch = () => {
          resolve();
          return undefined;
        };
      });
      const asked = echoes(client, 3).map(outcomeOf);
      await arrived;
      const givenUp = endpoint.givenUp();
      timers.advance(clientLimits.requestMs);
      await Promise.all(asked);
      await givenUp;
    }
    endpoint.onBatch = good;
    endpoint.posts.length = 0;
    await client.request("echo", [7]);
    expect(await Promise.all(echoes(client, 3))).to.deep.equal(numbers(3));
    expect(endpoint.posts.map(isBatch)).to.deep.equal([false, true]);
    await client.close();
  });

  it("puts few searches into a batch, since nodes work on one after the other", async () => {
    const client = endpoint.open();
    await Promise.all(
      numbers(16).map((i) => client.request("eth_getLogs", [i])),
    );
    const sizes = endpoint.posts.map((asked) =>
      isBatch(asked) ? asked.length : 1,
    );
    expect(Math.max(...sizes)).to.equal(clientLimits.batchSearches);
    await client.close();
  });

  it("counts every request that is sent, also those that are sent again", async () => {
    let counted = 0;
    endpoint.onBatch = (batch) => ({ body: batch.slice(0, 2).map(answerTo) });
    const client = endpoint.open({ onRequest: () => counted++ });
    await Promise.all(echoes(client, 5));
    endpoint.onBatch = () => ({ status: 405 });
    await Promise.all(echoes(client, 5));
    const sent = endpoint.posts.flat();
    expect(counted).to.equal(sent.length);
    await client.close();
  });

  it("lets nobody wait for a search that takes long", async () => {
    endpoint.onBatch = (batch) =>
      batch.some(({ method }) => method === "eth_getLogs")
        ? undefined
        : { body: batch.map(answerTo) };
    const client = endpoint.open();
    const searches = numbers(2).map((i) =>
      outcomeOf(client.request("eth_getLogs", [i])),
    );
    expect(await Promise.all(echoes(client, 2))).to.deep.equal([0, 1]);
    await client.close();
    for (const outcome of await Promise.all(searches))
      expect(outcome).to.include({ kind: "unreachable" });
  });

  it("gives a batch up when its time is up, and its connection too", async () => {
    const timers = new FakeTimers();
    const client = endpoint.open({ timers });
    const arrived = new Promise<void>((resolve) => {
      endpoint.onBatch = () => {
        resolve();
        return undefined;
      };
    });
    const asked = echoes(client, 3).map(outcomeOf);
    await arrived;
    const givenUp = endpoint.givenUp();
    timers.advance(clientLimits.requestMs);
    for (const outcome of await Promise.all(asked))
      expect(outcome).to.include({ kind: "unreachable" });
    await givenUp;
    // Nobody asks on behalf of those that have given up.
    expect(endpoint.posts).to.have.length(1);
    await client.close();
  });
});

function shuffled<Value>(
  values: readonly Value[],
  random: { readonly below: (limit: number) => number },
): Value[] {
  const left = [...values];
  const result: Value[] = [];
  while (left.length > 0)
    result.push(...left.splice(random.below(left.length), 1));
  return result;
}
