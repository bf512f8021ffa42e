import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";

/** How long a node may take to answer. */
const timeoutMs = 10_000;

const answerType = z.union([
  z.object({ error: z.object({ message: z.string() }) }),
  z.object({ result: z.unknown() }),
]);

/** A node's JSON-RPC over HTTP. */
export class RpcClient {
  readonly #url: URL;

  /** Throws a {@link SequencerError} for what is no address. */
  constructor(url: string) {
    this.#url = parseUrl(url);
  }

  /** The address without what may be secret in it. */
  get name(): string {
    return this.#url.origin;
  }

  /** The answer, as `type` reads it. */
  async ask<Type extends z.ZodTypeAny>(
    type: Type,
    method: string,
    ...params: readonly unknown[]
  ): Promise<z.output<Type>> {
    const answer = answerType.safeParse(await this.#post(method, params));
    if (!answer.success)
      throw new SequencerError("NODE_UNREACHABLE", {
        url: this.name,
        reason: "it does not speak JSON-RPC",
      });
    if ("error" in answer.data)
      throw new SequencerError("NODE_REFUSED", {
        url: this.name,
        method,
        reason: answer.data.error.message,
      });
    const result = type.safeParse(answer.data.result);
    if (!result.success)
      throw new SequencerError("NODE_UNREACHABLE", {
        url: this.name,
        reason: `it answers ${method} in another way than this version expects`,
      });
    return result.data as z.output<Type>;
  }

  async #post(method: string, params: readonly unknown[]): Promise<unknown> {
    const url = new URL(this.#url);
    const { username, password } = url;
    url.username = url.password = "";
    const isSecret = username !== "" || password !== "";
    const basic = Buffer.from(`${username}:${password}`).toString("base64");
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(isSecret && { authorization: `Basic ${basic}` }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return await response.json();
    } catch (error) {
      throw new SequencerError("NODE_UNREACHABLE", {
        url: this.name,
        reason: reasonOf(error),
      });
    }
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  // What is no address may still hold a password, so it is not shown.
  throw new SequencerError("URL_INVALID", undefined);
}

/** `fetch` says only that it failed; why is in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no reason given";
  if (error.name === "TimeoutError") return "it takes too long";
  if (error instanceof SyntaxError) return "it does not speak JSON-RPC";
  const { cause } = error;
  const code: unknown = Reflect.get(Object(cause), "code");
  return typeof code === "string" ? code : error.message;
}
