import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import type { Random } from "./random.ts";

/** How likely each fault is, for one batch or for one answer in it. */
export interface BatchFaults {
  /** The batch is refused with HTTP status 503. */
  readonly refuse: number;
  /** The connection is closed instead of an answer. */
  readonly cut: number;
  /** The endpoint wants fewer requests. */
  readonly rateLimit: number;
  /** An answer is left out. */
  readonly miss: number;
  /** An answer is an error that says nothing about the request. */
  readonly fail: number;
  /** All answers come so much later. */
  readonly lateMsMax: number;
}

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A chain over HTTP with JSON-RPC batches, in which much goes wrong. */
export interface HttpEndpoint {
  readonly url: string;
  /** Batches that were answered in full or in part. */
  readonly batches: () => number;
  /** Faults happen only while this is true. */
  hasFaults: boolean;
  readonly stop: () => Promise<void>;
}

/** Puts a chain behind an address. */
export async function serveOverHttp(
  client: ChainClient,
  faults: BatchFaults,
  random: Random,
): Promise<HttpEndpoint> {
  let batches = 0;
  const isHit = (chance: number): boolean =>
    random.chance(chance) && endpoint.hasFaults;

  const answer = async ({ id, method, params }: Asked): Promise<object> => {
    try {
      return { id, result: (await client.request(method, params)) ?? null };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      const { code = -32_000, message, data } = error;
      return { id, error: { code, message, data } };
    }
  };
  const answerBatch = async (
    batch: readonly Asked[],
    response: ServerResponse,
  ): Promise<void> => {
    if (isHit(faults.cut)) response.destroy();
    else if (isHit(faults.refuse)) end(response, 503, "busy");
    else if (isHit(faults.rateLimit)) end(response, 429, "slower");
    else {
      const answers: object[] = [];
      for (const one of batch) {
        if (isHit(faults.miss)) continue;
        const answered = isHit(faults.fail)
          ? { id: one.id, error: { code: -32_603, message: "internal error" } }
          : await answer(one);
        answers.splice(random.below(answers.length + 1), 0, answered);
      }
      batches += 1;
      const lateMs = endpoint.hasFaults ? random.below(faults.lateMsMax) : 0;
      setTimeout(() => {
        end(response, 200, JSON.stringify(answers));
      }, lateMs);
    }
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const asked = JSON.parse(Buffer.concat(parts).toString("utf8")) as
        Asked | readonly Asked[];
      if ("method" in asked)
        void answer(asked).then((answered) => {
          end(response, 200, JSON.stringify(answered));
        });
      else void answerBatch(asked, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const endpoint: HttpEndpoint = {
    url: `http://127.0.0.1:${port}`,
    batches: () => batches,
    hasFaults: true,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return endpoint;
}

function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status);
  response.end(body);
}
