import {
  Agent as PlainAgent,
  request as requestPlainly,
  type RequestOptions,
} from "node:http";
import { Agent as SecureAgent, request as requestSecurely } from "node:https";
import { urlToHttpOptions } from "node:url";

import { ChainError } from "../ports.ts";
import { parseJson, readAnswer, resultOf, unreachable } from "./answers.ts";
import { Batches, type WireAnswer } from "./batches.ts";
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

/** A chain over HTTP: requests of one moment share a batch, and connections are kept open. */
export function openHttp(
  options: {
    /** The most bytes of an answer. */
    readonly answerBytesMax: number;
  },
  ports: {
    readonly endpoint: Endpoint;
    /** Called for every request that is sent once more, because it was not answered in a batch. */
    readonly onRepeat: (method: string) => void;
  },
): { readonly attempt: Attempt; readonly close: () => void } {
  const { name } = ports.endpoint;
  const post = new Post(options, ports);
  const ask = async (
    body: unknown,
    signal: AbortSignal,
  ): Promise<WireAnswer> => {
    let answered: HttpAnswer;
    try {
      answered = await post.send(JSON.stringify(body), signal);
    } catch (error) {
      throw unreachable(name, error);
    }
    const { status, retryAfter, text } = answered;
    if (status === 429)
      throw new RateLimited(name, retryAfterOf(retryAfter, Date.now()));
    return { status, value: parseJson(text) };
  };
  let id = 0;
  const single: Attempt = async (method, params, signal) => {
    const request = { jsonrpc: "2.0", id: ++id, method, params };
    const { status, value } = await ask(request, signal);
    const answer = readAnswer(value);
    if (isServerTrouble(status) && answer?.error === undefined)
      throw new ChainError(
        "unreachable",
        `${name} answered with status ${status}.`,
      );
    return resultOf(answer, name);
  };
  const batches = new Batches({
    name,
    single,
    onRepeat: ports.onRepeat,
    post: async (requests, signal) =>
      await ask(
        requests.map((request) => ({
          jsonrpc: "2.0",
          id: request.id,
          method: request.method,
          params: request.params,
        })),
        signal,
      ),
  });
  return {
    attempt: batches.attempt,
    close: () => {
      post.close();
    },
  };
}

/** Posts texts to one address, in half of the time that `fetch` needs. Redirects are not followed. */
class Post {
  readonly #answerBytesMax: number;
  readonly #options: RequestOptions;
  readonly #agent: PlainAgent;
  readonly #request: typeof requestPlainly;

  constructor(
    options: { readonly answerBytesMax: number },
    ports: { readonly endpoint: Endpoint },
  ) {
    this.#answerBytesMax = options.answerBytesMax;
    const { url, headers } = ports.endpoint;
    const isSecure = url.protocol === "https:";
    const Agent = isSecure ? SecureAgent : PlainAgent;
    this.#agent = new Agent({ keepAlive: true });
    // Read once: a URL is taken apart again with every request otherwise.
    this.#options = {
      ...urlToHttpOptions(url),
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      agent: this.#agent,
    };
    this.#request = isSecure ? requestSecurely : requestPlainly;
  }

  async send(body: string, signal: AbortSignal): Promise<HttpAnswer> {
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      const request = this.#request(this.#options, (response) => {
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
      });
      // Node's own option for a signal costs a tenth of a request.
      const giveUp = (): void => {
        request.destroy(new Error("The request was given up."));
      };
      signal.addEventListener("abort", giveUp, { once: true });
      request.once("close", () => {
        signal.removeEventListener("abort", giveUp);
      });
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
