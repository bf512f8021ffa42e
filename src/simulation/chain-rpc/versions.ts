import type { Block } from "./block.ts";

/** Which blocks are below which: the part of the tree of blocks that values need. */
interface Ancestry {
  readonly isBelow: (block: Block, at: Block) => boolean;
}

interface Version<Value> {
  readonly block: Block;
  readonly value: Value;
}

/** What was written since the block was begun, so that a transaction that fails leaves nothing. */
export class Journal {
  readonly #undo: (() => void)[] = [];

  /** Where it stands, for {@link undo}. */
  get mark(): number {
    return this.#undo.length;
  }

  add(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Forgets what was written after a mark. */
  undo(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  /** What was written stays. */
  clear(): void {
    this.#undo.length = 0;
  }
}

/** Shared by all values of one chain. */
export interface VersionPorts {
  readonly tree: Ancestry;
  readonly journal: Journal;
}

/**
 * Values as of every block, on every branch. Each write belongs to the block in which it happened; reading at a block gives
 * the last write at or below it. So a node that is late, or on a branch that the chain has left, sees what it should.
 */
export class Versions<Key, Value> {
  readonly #ports: VersionPorts;
  readonly #versions = new Map<Key, Version<Value>[]>();

  constructor(ports: VersionPorts) {
    this.#ports = ports;
  }

  get(key: Key, at: Block): Value | undefined {
    const versions = this.#versions.get(key);
    if (versions === undefined) return undefined;
    for (let i = versions.length - 1; i >= 0; i--) {
      const version = versions[i];
      if (version !== undefined && this.#ports.tree.isBelow(version.block, at))
        return version.value;
    }
    return undefined;
  }

  set(key: Key, at: Block, value: Value): void {
    let versions = this.#versions.get(key);
    if (versions === undefined) {
      versions = [];
      this.#versions.set(key, versions);
    }
    const list = versions;
    const last = list.at(-1);
    if (last?.block === at) {
      list[list.length - 1] = { block: at, value };
      this.#ports.journal.add(() => {
        list[list.length - 1] = last;
      });
    } else {
      list.push({ block: at, value });
      this.#ports.journal.add(() => {
        list.pop();
      });
    }
  }
}
