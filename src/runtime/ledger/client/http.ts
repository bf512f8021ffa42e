import { Agent as PlainAgent, request as requestPlainly } from "node:http";
import { Agent as SecureAgent, request as requestSecurely } from "node:https";

import { ChainError } from "../../ports.ts";
import { parseAnswer, resultOf, unreachable } from "./answers.ts";
import type { Attempt } from "./careful.ts";
import { RateLimited, retryAfterOf } from "./rate-limit.ts";
import type { Endpoint } from "./secrets.ts";

/** Answers with these say nothing about the request, only about the server. */
const isServerTrouble = (status: number): boolean => status >= 500;

interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** A chain over HTTP: one request at a time on each connection, connections kept open. */
export function openHttp(
  options: {
    /** The most bytes of an answer. */
    readonly answerBytesMax: number;
  },
  ports: { readonly endpoint: Endpoint },
): { readonly attempt: Attempt; readonly close: () => void } {
  const { name } = ports.endpoint;
  const post = new Post(options, ports);
  let id = 0;
  const attempt: Attempt = async (method, params, signal) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    let answered: HttpAnswer;
    try {
      answered = await post.send(body, signal);
    } catch (error) {
      throw unreachable(name, error);
    }
    const { status, retryAfter, text } = answered;
    if (status === 429)
      throw new RateLimited(name, retryAfterOf(retryAfter, Date.now()));
    const answer = parseAnswer(text);
    if (isServerTrouble(status) && answer?.error === undefined)
      throw new ChainError(
        "unreachable",
        `${name} answered with status ${status}.`,
      );
    return resultOf(answer, name);
  };
  return {
    attempt,
    close: () => {
      post.close();
    },
  };
}

/** Posts texts to one address, in half of the time that `fetch` needs. Redirects are not followed. */
class Post {
  readonly #answerBytesMax: number;
  readonly #endpoint: Endpoint;
  readonly #agent: PlainAgent;
  readonly #request: typeof requestPlainly;

  constructor(
    options: { readonly answerBytesMax: number },
    ports: { readonly endpoint: Endpoint },
  ) {
    this.#answerBytesMax = options.answerBytesMax;
    this.#endpoint = ports.endpoint;
    const isSecure = ports.endpoint.url.protocol === "https:";
    const Agent = isSecure ? SecureAgent : PlainAgent;
    this.#agent = new Agent({ keepAlive: true });
    this.#request = isSecure ? requestSecurely : requestPlainly;
  }

  async send(body: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { url, headers } = this.#endpoint;
    return await new Promise((resolve, reject) => {
      const request = this.#request(
        url,
        {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          agent: this.#agent,
          signal,
        },
        (response) => {
          const parts: Buffer[] = [];
          let bytes = 0;
          response.on("data", (part: Buffer) => {
            bytes += part.length;
            if (bytes <= this.#answerBytesMax) parts.push(part);
            else
              response.destroy(
                new Error(
                  `The answer is longer than ${this.#answerBytesMax} bytes.`,
                ),
              );
          });
          response.once("error", reject);
          response.once("end", () => {
            resolve({
              status: response.statusCode ?? 0,
              retryAfter: response.headers["retry-after"],
              text: Buffer.concat(parts).toString("utf8"),
            });
          });
        },
      );
      request.once("error", (error) => {
        // The server has given up a connection that was kept, as they all do after a while, and it crossed with the request.
        if (request.reusedSocket && isLost(error))
          this.send(body, signal).then(resolve, reject);
        else reject(error);
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Whether a connection was lost without a word. */
function isLost(error: NodeJS.ErrnoException): boolean {
  return error.code === "ECONNRESET" || error.code === "EPIPE";
}
