import { expect } from "chai";

import { parseBytes32, ZERO_BYTES32 } from "../../src/ledger/index.ts";
import type { GroupAddress } from "../../src/protocol/ids.ts";
import type { ChainBlock } from "../../src/chain/indexer/blocks.ts";
import type { BlockReference } from "../../src/chain/indexer/fork.ts";
import { Indexer } from "../../src/chain/indexer/indexer.ts";
import {
  indexerDefaults,
  type IndexerOptions,
  type IndexerPorts,
} from "../../src/chain/indexer/ports.ts";
import { machineTimers } from "../../src/async/timers.ts";
import type { ChainClient } from "../../src/chain/ports.ts";

function emptyBlock({ number, hash }: BlockReference): ChainBlock {
  return {
    number,
    hash: parseBytes32(hash),
    parentHash: ZERO_BYTES32,
    timestamp: 0,
    transitions: [],
    committees: [],
    created: [],
  };
}

/** What a node would have on disk of the chain. It survives the indexer. */
export class MemoryIndex {
  readonly blocks: ChainBlock[] = [];
  /** By group, what was told late. */
  readonly history = new Map<GroupAddress, ChainBlock[]>();
  readonly reverts: number[] = [];
  readonly troubles: (Error | undefined)[] = [];
  readonly pages: number[] = [];
  genesis: string | undefined;
  lastCreation: number | undefined;
  readonly listeners = new Set<() => void>();

  /** Opens an indexer that writes here. */
  open(
    client: ChainClient,
    options: Partial<IndexerOptions>,
    ports: Partial<IndexerPorts> = {},
  ): Indexer {
    return new Indexer(
      {
        ...indexerDefaults,
        chainId: 31337n,
        groups: [],
        pollMs: 20,
        ...options,
      },
      { client, timers: machineTimers, ...this.ports(), ...ports },
    );
  }

  /** What an indexer needs to write here. */
  ports(): Omit<IndexerPorts, "client" | "timers"> {
    return {
      head: () => this.blocks.at(-1),
      knownAt: (number) =>
        this.blocks.findLast((block) => block.number <= number),
      genesis: () => this.genesis,
      onGenesis: async (hash) => {
        this.genesis = hash;
        await Promise.resolve();
      },
      lastCreation: () => this.lastCreation,
      onBlocks: async (blocks) => {
        await this.#take(blocks);
      },
      onHistory: async (group, blocks) => {
        const known = this.history.get(group) ?? [];
        this.history.set(group, [...known, ...blocks]);
        await Promise.resolve();
      },
      onRevert: async (height, anchor) => {
        this.reverts.push(height);
        while ((this.blocks.at(-1)?.number ?? -1) > height) this.blocks.pop();
        if (anchor !== undefined && this.blocks.length === 0)
          this.blocks.push(emptyBlock(anchor));
        for (const [group, blocks] of this.history)
          this.history.set(
            group,
            blocks.filter(({ number }) => number <= height),
          );
        this.tell();
        await Promise.resolve();
      },
      onTrouble: (error) => {
        this.troubles.push(error);
        this.tell();
      },
    };
  }

  /** Of older blocks nothing is left. */
  forgetBelow(number: number): void {
    const kept = this.blocks.findIndex((block) => block.number >= number);
    this.blocks.splice(0, kept);
  }

  get height(): number {
    return this.blocks.at(-1)?.number ?? -1;
  }

  /** Hashes of the transitions of a group, in the order of the chain. */
  transitionsOf(group: GroupAddress): readonly string[] {
    return [...(this.history.get(group) ?? []), ...this.blocks]
      .flatMap(({ transitions }) => transitions)
      .filter((transition) => transition.group === group)
      .map(({ transitionHash }) => transitionHash);
  }

  /** Resolves when something holds, which is looked at whenever something was told. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.listeners.delete(look);
        resolve();
      };
      this.listeners.add(look);
    });
  }

  /** Resolves when the indexer told something, or a moment has passed. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.listeners.delete(done);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, 5);
      this.listeners.add(done);
    });
  }

  async #take(blocks: readonly ChainBlock[]): Promise<void> {
    for (const block of blocks) {
      expect(block.number, "in order").to.be.above(this.height);
      if (block.number === this.height + 1 && this.blocks.length > 0)
        // Hardhat does not know the parents of blocks that it made at once.
        expect(block.parentHash, "linked").to.be.oneOf([
          this.blocks.at(-1)?.hash,
          `0x${"0".repeat(64)}`,
        ]);
      this.blocks.push(block);
    }
    this.pages.push(blocks.length);
    this.tell();
    await Promise.resolve();
  }

  tell(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
