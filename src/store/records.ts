import { crc32 } from "node:zlib";

import {
  type GroupAddress,
  type IntentId,
  parseIntentId,
} from "../protocol/ids.ts";
import {
  type EndorsedRecord,
  type IntentRecord,
  type Receipt,
  recordKey,
  type SavedRecord,
} from "../protocol/records.ts";
import type { Bundles } from "./bundles.ts";
import { Columns } from "./columns.ts";
import type { Database, Row, Value } from "./database.ts";
import { lengthened, type ShortDispatch, shortened } from "./short-dispatch.ts";

/**
 * What of a record stays as it is, and what changes, are apart: the one is much longer, and the other is written several times.
 * Open records have an index of their own, so that a node with a long past starts as fast as a new one.
 */
export const recordsSchema = `
CREATE TABLE records (
  number INTEGER PRIMARY KEY,
  group_address TEXT NOT NULL,
  key TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('open', 'confirmed', 'reverted')),
  block INTEGER,
  record TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  progress TEXT NOT NULL,
  progress_checksum INTEGER NOT NULL,
  UNIQUE (group_address, key)
);
CREATE INDEX records_open ON records (group_address) WHERE outcome = 'open';
CREATE INDEX records_reverted ON records (group_address) WHERE outcome = 'reverted';
CREATE INDEX records_confirmed ON records (group_address, block) WHERE outcome = 'confirmed';
`;

/** Everything that is read of a record. */
const COLUMNS = "key, record, checksum, progress, progress_checksum";

/** Endorsed bundles have a table of their own. */
export type CoreRecord = Exclude<SavedRecord, EndorsedRecord>;

/** What of a record stays as it is, what changes, and the object that all its versions share. */
interface Parts {
  readonly lasting: () => object;
  readonly progress: object;
  readonly shared: object;
}

/** Where a record was written. */
interface Place {
  readonly group: GroupAddress;
  readonly number: Value;
}

/** What of a record changes. */
interface Changed {
  readonly key: string;
  readonly text: string;
  readonly checksum: number;
  readonly outcome: ReturnType<typeof outcomeOf>;
  readonly block: number | null;
}

/** What is open and stays so changes in no index. */
const ADVANCE = `UPDATE records SET progress = ?, progress_checksum = ?
  WHERE number = ? AND key = ? AND group_address = ? AND outcome = 'open'`;
const END = `UPDATE records SET progress = ?, progress_checksum = ?, outcome = ?, block = ?
  WHERE number = ? AND key = ? AND group_address = ?`;

/** What the protocol core wants to find again: its intents, dispatches and handovers. */
export class Records {
  readonly #database: Database;
  readonly #bundles: Pick<Bundles, "find" | "has">;
  readonly #places = new WeakMap<object, Place>();

  constructor(database: Database, bundles: Pick<Bundles, "find" | "has">) {
    this.#database = database;
    this.#bundles = bundles;
  }

  /** Replaces what was kept under the same key. */
  save(group: GroupAddress, record: CoreRecord): void {
    const { lasting, progress, shared } = this.#partsOf(group, record);
    const key = recordKey(record);
    const text = JSON.stringify(progress);
    const receipt = record.kind === "intent" ? record.receipt : undefined;
    const changed: Changed = {
      key,
      text,
      checksum: checksumOf(key, text),
      outcome: outcomeOf(receipt?.type),
      block: receipt?.type === "Confirmed" ? receipt.block : null,
    };
    const place = this.#places.get(shared);
    if (place?.group === group && this.#update(place, changed)) return;
    const number = this.#replace(group, JSON.stringify(lasting()), changed);
    this.#places.set(shared, { group, number });
  }

  /** Whether it is where it was written: it may have been erased, and something else be in its place. */
  #update({ group, number }: Place, changed: Changed): boolean {
    const { key, text, checksum, outcome, block } = changed;
    const what = [text, checksum] as const;
    const where = [number, key, group] as const;
    const changes =
      outcome === "open"
        ? this.#database.run(ADVANCE, ...what, ...where)
        : this.#database.run(END, ...what, outcome, block, ...where);
    return changes > 0;
  }

