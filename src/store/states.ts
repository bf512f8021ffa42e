import type { StateId as LedgerId } from "../ledger/index.ts";
import type { GroupAddress, StateId } from "../protocol/ids.ts";
import { Contents, contentsSchema, type StateContent } from "./contents.ts";
import type { Database } from "./database.ts";
import {
  type LedgerState,
  readKnownState,
  readLedgerState,
  type UnspentState,
} from "./state-rows.ts";

/** What is unspent, and what is missing, is found without looking at what is spent. */
export const statesSchema = `
CREATE TABLE states (
  number INTEGER PRIMARY KEY,
  group_address TEXT NOT NULL,
  ledger_id TEXT NOT NULL,
  block INTEGER NOT NULL,
  intents_hash TEXT NOT NULL,
  output_index INTEGER NOT NULL,
  is_vacancy INTEGER NOT NULL,
  has_content INTEGER NOT NULL,
  is_foreign INTEGER NOT NULL DEFAULT 0,
  spent_block INTEGER,
  UNIQUE (group_address, ledger_id)
);
CREATE INDEX states_by_block ON states (block);
CREATE INDEX states_by_spent_block ON states (spent_block) WHERE spent_block IS NOT NULL;
CREATE INDEX states_unspent ON states (group_address, is_vacancy, block) WHERE spent_block IS NULL;
CREATE INDEX states_missing ON states (group_address, block)
  WHERE spent_block IS NULL AND is_vacancy = 0 AND has_content = 0 AND is_foreign = 0;
${contentsSchema}`;

/** A state is spent, in which block. */
export interface Spending {
  readonly ledgerId: LedgerId;
  readonly block: number;
}

/** The states of the ledger, and what this node knows of them. */
export class States {
  readonly #database: Database;
  readonly #contents: Contents;

  constructor(database: Database) {
    this.#database = database;
    this.#contents = new Contents(database);
  }

  /** A transition created a state, whose content this node may know. */
  created(
    group: GroupAddress,
    state: LedgerState,
    content?: StateContent,
  ): void {
    if (content !== undefined) this.#contents.save(group, content);
    this.#database.run(
      `INSERT INTO states (group_address, ledger_id, block, intents_hash, output_index, is_vacancy, has_content)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, CASE WHEN ?7 THEN 1 ELSE EXISTS (SELECT 1 FROM contents WHERE group_address = ?1 AND ledger_id = ?2) END)`,
      group,
      state.ledgerId,
      state.block,
      state.intentsHash,
      state.index,
      state.isVacancy ? 1 : 0,
      content === undefined ? 0 : 1,
    );
  }

  /** A transition spent a state. The ledger spends only what is there, so that a node which does not have it is broken. */
  spent(group: GroupAddress, state: Spending): void {
    const changed = this.#database.run(
      "UPDATE states SET spent_block = ? WHERE group_address = ? AND ledger_id = ? AND spent_block IS NULL",
      state.block,
      group,
      state.ledgerId,
    );
    if (changed !== 1)
      throw new Error(
        `Block ${state.block} spends state ${state.ledgerId} of group ${group}, which is not among the unspent ones.`,
      );
  }

  /** Later blocks never happened. Contents stay: the same states may come again. */
  revertTo(block: number): void {
    this.#database.run("DELETE FROM states WHERE block > ?", block);
    this.#database.run(
      "UPDATE states SET spent_block = NULL WHERE spent_block > ?",
      block,
    );
  }

  /** Keeps what a state means. It does not matter whether the state is on the ledger yet. */
  saveContent(group: GroupAddress, content: StateContent): void {
    this.#contents.save(group, content);
    this.#database.run(
      "UPDATE states SET has_content = 1 WHERE group_address = ? AND ledger_id = ?",
      group,
      content.ledgerId,
    );
  }

  /** What can be spent and is known, in the order in which the ledger created it. */
  unspent(group: GroupAddress): readonly UnspentState[] {
    return this.#database
      .all(
        `SELECT * FROM states JOIN contents USING (group_address, ledger_id)
         WHERE group_address = ? AND is_vacancy = 0 AND spent_block IS NULL ORDER BY block, number`,
        group,
      )
      .map(readKnownState);
  }

  /** Unspent outputs without content, which keep a register for later. Oldest first. */
  vacancies(group: GroupAddress): readonly LedgerState[] {
    return this.#database
      .all(
        `SELECT * FROM states WHERE group_address = ? AND is_vacancy = 1 AND spent_block IS NULL
         ORDER BY block, number`,
        group,
      )
      .map(readLedgerState);
  }

  /** This node may not see what a state means, so nothing of it is missing. */
  markForeign(group: GroupAddress, id: LedgerId): void {
    this.#database.run(
      "UPDATE states SET is_foreign = 1 WHERE group_address = ? AND ledger_id = ?",
      group,
      id,
    );
  }

  /** This node may see what all unspent states of a group mean. */
  unmarkForeign(group: GroupAddress): void {
    this.#database.run(
      "UPDATE states SET is_foreign = 0 WHERE group_address = ? AND is_foreign = 1 AND spent_block IS NULL",
      group,
    );
  }

  /** Unspent states whose content this node does not have, and may have. Oldest first. */
  missing(group: GroupAddress): readonly LedgerState[] {
    return this.#database
      .all(
        `SELECT * FROM states INDEXED BY states_missing
         WHERE group_address = ? AND is_vacancy = 0 AND has_content = 0 AND is_foreign = 0 AND spent_block IS NULL
         ORDER BY block, number`,
        group,
      )
      .map(readLedgerState);
  }

  /** The groups in which something is missing. */
  incompleteGroups(): readonly string[] {
    return this.#database
      .all(
        `SELECT DISTINCT group_address FROM states INDEXED BY states_missing
         WHERE is_vacancy = 0 AND has_content = 0 AND is_foreign = 0 AND spent_block IS NULL`,
      )
      .map((row) => String(row["group_address"]));
  }

  /** A state by its private id, whether it is spent or not. */
  content(group: GroupAddress, id: StateId): StateContent | undefined {
    return this.#contents.get(group, id);
  }

  /** A state by its id on the ledger, whether it is spent or not. */
  byLedgerId(
    group: GroupAddress,
    ledgerId: LedgerId,
  ): StateContent | undefined {
    return this.#contents.byLedgerId(group, ledgerId);
  }
}
