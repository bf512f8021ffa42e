import type { EthereumProvider } from "hardhat/types/providers";

import { JsonServer } from "./http.ts";

/** Answers a request itself, or lets the chain behind answer; what it throws becomes the node's refusal. */
export type Intercept = (
  method: string,
  forward: () => Promise<unknown>,
) => Promise<unknown>;

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params?: unknown[];
}

/** A node in front of a simulated chain, which can misbehave as real nodes do. */
export function aRelay(
  provider: EthereumProvider,
  intercept: Intercept,
): JsonServer {
  return new JsonServer(async ({ body }) => {
    const { id, method, params = [] } = JSON.parse(body) as Request;
    const forward = async (): Promise<unknown> =>
      await provider.request({ method, params });
    try {
      const result = (await intercept(method, forward)) ?? null;
      return { jsonrpc: "2.0", id, result };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { jsonrpc: "2.0", id, error: { code: -32000, message } };
    }
  });
}
