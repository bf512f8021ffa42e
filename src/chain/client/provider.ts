import type { ChainClient } from "../ports.ts";
import { fieldOf, refusalOf, unreachable } from "./answers.ts";
import type { Attempt } from "./careful.ts";

/** An EIP-1193 provider, as `connection.provider` of Hardhat. Events are optional. */
export interface Eip1193Provider {
  request(request: {
    readonly method: string;
    readonly params: unknown[];
  }): Promise<unknown>;
  on?(event: "message", listener: (message: unknown) => void): unknown;
  removeListener?(
    event: "message",
    listener: (message: unknown) => void,
  ): unknown;
}

/** Asks a provider in this process. A request that is given up goes on inside it. */
export function attemptWith(provider: Eip1193Provider): Attempt {
  return async (method, params) => {
    try {
      return await provider.request({ method, params: [...params] });
    } catch (error) {
      const refusal = refusalOf(error);
      // A node's answer has a code, or says why a call reverted. Anything else is not from the node.
      const isAnswer = refusal.code ?? refusal.data;
      throw isAnswer === undefined ? unreachable("the chain", error) : refusal;
    }
  };
}

/** Tells of the blocks of a provider. One serves all nodes that share the provider. Closing leaves the provider open for its owner. */
export function watchHeads(
  provider: Eip1193Provider,
  request: ChainClient["request"],
): { readonly onHead: ChainClient["onHead"]; readonly close: () => void } {
  const listeners = new Set<() => void>();
  let isListening = false;
  let subscription: unknown;

  const hear = (message: unknown): void => {
    if (fieldOf(message, "type") !== "eth_subscription") return;
    for (const listener of listeners) listener();
  };
  // A provider that cannot subscribe is polled, as one without events is.
  const listen = (): void => {
    if (isListening || provider.on === undefined) return;
    isListening = true;
    provider.on("message", hear);
    request("eth_subscribe", ["newHeads"]).then(
      (id) => (subscription = id),
      () => undefined,
    );
  };
  return {
    onHead: (listener) => {
      listeners.add(listener);
      listen();
      return () => listeners.delete(listener);
    },
    close: () => {
      listeners.clear();
      provider.removeListener?.("message", hear);
      if (subscription === undefined) return;
      const params = [subscription];
      subscription = undefined;
      // Nobody waits for the answer: the provider may never give one.
      provider
        .request({ method: "eth_unsubscribe", params })
        .catch(() => undefined);
    },
  };
}
