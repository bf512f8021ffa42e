import { topicOf } from "../../../src/ledger/index.ts";
import type { Node } from "./processes.ts";

/** The intents that the ledger fulfilled in a group, in order. */
export async function fulfilledIn(
  chain: Node,
  group: string,
): Promise<readonly string[]> {
  const logs = (await chain.request("eth_getLogs", {
    address: group,
    fromBlock: "0x0",
    toBlock: "latest",
    topics: [topicOf("IntentFulfilled")],
  })) as readonly { readonly topics: readonly string[] }[];
  return logs.map(({ topics }) => topics[1] ?? "");
}
