import { LedgerInputError, topicOf } from "../ledger/index.ts";
import { parseGroupAddress } from "../protocol/ids.ts";
import { parseReceipt } from "../chain/values.ts";
import type { ChainClient } from "../chain/ports.ts";
import type { Store } from "../store/store.ts";

interface OwnReceiptsPorts {
  readonly client: ChainClient;
  readonly store: Pick<Store, "blocks" | "groups">;
  /** A transaction of this node made a transition in an indexed block that the index does not have. */
  readonly onMissed: (place: {
    readonly block: number;
    readonly transactionHash: string;
  }) => void;
}

/** A chain whose receipts are compared with the index: logs that were hidden from the indexer show up in them. */
export function compareReceipts(ports: OwnReceiptsPorts): ChainClient {
  const { client, store, onMissed } = ports;
  const transitioned = topicOf("Transitioned");
  const compare = (answer: unknown): void => {
    const receipt = parseReceipt(answer);
    if (receipt === undefined) return;
    const { blockNumber: block, blockHash, transactionHash } = receipt;
    const head = store.blocks.head();
    const isIndexed =
      head !== undefined &&
      block <= head.number &&
      (store.blocks.hashAt(block) ?? blockHash) === blockHash;
    if (!isIndexed) return;
    const place = { block, transactionHash };
    const isMissed = receipt.logs.some(
      ({ address, topics }) =>
        topics[0] === transitioned &&
        isFollowed(store, address, block) &&
        !store.blocks.hasTransition(address, place),
    );
    if (isMissed) onMissed(place);
  };
  return {
    request: async (method, params) => {
      const answer = await client.request(method, params);
      if (method === "eth_getTransactionReceipt")
        ignoreNonsense(compare, answer);
      return answer;
    },
    onHead: (listener) => client.onHead(listener),
    close: async () => {
      await client.close();
    },
  };
}

/** Whether blocks up to this one have been searched for logs of a group. */
function isFollowed(
  { groups }: OwnReceiptsPorts["store"],
  address: string,
  block: number,
): boolean {
  const parsed = parseGroupAddress(address);
  const group = parsed && groups.get(parsed);
  return (
    group !== undefined &&
    group.createdBlock <= block &&
    (group.historyThrough === undefined || group.historyThrough >= block)
  );
}

/** The one who asked finds out that an answer makes no sense. */
function ignoreNonsense(
  read: (answer: unknown) => void,
  answer: unknown,
): void {
  try {
    read(answer);
  } catch (error) {
    if (!(error instanceof LedgerInputError)) throw error;
  }
}
