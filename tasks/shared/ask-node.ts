import { RpcClient, tokenVariable } from "./rpc-client.ts";

/** The first node of `sequencer:run`. */
const urlDefault = "http://127.0.0.1:8550";

/** The node that the user means with `--url`. */
export function nodeAt(url: string | undefined): RpcClient {
  return clientAt(url ?? urlDefault);
}

/** The node at an address, with the token of the environment if there is one. */
export function clientAt(url: string): RpcClient {
  return new RpcClient(url, process.env[tokenVariable]);
}
