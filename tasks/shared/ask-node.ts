import { RpcClient } from "./rpc-client.ts";

/** The first node of `sequencer:run`. */
const urlDefault = "http://127.0.0.1:8550";

/** The node that the user means with `--url`. */
export function nodeAt(url: string | undefined): RpcClient {
  return new RpcClient(url ?? urlDefault);
}
