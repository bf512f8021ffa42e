import { Indexer } from "../ledger/indexer/indexer.ts";
import { indexerDefaults } from "../ledger/indexer/ports.ts";
import type { BlockFeed } from "./blocks.ts";
import type { NodePorts } from "./ports.ts";
import type { NodeSettings } from "./settings.ts";
import { isPassing } from "./submitting.ts";
import type { Troubles } from "./trouble.ts";

interface IndexingPorts extends NodePorts {
  readonly feed: BlockFeed;
  readonly troubles: Troubles;
  readonly isStopped: () => boolean;
  readonly fail: (error: unknown) => void;
}

/** Follows the chain for a node, from the last block on its disk. */
export function createIndexer(
  options: {
    readonly chainId: bigint;
    readonly factory: string;
    readonly settings: NodeSettings;
  },
  ports: IndexingPorts,
): Indexer {
  const { store, feed, troubles } = ports;
  const { confirmations, pollMs } = options.settings;
  return new Indexer(
    {
      ...indexerDefaults,
      chainId: options.chainId,
      confirmations,
      pollMs,
      contract: options.factory,
      // Those whose past is not indexed yet come later.
      groups: store.groups
        .list()
        .filter(({ historyThrough }) => historyThrough === undefined)
        .map(({ address }) => address),
    },
    {
      ...ports,
      head: () => store.blocks.head(),
      knownAt: (number) => store.blocks.knownAt(number),
      genesis: () => store.blocks.genesis(),
      onGenesis: async (hash) => {
        store.commit(() => {
          store.blocks.setGenesis(hash);
        });
        await Promise.resolve();
      },
      lastCreation: () => {
        const created = store.groups.list().map((one) => one.createdBlock);
        return created.length === 0 ? undefined : Math.max(...created);
      },
      onBlocks: async (blocks) => {
        await feed.take(blocks);
      },
      onHistory: async (group, blocks, through) => {
        await feed.takeHistory(group, blocks, through);
      },
      onRevert: async (height, anchor) => {
        await feed.revert(height, anchor);
      },
      onTrouble: (error) => {
        if (ports.isStopped()) return;
        troubles.seeChain(error);
        if (error !== undefined && !isPassing(error)) ports.fail(error);
      },
    },
  );
}