  /** Gives the number of its row, if it is a new one. Otherwise it is that of another, which `#update` notices. */
  #replace(
    group: GroupAddress,
    lasting: string,
    { key, text, checksum, outcome, block }: Changed,
  ): Value {
    const { lastRow } = this.#database.change(
      `INSERT INTO records (group_address, key, outcome, block, record, checksum, progress, progress_checksum)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (group_address, key) DO UPDATE SET outcome = excluded.outcome, block = excluded.block,
         record = excluded.record, checksum = excluded.checksum,
         progress = excluded.progress, progress_checksum = excluded.progress_checksum`,
      group,
      key,
      outcome,
      block,
      lasting,
      checksumOf(key, lasting),
      text,
      checksum,
    );
    return lastRow;
  }

  erase(group: GroupAddress, key: string): void {
    this.#database.run(
      "DELETE FROM records WHERE group_address = ? AND key = ?",
      group,
      key,
    );
  }

  /** All that is not over, in the order in which it came. */
  open(group: GroupAddress): readonly CoreRecord[] {
    return this.#database
      .all(
        `SELECT ${COLUMNS} FROM records WHERE group_address = ? AND outcome = 'open' ORDER BY number`,
        group,
      )
      .map((row) => {
        const record = readRecord(row);
        return "signatures" in record
          ? lengthened(this.#bundles, group, record)
          : record;
      });
  }

  /** The groups in which something is not over. */
  openGroups(): readonly string[] {
    return this.#database
      .all(
        "SELECT DISTINCT group_address FROM records WHERE outcome = 'open' AND key <> 'horizon'",
      )
      .map((row) => String(row["group_address"]));
  }

  /** An intent, open or settled. */
  intent(group: GroupAddress, id: IntentId): IntentRecord | undefined {
    const row = this.#database.get(
      `SELECT ${COLUMNS} FROM records WHERE group_address = ? AND key = ?`,
      group,
      `intent:${id}`,
    );
    return row === undefined ? undefined : readIntent(row);
  }

  /** Intents that were confirmed in later blocks, oldest first. */
  confirmedAbove(group: GroupAddress, block: number): readonly IntentRecord[] {
    return this.#database
      .all(
        `SELECT ${COLUMNS} FROM records
         WHERE group_address = ? AND outcome = 'confirmed' AND block > ? ORDER BY block, number`,
        group,
        block,
      )
      .map(readIntent);
  }

  /** Intents that ended as reverted, the last ones of them, oldest first. */
  lastReverted(group: GroupAddress, count: number): readonly IntentRecord[] {
    return this.#database
      .all(
        `SELECT ${COLUMNS} FROM records
         WHERE group_address = ? AND outcome = 'reverted' ORDER BY number DESC LIMIT ?`,
        group,
        count,
      )
      .map(readIntent)
      .reverse();
  }

  /** Those of some intents that ended here as reverted. Most groups have none, and then nothing is looked up. */
  revertedAmong(
    group: GroupAddress,
    ids: readonly IntentId[],
  ): readonly IntentRecord[] {
    if (ids.length === 0) return [];
    const any = this.#database.get(
      "SELECT 1 FROM records WHERE group_address = ? AND outcome = 'reverted' LIMIT 1",
      group,
    );
    if (any === undefined) return [];
    return ids.flatMap((id) =>
      this.isReverted(group, id) ? (this.intent(group, id) ?? []) : [],
    );
  }

  /** Whether an intent of this node ended as reverted. */
  isReverted(group: GroupAddress, id: IntentId): boolean {
    const row = this.#database.get(
      "SELECT outcome FROM records WHERE group_address = ? AND key = ?",
      group,
      `intent:${id}`,
    );
    return row?.["outcome"] === "reverted";
  }

  #partsOf(group: GroupAddress, record: CoreRecord): Parts {
    switch (record.kind) {
      case "intent": {
        const { kind, intent, ...progress } = record;
        return { lasting: () => ({ kind, intent }), progress, shared: intent };
      }
      case "dispatch": {
        const { acknowledged, ...lasting } = record;
        return {
          lasting: () => shortened(this.#bundles, group, lasting),
          progress: { acknowledged },
          shared: record.bundle,
        };
      }
      case "handover":
      case "horizon":
        return { lasting: () => record, progress: {}, shared: record };
    }
  }
}

function outcomeOf(
  receipt: Receipt["type"] | undefined,
): "open" | "confirmed" | "reverted" {
  switch (receipt) {
    case undefined:
    // The user may still execute what was prepared for him.
    case "Prepared":
      return "open";
    case "Confirmed":
      return "confirmed";
    case "Reverted":
      return "reverted";
  }
}

function checksumOf(key: string, text: string): number {
  return crc32(key + text);
}

/** What was saved is there, as the checksums say, so it is read without looking at every field. */
function readRecord(row: Row): CoreRecord | ShortDispatch {
  const key = String(row["key"]);
  const columns = new Columns(row, { table: "records", key });
  const part = (name: string, checksum: string): object => {
    const text = columns.text(name);
    if (columns.count(checksum) !== checksumOf(key, text))
      throw columns.corrupt(`the checksum of its ${name} is wrong`);
    return JSON.parse(text) as object;
  };
  return withEveryField({
    ...part("record", "checksum"),
    ...part("progress", "progress_checksum"),
  } as CoreRecord | ShortDispatch);
}

function readIntent(row: Row): IntentRecord {
  const record = readRecord(row);
  if (record.kind !== "intent" || parseIntentId(record.intent.id) === undefined)
    throw new Columns(row, {
      table: "records",
      key: String(row["key"]),
    }).corrupt("it is no intent");
  return record;
}

/** JSON leaves out what is undefined; the core sees the record as it was. */
function withEveryField<Kept extends CoreRecord | ShortDispatch>(
  record: Kept,
): Kept {
  if (record.kind !== "intent") return record;
  const { parked, permission, reason, prepared, receipt, intent } = record;
  const { fulfilment } = record;
  return {
    ...record,
    fulfilment,
    intent: { ...intent, touches: intent.touches },
    parked,
    permission,
    reason,
    prepared,
    receipt,
  };
}
