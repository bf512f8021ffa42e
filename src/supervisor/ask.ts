import { z } from "zod/v4";

/** The operators' server of a replica. */
export interface Door {
  readonly url: string;
  readonly token: string | undefined;
}

/** An answer, or why there is none. */
export type Answer =
  | { readonly result: unknown }
  | {
      /** The error that a server gave; undefined if it gave none. */
      readonly error?: { readonly code: number; readonly message: string };
      readonly reason: string;
    };

const answerType = z.union([
  z.object({
    error: z.object({ code: z.number(), message: z.string() }),
  }),
  z.object({ result: z.unknown() }),
]);

/** Asks over HTTP, and waits no longer than told. Never rejects. */
export async function ask(
  { url, token }: Door,
  request: {
    readonly method: string;
    readonly params: readonly unknown[];
    readonly waitMs: number;
  },
): Promise<Answer> {
  const { method, params, waitMs } = request;
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(waitMs),
    });
    if (response.status === 401)
      return { reason: "it does not take the token" };
    const answer = answerType.safeParse(await response.json());
    if (!answer.success) return { reason: "it does not speak JSON-RPC" };
    if ("result" in answer.data) return { result: answer.data.result };
    const { error } = answer.data;
    return { error, reason: error.message };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/** `fetch` says only that it failed; why is in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no reason given";
  if (error.name === "TimeoutError") return "it takes too long";
  if (error instanceof SyntaxError) return "it does not speak JSON-RPC";
  const code: unknown = Reflect.get(Object(error.cause), "code");
  return typeof code === "string" ? code : error.message;
}
