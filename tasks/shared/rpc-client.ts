import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";

/** How long a node may take to answer. */
const timeoutMs = 10_000;

const answerType = z.union([
  z.object({ error: z.object({ message: z.string() }) }),
  z.object({ result: z.unknown() }),
]);

/** Why a node gave no answer. */
interface NoAnswer {
  readonly code: "NODE_UNREACHABLE" | "NODE_REFUSED";
  readonly reason: string;
}

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

  /** The answer, as `type` reads it. Throws a {@link SequencerError} if there is none. */
  async ask<Type extends z.ZodTypeAny>(
    type: Type,
    method: string,
    ...params: readonly unknown[]
  ): Promise<z.output<Type>> {
    const answer = await this.tryAsk(type, method, ...params);
    if ("result" in answer) return answer.result;
    const { code, reason } = answer;
    const url = this.name;
    throw code === "NODE_REFUSED"
      ? new SequencerError(code, { url, method, reason })
      : new SequencerError(code, { url, reason });
  }

  /** The answer, as `type` reads it, or why there is none. */
  async tryAsk<Type extends z.ZodTypeAny>(
    type: Type,
    method: string,
    ...params: readonly unknown[]
  ): Promise<{ readonly result: z.output<Type> } | NoAnswer> {
    const posted = await this.#post(method, params);
    if ("reason" in posted) return posted;
    const answer = answerType.safeParse(posted.body);
    if (!answer.success) return unreachable("it does not speak JSON-RPC");
    if ("error" in answer.data)
      return { code: "NODE_REFUSED", reason: answer.data.error.message };
    const result = type.safeParse(answer.data.result);
    if (!result.success)
      return unreachable(
        `it answers ${method} in another way than this version expects`,
      );
    return { result: result.data as z.output<Type> };
  }

  async #post(
    method: string,
    params: readonly unknown[],
  ): Promise<{ readonly body: unknown } | NoAnswer> {
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
      return { body: await response.json() };
    } catch (error) {
      return unreachable(reasonOf(error));
    }
  }
}

function unreachable(reason: string): NoAnswer {
  return { code: "NODE_UNREACHABLE", reason };
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
