import { crc32 } from "node:zlib";

import {
  type GroupAddress,
  type IntentId,
  type NodeName,
  parseIntentId,
  parseNodeName,
} from "../../protocol/ids.ts";
import {
  type DispatchRecord,
  type IntentRecord,
  type Receipt,
  recordKey,
  type SavedRecord,
} from "../../protocol/records.ts";
import { listOf } from "../../protocol/shape.ts";
import type { Bundle } from "../../protocol/transition.ts";
import { Columns } from "./columns.ts";
import type { Database, Row } from "./database.ts";

/** Open records have an index of their own, so that a node with a long past starts as fast as a new one. */
export const recordsSchema = `
CREATE TABLE records (
  number INTEGER PRIMARY KEY,
  group_address TEXT NOT NULL,
  key TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('open', 'confirmed', 'reverted')),
  block INTEGER,
  record TEXT NOT NULL,
  acknowledged TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (group_address, key)
);
CREATE INDEX records_open ON records (group_address) WHERE outcome = 'open';
CREATE INDEX records_reverted ON records (group_address) WHERE outcome = 'reverted';
CREATE INDEX records_confirmed ON records (group_address, block) WHERE outcome = 'confirmed';
`;

/** A record as JSON. Which senders know of a dispatch changes, while the rest of it does not: that is in a column of its own. */
type Stored =
  Exclude<SavedRecord, DispatchRecord> | Omit<DispatchRecord, "acknowledged">;

const nodeNames = listOf(parseNodeName, Infinity);

/** What the protocol core wants to find again: its intents, dispatches and handovers. */
export class Records {
  readonly #database: Database;
  /** Bundles that are written down: when senders acknowledge them, only that is. */
  readonly #written = new WeakSet<Bundle>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Replaces what was kept under the same key. */
  save(group: GroupAddress, record: SavedRecord): void {
    if (record.kind !== "dispatch") {
      this.#write(group, record, []);
      return;
    }
    const { acknowledged, ...dispatch } = record;
    if (this.#acknowledge(group, record)) return;
    this.#write(group, dispatch, acknowledged);
    this.#written.add(record.bundle);
  }

  #write(
    group: GroupAddress,
    record: Stored,
    acknowledged: readonly NodeName[],
  ): void {
    const key = recordKey(record);
    const text = JSON.stringify(record);
    const receipt = record.kind === "intent" ? record.receipt : undefined;
    this.#database.run(
      `INSERT INTO records (group_address, key, outcome, block, record, acknowledged, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (group_address, key) DO UPDATE SET outcome = excluded.outcome, block = excluded.block,
         record = excluded.record, acknowledged = excluded.acknowledged, checksum = excluded.checksum`,
      group,
      key,
      outcomeOf(receipt?.type),
      receipt?.type === "Confirmed" ? receipt.block : null,
      text,
      JSON.stringify(acknowledged),
      checksumOf(key, text),
    );
  }

  /** Whether the rest of a dispatch is there already. */
  #acknowledge(group: GroupAddress, record: DispatchRecord): boolean {
    if (!this.#written.has(record.bundle)) return false;
    const changes = this.#database.run(
      "UPDATE records SET acknowledged = ? WHERE group_address = ? AND key = ?",
      JSON.stringify(record.acknowledged),
      group,
      recordKey(record),
    );
    return changes > 0;
  }

  erase(group: GroupAddress, key: string): void {
    this.#database.run(
      "DELETE FROM records WHERE group_address = ? AND key = ?",
      group,
      key,
    );
  }

  /** All that is not over, in the order in which it came. */
  open(group: GroupAddress): readonly SavedRecord[] {
    return this.#database
      .all(
        "SELECT key, record, acknowledged, checksum FROM records WHERE group_address = ? AND outcome = 'open' ORDER BY number",
        group,
      )
      .map(readRecord);
  }

  /** The groups in which something is not over. */
  openGroups(): readonly string[] {
    return this.#database
      .all("SELECT DISTINCT group_address FROM records WHERE outcome = 'open'")
      .map((row) => String(row["group_address"]));
  }

  /** An intent, open or settled. */
  intent(group: GroupAddress, id: IntentId): IntentRecord | undefined {
    const row = this.#database.get(
      "SELECT key, record, acknowledged, checksum FROM records WHERE group_address = ? AND key = ?",
      group,
      `intent:${id}`,
    );
    return row === undefined ? undefined : readIntent(row);
  }

  /** Intents that were confirmed in later blocks, oldest first. */
  confirmedAbove(group: GroupAddress, block: number): readonly IntentRecord[] {
    return this.#database
      .all(
        `SELECT key, record, acknowledged, checksum FROM records
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
        `SELECT key, record, acknowledged, checksum FROM records
         WHERE group_address = ? AND outcome = 'reverted' ORDER BY number DESC LIMIT ?`,
        group,
        count,
      )
      .map(readIntent)
      .reverse();
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
  return crc32(text, crc32(key));
}

/** The text is what was saved, as its checksum says, so it is read without looking at every field. */
function readRecord(row: Row): SavedRecord {
  const key = String(row["key"]);
  const columns = new Columns(row, { table: "records", key });
  const text = columns.text("record");
  if (columns.count("checksum") !== checksumOf(key, text))
    throw columns.corrupt("its checksum is wrong");
  const acknowledged = columns.json("acknowledged", nodeNames);
  return withEveryField(JSON.parse(text) as Stored, acknowledged);
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
function withEveryField(
  record: Stored,
  acknowledged: readonly NodeName[],
): SavedRecord {
  if (record.kind === "dispatch") return { ...record, acknowledged };
  if (record.kind !== "intent") return record;
  const { parked, permission, reason, prepared, receipt, intent } = record;
  return {
    ...record,
    intent: { ...intent, touches: intent.touches },
    parked,
    permission,
    reason,
    prepared,
    receipt,
  };
}
