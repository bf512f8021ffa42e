import { Agent as PlainAgent, request as requestPlainly } from "node:http";
import { Agent as SecureAgent, request as requestSecurely } from "node:https";

import { ChainError, type ChainClient } from "../../ports.ts";
import { parseAnswer, resultOf, unreachable } from "./answers.ts";
import type { Endpoint } from "./secrets.ts";

/** Answers with these say nothing about the request, only about the server: too many requests, or out of order. */
const isServerTrouble = (status: number): boolean =>
  status === 429 || status >= 500;

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** A chain over HTTP: one request at a time on each connection, connections kept open. It cannot tell of new blocks. */
export function openHttpClient(
  options: { readonly timeoutMs: number },
  ports: { readonly endpoint: Endpoint },
): ChainClient {
  const { name } = ports.endpoint;
  const post = new Post(options, ports);
  let id = 0;
  return {
    request: async (method, params) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
      let answered: HttpAnswer;
      try {
        answered = await post.send(body);
      } catch (error) {
        throw unreachable(name, error);
      }
      const { status, text } = answered;
      const answer = parseAnswer(text);
      const hasAnswer = answer?.error !== undefined && status !== 429;
      if (isServerTrouble(status) && !hasAnswer)
        throw new ChainError(
          "unreachable",
          `${name} answered with status ${status}.`,
        );
      return resultOf(answer, name);
    },
    onHead: () => () => undefined,
    close: async () => {
      post.close();
      await Promise.resolve();
    },
  };
}

/** Posts texts to one address, in half of the time that `fetch` needs. Who answers that it is elsewhere is not followed. */
class Post {
  readonly #timeoutMs: number;
  readonly #endpoint: Endpoint;
  readonly #agent: PlainAgent;
  readonly #request: typeof requestPlainly;
  #isClosed = false;

  constructor(
    options: { readonly timeoutMs: number },
    ports: { readonly endpoint: Endpoint },
  ) {
    this.#timeoutMs = options.timeoutMs;
    this.#endpoint = ports.endpoint;
    const isSecure = ports.endpoint.url.protocol === "https:";
    const Agent = isSecure ? SecureAgent : PlainAgent;
    this.#agent = new Agent({ keepAlive: true });
    this.#request = isSecure ? requestSecurely : requestPlainly;
  }

  async send(body: string): Promise<HttpAnswer> {
    if (this.#isClosed) throw new Error("The client was closed.");
    const { url, headers } = this.#endpoint;
    return await new Promise((resolve, reject) => {
      const request = this.#request(
        url,
        {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          agent: this.#agent,
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (text += chunk));
          response.once("error", reject);
          response.once("end", () => {
            resolve({ status: response.statusCode ?? 0, text });
          });
        },
      );
      const timeout = setTimeout(() => {
        request.destroy(new Error("It did not answer in time."));
      }, this.#timeoutMs);
      request.once("error", (error) => {
        // The server has given up a connection that was kept, as they all do after a while, and it crossed with the request.
        if (request.reusedSocket && isLost(error))
          this.send(body).then(resolve, reject);
        else reject(error);
      });
      request.once("close", () => {
        clearTimeout(timeout);
      });
      request.end(body);
    });
  }

  /** Whoever waits for an answer gets none. */
  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }
}

/** Whether a connection was lost without a word. */
function isLost(error: NodeJS.ErrnoException): boolean {
  return error.code === "ECONNRESET" || error.code === "EPIPE";
}
