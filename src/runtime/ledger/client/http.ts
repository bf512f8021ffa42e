import { ChainError, type ChainClient } from "../../ports.ts";
import { parseAnswer, resultOf, unreachable } from "./answers.ts";
import type { Endpoint } from "./secrets.ts";

/** Answers with these say nothing about the request, only about the server: too many requests, or out of order. */
const isServerTrouble = (status: number): boolean =>
  status === 429 || status >= 500;

/** A chain over HTTP: one request at a time on each connection, connections kept open. It cannot tell of new blocks. */
export function openHttpClient(
  options: { readonly timeoutMs: number },
  ports: { readonly endpoint: Endpoint },
): ChainClient {
  const { url, name } = ports.endpoint;
  const headers = {
    ...ports.endpoint.headers,
    "content-type": "application/json",
  };
  const closed = new AbortController();
  let id = 0;
  return {
    request: async (method, params) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
      const timeout = AbortSignal.timeout(options.timeoutMs);
      const signal = AbortSignal.any([closed.signal, timeout]);
      let status: number;
      let text: string;
      try {
        const response = await fetch(url, {
          method: "POST",
          redirect: "error",
          headers,
          body,
          signal,
        });
        status = response.status;
        text = await response.text();
      } catch (error) {
        throw unreachable(name, error);
      }
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
      closed.abort(new Error("The client was closed."));
      await Promise.resolve();
    },
  };
}
