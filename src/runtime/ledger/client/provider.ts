import type { ChainClient } from "../../ports.ts";
import { fieldOf, refusalOf, unreachable } from "./answers.ts";

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

/** A chain behind a provider in this process. One client serves all nodes that share the provider. Closing it leaves the provider open for whoever owns it. */
export function openProviderClient(provider: Eip1193Provider): ChainClient {
  const listeners = new Set<() => void>();
  let isListening = false;
  let subscription: unknown;

  const request: ChainClient["request"] = async (method, params) => {
    try {
      return await provider.request({ method, params: [...params] });
    } catch (error) {
      const refusal = refusalOf(error);
      // A node's answer has a code, or says why a call reverted. Anything else is not from the node.
      const isAnswer = refusal.code ?? refusal.data;
      throw isAnswer === undefined ? unreachable("the chain", error) : refusal;
    }
  };
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
    request,
    onHead: (listener) => {
      listeners.add(listener);
      listen();
      return () => listeners.delete(listener);
    },
    close: async () => {
      listeners.clear();
      provider.removeListener?.("message", hear);
      if (subscription !== undefined)
        await request("eth_unsubscribe", [subscription]).catch(() => undefined);
    },
  };
}
