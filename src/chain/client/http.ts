import { ChainError } from "../ports.ts";
import { parseJson, readAnswer, resultOf, unreachable } from "./answers.ts";
import { Batches, type WireAnswer } from "./batches.ts";
import type { Attempt } from "./careful.ts";
import type { HttpAnswer } from "./http-answer.ts";
import { HttpPost } from "./http-post.ts";
import { RateLimited, retryAfterOf } from "./rate-limit.ts";
import type { Endpoint } from "./secrets.ts";

/** Answers with these say nothing about the request, only about the server. */
const isServerTrouble = (status: number): boolean => status >= 500;

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
  const post = new HttpPost(options, ports);
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
