import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import { isToken } from "../../src/plugin/servers-config.ts";

/** The environment variable with the token that nodes ask for. A command line would show it to others on the machine. */
export const tokenVariable = "SEQUENCER_RPC_TOKEN";

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
  readonly #authorization: string | undefined;

  /**
   * Throws a {@link SequencerError} for what is no address, or no token.
   * @param token What the node asks for. A user and a password in the address go before it.
   */
  constructor(url: string, token?: string) {
    this.#url = parseUrl(url);
    this.#authorization = authorizationOf(this.#url, token);
    this.#url.username = this.#url.password = "";
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
    const authorization = this.#authorization;
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(authorization !== undefined && { authorization }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.status === 401)
        return unreachable(
          authorization === undefined
            ? `it wants a token, which goes into the environment variable ${tokenVariable}`
            : `it does not take the token of the environment variable ${tokenVariable}, or the password of the address`,
        );
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

/** The header that proves to the node that it may answer. */
function authorizationOf(
  { username, password }: URL,
  token: string | undefined,
): string | undefined {
  if (username !== "" || password !== "")
    return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  if (token === undefined || token === "") return undefined;
  // An error about a header that is invalid would show it.
  if (!isToken(token))
    throw new SequencerError("TOKEN_INVALID", { variable: tokenVariable });
  return `Bearer ${token}`;
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
