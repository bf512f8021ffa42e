import type { ChainClient } from "../chain/ports.ts";

/** Which request an error is the answer to. */
const requests = new WeakMap<Error, string>();

/** Remembers of every error which request it is the answer to. */
export function nameRequests(client: ChainClient): ChainClient {
  return {
    request: async (method, params) => {
      try {
        return await client.request(method, params);
      } catch (error) {
        if (error instanceof Error) requests.set(error, method);
        throw error;
      }
    },
    onHead: (listener) => client.onHead(listener),
    close: async () => {
      await client.close();
    },
  };
}

/** What is wrong, after the name of the request that failed, if it was one: `eth_getLogs: Cannot reach …`. */
export function troubleOf(error: Error): string {
  const method = requests.get(error);
  return method === undefined ? error.message : `${method}: ${error.message}`;
}
