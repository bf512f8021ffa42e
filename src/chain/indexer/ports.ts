import type { GroupAddress } from "../../protocol/ids.ts";
import type { ChainClient } from "../ports.ts";
import type { Timers } from "../../async/timers.ts";
import type { ChainBlock } from "./blocks.ts";
import type { DoubtOptions } from "./doubt.ts";
import type { BlockReference } from "./fork.ts";

/** How to follow the chain. */
export interface IndexerOptions extends DoubtOptions {
  readonly chainId: bigint;
  /** Whose creations of groups are told. */
  readonly factory?: string | undefined;
  /** Groups that are indexed up to the last indexed block already. Others come with `watch`. */
  readonly groups: readonly string[];
  /** Where to begin when nothing is indexed. Without it: at the head. */
  readonly fromBlock?: number | undefined;
  /** How many blocks must be on top of one before it is told; 0 takes blocks at once. */
  readonly confirmations: number;
  /** How often to look for blocks when nothing tells of them; below a second, more often if they come faster. Undefined: what suits the chain. */
  readonly pollMs: number | undefined;
  /** The most blocks to ask for at once. */
  readonly pageBlocks: number;
  /** This close to the head, blocks are read one by one, and all of them are told. */
  readonly reorgDepthMax: number;
  /** A contract that the chain must have; without it, blocks are not taken back. */
  readonly contract?: string | undefined;
}

/** Values for {@link IndexerOptions} that suit most chains. */
export const indexerDefaults = {
  confirmations: 0,
  pollMs: undefined,
  pageBlocks: 2_000,
  reorgDepthMax: 128,
  doubtMs: 5_000,
  sureMs: 30_000,
  sureLooks: 8,
} as const;

/** What the indexer needs of its node. */
export interface IndexerPorts {
  readonly client: ChainClient;
  readonly timers: Timers;
  /** The last block that is indexed. */
  readonly head: () => BlockReference | undefined;
  /** The last block that is indexed with at most this number. */
  readonly knownAt: (number: number) => BlockReference | undefined;
  /** The hash of the first block of the chain, from when it was followed first. */
  readonly genesis: () => string | undefined;
  /** Remembers it. */
  readonly onGenesis: (hash: string) => Promise<void>;
  /** The last block in which one of the groups was created. */
  readonly lastCreation: () => number | undefined;
  /** Takes blocks in ascending order; a missing number is an empty block. Resolves when they are committed. */
  readonly onBlocks: (blocks: readonly ChainBlock[]) => Promise<void>;
  /** Takes the past of a group that is watched late, up to block `through`. Resolves when it is committed. */
  readonly onHistory: (
    group: GroupAddress,
    blocks: readonly ChainBlock[],
    through: number,
  ) => Promise<void>;
  /**
   * Blocks above this number never happened; -1 means none did. The anchor is the last one that stays, if nothing at or below
   * this number is remembered otherwise. Resolves when they are erased.
   */
  readonly onRevert: (height: number, anchor?: BlockReference) => Promise<void>;
  /** The chain cannot be followed; undefined when it can again. An error that is no `ChainError` stops the indexer. */
  readonly onTrouble: (error: Error | undefined) => void;
}
