import type { Hex } from "../ledger/index.ts";
import type { GroupAddress, IntentId } from "../protocol/ids.ts";
import type { IndexedBlock } from "../chain/ports.ts";
import { Columns } from "./columns.ts";
import type { Database } from "./database.ts";
import { hex } from "./shapes.ts";
import {
  type Fulfilment,
  type StoredTransition,
  Transitions,
  transitionsSchema,
} from "./transitions.ts";

export const blocksSchema = `
CREATE TABLE blocks (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL
);
CREATE TABLE genesis (hash TEXT NOT NULL);
${transitionsSchema}`;

/** A block, as far as a reorganisation is found with it. */
export interface BlockId {
  readonly number: number;
  readonly hash: Hex;
}

/** A block that somebody else names. */
type NamedBlock = Pick<BlockId, "number"> & { readonly hash: string };

/** The chain as this node has seen it, and what it did to the node's groups. Numbers may be left out. */
export class Blocks {
  readonly #database: Database;
  readonly #transitions: Transitions;

  constructor(database: Database) {
    this.#database = database;
    this.#transitions = new Transitions(database);
  }

  /** The hash of the first block of the chain that this store belongs to; undefined until it is set. */
  genesis(): Hex | undefined {
    const row = this.#database.get("SELECT hash FROM genesis");
    return row === undefined
      ? undefined
      : new Columns(row, { table: "genesis", key: "1" }).read("hash", hex);
  }

  setGenesis(hash: string): void {
    this.#database.run("DELETE FROM genesis");
    this.#database.run("INSERT INTO genesis (hash) VALUES (?)", hash);
  }

  /** The last block that was added. */
  head(): BlockId | undefined {
    const row = this.#database.get(
      "SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1",
    );
    if (row === undefined) return undefined;
    const columns = new Columns(row, {
      table: "blocks",
      key: String(row["number"]),
    });
    return { number: columns.count("number"), hash: columns.read("hash", hex) };
  }

  /** The hash of a block; undefined if it was left out, pruned, or is not there yet. */
  hashAt(number: number): Hex | undefined {
    const row = this.#database.get(
      "SELECT hash FROM blocks WHERE number = ?",
      number,
    );
    return row === undefined
      ? undefined
      : new Columns(row, { table: "blocks", key: String(number) }).read(
          "hash",
          hex,
        );
  }

  /** The last block with at most this number. */
  knownAt(number: number): BlockId | undefined {
    const row = this.#database.get(
      "SELECT number, hash FROM blocks WHERE number <= ? ORDER BY number DESC LIMIT 1",
      number,
    );
    if (row === undefined) return undefined;
    const columns = new Columns(row, {
      table: "blocks",
      key: String(row["number"]),
    });
    return { number: columns.count("number"), hash: columns.read("hash", hex) };
  }

  /** Adds a block above the head. */
  add(block: NamedBlock & Partial<Pick<IndexedBlock, "transitions">>): void {
    const head = this.head();
    if (head !== undefined && block.number <= head.number)
      throw new Error(
        `Block ${block.number} cannot follow block ${head.number}.`,
      );
    this.#database.run(
      "INSERT INTO blocks (number, hash) VALUES (?, ?)",
      block.number,
      block.hash,
    );
    for (const transition of block.transitions ?? [])
      this.#transitions.add({ ...transition, block: block.number });
  }

  /** Adds what an earlier block did to a group that this node has joined since. */
  backfill(transition: StoredTransition): void {
    this.#transitions.add(transition);
  }

  /**
   * Removes later blocks and what they did. Gives what they did, newest first. Where the hashes of all earlier blocks are
   * pruned, the anchor is the head from now on: without one, all blocks would be read again from the first.
   */
  revertTo(number: number, anchor?: NamedBlock): readonly StoredTransition[] {
    const removed = this.#transitions.above(number).toReversed();
    this.#transitions.removeAbove(number);
    this.#database.run("DELETE FROM blocks WHERE number > ?", number);
    if (anchor !== undefined && this.head() === undefined) this.add(anchor);
    return removed;
  }

  /** Forgets the hashes of blocks that no reorganisation will reach. The head and all transitions stay. */
  prune(below: number): void {
    this.#database.run(
      "DELETE FROM blocks WHERE number < min(?, (SELECT max(number) FROM blocks))",
      below,
    );
  }

  /** Where an intent was fulfilled. */
  fulfilment(group: GroupAddress, id: IntentId): Fulfilment | undefined {
    return this.#transitions.fulfilment(group, id);
  }

  /** Those of some intents that were fulfilled. */
  fulfilledAmong(
    group: GroupAddress,
    ids: readonly IntentId[],
  ): ReadonlySet<IntentId> {
    return this.#transitions.fulfilledAmong(group, ids);
  }

  /** Whether a transaction made a transition of a group in a block, as far as this is indexed. */
  hasTransition(
    group: string,
    place: { readonly block: number; readonly transactionHash: string },
  ): boolean {
    return this.#transitions.has(group, place);
  }

  /** What later blocks did, oldest first. */
  transitionsAbove(number: number): readonly StoredTransition[] {
    return this.#transitions.above(number);
  }

  /** The transition that fulfilled an intent. */
  transitionOf(
    group: GroupAddress,
    id: IntentId,
  ): StoredTransition | undefined {
    return this.#transitions.of(group, id);
  }
}
