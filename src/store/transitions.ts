import {
  type GroupAddress,
  type IntentId,
  parseGroupAddress,
  parseIntentId,
} from "../protocol/ids.ts";
import { listOf } from "../protocol/shape.ts";
import type { IndexedTransition } from "../chain/ports.ts";
import { Columns } from "./columns.ts";
import type { Database, Row } from "./database.ts";
import { hex, ledgerId } from "./shapes.ts";

export const transitionsSchema = `
CREATE TABLE transitions (
  number INTEGER PRIMARY KEY,
  group_address TEXT NOT NULL,
  transition_hash TEXT NOT NULL,
  block INTEGER NOT NULL,
  transaction_hash TEXT NOT NULL,
  transaction_index INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  intents TEXT NOT NULL,
  inputs TEXT NOT NULL,
  outputs TEXT NOT NULL
);
CREATE INDEX transitions_by_block ON transitions (block, log_index);
CREATE TABLE fulfilments (
  group_address TEXT NOT NULL,
  intent_id TEXT NOT NULL,
  transition INTEGER NOT NULL REFERENCES transitions (number) ON DELETE CASCADE,
  PRIMARY KEY (group_address, intent_id)
) WITHOUT ROWID;
CREATE INDEX fulfilments_by_transition ON fulfilments (transition);
`;

/** A transition and the block that it is in. */
export interface StoredTransition extends IndexedTransition {
  readonly block: number;
}

/** Where an intent was fulfilled. */
export type Fulfilment = Pick<
  StoredTransition,
  | "block"
  | "transactionHash"
  | "transactionIndex"
  | "logIndex"
  | "transitionHash"
>;

/** What the ledger did to this node's groups. An intent is in one of them at most, as the contract makes sure. */
export class Transitions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether a transaction made a transition of a group in a block. */
  has(
    group: string,
    place: { readonly block: number; readonly transactionHash: string },
  ): boolean {
    const row = this.#database.get(
      "SELECT 1 FROM transitions WHERE block = ? AND group_address = ? AND transaction_hash = ?",
      place.block,
      group,
      place.transactionHash,
    );
    return row !== undefined;
  }

  add(transition: StoredTransition): void {
    const { group } = transition;
    const intents = JSON.stringify(transition.intents);
    this.#database.run(
      `INSERT INTO transitions (group_address, transition_hash, block, transaction_hash, transaction_index, log_index, intents, inputs, outputs)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      group,
      transition.transitionHash,
      transition.block,
      transition.transactionHash,
      transition.transactionIndex,
      transition.logIndex,
      intents,
      JSON.stringify(transition.inputs),
      JSON.stringify(transition.outputs),
    );
    this.#database.run(
      // Fulfilments have no row ids, so the last one is that of the transition.
      "INSERT INTO fulfilments (group_address, intent_id, transition) SELECT ?, value, last_insert_rowid() FROM json_each(?)",
      group,
      intents,
    );
  }

  removeAbove(block: number): void {
    this.#database.run("DELETE FROM transitions WHERE block > ?", block);
  }

  /** Oldest first. */
  above(block: number): readonly StoredTransition[] {
    return this.#database
      .all(
        "SELECT * FROM transitions WHERE block > ? ORDER BY block, log_index",
        block,
      )
      .map(readTransition);
  }

  /** Those of some intents that were fulfilled. */
  fulfilledAmong(
    group: GroupAddress,
    ids: readonly IntentId[],
  ): ReadonlySet<IntentId> {
    const [only] = ids;
    if (only === undefined) return new Set();
    const rows =
      ids.length === 1
        ? this.#database.all(
            "SELECT intent_id FROM fulfilments WHERE group_address = ? AND intent_id = ?",
            group,
            only,
          )
        : this.#database.all(
            `SELECT intent_id FROM fulfilments
             WHERE group_address = ? AND intent_id IN (SELECT value FROM json_each(?))`,
            group,
            JSON.stringify(ids),
          );
    return new Set(rows.map(idOf));
  }

  fulfilment(group: GroupAddress, id: IntentId): Fulfilment | undefined {
    const row = this.#database.get(
      `SELECT block, transaction_hash, transaction_index, log_index, transition_hash
       FROM fulfilments JOIN transitions ON number = transition
       WHERE fulfilments.group_address = ? AND intent_id = ?`,
      group,
      id,
    );
    return row === undefined ? undefined : readFulfilment(columnsOf(row));
  }

  /** The transition that fulfilled an intent. */
  of(group: GroupAddress, id: IntentId): StoredTransition | undefined {
    const row = this.#database.get(
      `SELECT transitions.* FROM fulfilments JOIN transitions ON number = transition
       WHERE fulfilments.group_address = ? AND intent_id = ?`,
      group,
      id,
    );
    return row === undefined ? undefined : readTransition(row);
  }
}

function idOf(row: Row): IntentId {
  const id = String(row["intent_id"]);
  const columns = new Columns(row, { table: "fulfilments", key: id });
  return columns.read("intent_id", parseIntentId);
}

function columnsOf(row: Row): Columns {
  return new Columns(row, {
    table: "transitions",
    key: String(row["transition_hash"]),
  });
}

function readFulfilment(columns: Columns): Fulfilment {
  return {
    block: columns.count("block"),
    transactionHash: columns.read("transaction_hash", hex),
    transactionIndex: columns.count("transaction_index"),
    logIndex: columns.count("log_index"),
    transitionHash: columns.read("transition_hash", hex),
  };
}

const ledgerIds = listOf(ledgerId, Infinity);
const intentIds = listOf(parseIntentId, Infinity);

function readTransition(row: Row): StoredTransition {
  const columns = columnsOf(row);
  return {
    group: columns.read("group_address", parseGroupAddress),
    ...readFulfilment(columns),
    intents: columns.json("intents", intentIds),
    inputs: columns.json("inputs", ledgerIds),
    outputs: columns.json("outputs", ledgerIds),
  };
}
