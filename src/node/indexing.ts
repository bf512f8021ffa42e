import { Indexer } from "../chain/indexer/indexer.ts";
import { indexerDefaults, type IndexerPorts } from "../chain/indexer/ports.ts";
import type { NodeLoop } from "./node-events.ts";
import type { NodePorts } from "./ports.ts";
import type { Requests } from "./requests.ts";
import type { NodeSettings } from "./settings.ts";
import { isPassing } from "./submitting.ts";
import type { Troubles } from "./trouble.ts";

interface IndexingPorts extends Pick<NodePorts, "client" | "timers"> {
  readonly store: Pick<NodePorts["store"], "blocks" | "groups" | "write">;
  readonly loop: Pick<NodeLoop, "post">;
  readonly requests: Pick<Requests, "ask">;
  readonly troubles: Pick<Troubles, "seeChain">;
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
  const { store, troubles } = ports;
  const { confirmations, pollMs } = options.settings;
  // Those whose past is not indexed yet come later.
  const groups = store.groups
    .list()
    .filter(({ historyThrough }) => historyThrough === undefined);
  return new Indexer(
    {
      ...indexerDefaults,
      chainId: options.chainId,
      confirmations,
      pollMs,
      contract: options.factory,
      groups: groups.map(({ address }) => address),
      // The past of a group that was joined before any block was indexed is still to come.
      fromBlock:
        groups.length === 0
          ? undefined
          : Math.min(...groups.map(({ createdBlock }) => createdBlock)),
    },
    {
      ...ports,
      head: () => store.blocks.head(),
      knownAt: (number) => store.blocks.knownAt(number),
      genesis: () => store.blocks.genesis(),
      onGenesis: async (hash) => {
        store.write(() => {
          store.blocks.setGenesis(hash);
        });
        await Promise.resolve();
      },
      lastCreation: () => {
        const created = store.groups.list().map((one) => one.createdBlock);
        return created.length === 0 ? undefined : Math.max(...created);
      },
      ...listenersOf(ports),
      onTrouble: (error) => {
        if (ports.isStopped()) return;
        troubles.seeChain(error);
        if (error !== undefined && !isPassing(error)) ports.fail(error);
      },
    },
  );
}

/** Posts what the indexer finds. Each resolves when it is on the disk, and the groups know. */
function listenersOf({
  loop,
  requests,
}: Pick<IndexingPorts, "loop" | "requests">): Pick<
  IndexerPorts,
  "onBlocks" | "onHistory" | "onRevert"
> {
  return {
    onBlocks: async (blocks) => {
      await requests.ask((request) => {
        loop.post({ type: "blocks", blocks, request });
      });
    },
    onHistory: async (group, blocks, through) => {
      await requests.ask((request) => {
        loop.post({ type: "history", group, blocks, through, request });
      });
    },
    onRevert: async (height, anchor) => {
      await requests.ask((request) => {
        loop.post({ type: "chain-reverted", height, anchor, request });
      });
    },
  };
}
