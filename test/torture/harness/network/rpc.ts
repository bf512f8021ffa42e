/** An answer that says no. */
export class RpcRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Asks over JSON-RPC. Throws an {@link RpcRefusal} if the answer is no, and something else if there is no answer. */
export async function ask<Result>(
  url: string,
  question: { readonly method: string; readonly params: readonly unknown[] },
  timeoutMs = 5_000,
): Promise<Result> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...question }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer = (await response.json()) as {
    readonly result: Result;
    readonly error?: { readonly code: number; readonly message: string };
  };
  if (answer.error !== undefined)
    throw new RpcRefusal(answer.error.code, answer.error.message);
  return answer.result;
}
