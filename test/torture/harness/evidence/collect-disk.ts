import { DatabaseSync } from "node:sqlite";

import type { Disk } from "./evidence.ts";

type Row = Readonly<Record<string, unknown>>;

/** Reads what a node has on its disk about a group. The node must have stopped. */
export function collectDisk(options: {
  readonly node: string;
  readonly file: string;
  readonly group: string;
}): Disk {
  const { node, group } = options;
  const database = new DatabaseSync(options.file);
  const all = (sql: string): readonly Row[] => database.prepare(sql).all(group);
  try {
    return {
      node,
      transactions: all(
        "SELECT id, idempotency_key, intent_id FROM user_transactions WHERE group_address = ?",
      ).map((row) => ({
        id: String(row["id"]),
        key: textOf(row["idempotency_key"]),
        intent: textOf(row["intent_id"]),
      })),
      intents: all(
        "SELECT key, outcome, block FROM records WHERE group_address = ? AND key LIKE 'intent:%'",
      ).map((row) => ({
        id: String(row["key"]).slice("intent:".length),
        outcome: outcomeOf(row["outcome"]),
        block: row["block"] === null ? undefined : Number(row["block"]),
      })),
      transitions: all(
        "SELECT * FROM transitions WHERE group_address = ? ORDER BY block, log_index",
      ).map((row) => ({
        block: Number(row["block"]),
        transactionHash: String(row["transaction_hash"]),
        transitionHash: String(row["transition_hash"]),
        intents: listOf(row["intents"]),
        inputs: listOf(row["inputs"]),
        outputs: listOf(row["outputs"]),
      })),
      fulfilled: all(
        `SELECT f.intent_id, t.transition_hash FROM fulfilments f JOIN transitions t ON t.number = f.transition
         WHERE f.group_address = ?`,
      ).map((row) => ({
        intent: String(row["intent_id"]),
        transitionHash: String(row["transition_hash"]),
      })),
      states: all("SELECT * FROM states WHERE group_address = ?").map(
        (row) => ({
          id: String(row["ledger_id"]),
          isSpent: row["spent_block"] !== null,
          isKnown: [
            row["has_content"],
            row["is_vacancy"],
            row["is_foreign"],
          ].some((flag) => flag === 1),
        }),
      ),
    };
  } finally {
    database.close();
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function listOf(value: unknown): readonly string[] {
  return JSON.parse(String(value)) as readonly string[];
}

function outcomeOf(value: unknown): "open" | "confirmed" | "reverted" {
  if (value === "open" || value === "confirmed" || value === "reverted")
    return value;
  throw new Error(`An intent cannot be ${String(value)}.`);
}
