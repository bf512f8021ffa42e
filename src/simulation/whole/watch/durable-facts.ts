import type { HorizonRecord, IntentRecord } from "../../../protocol/records.ts";

/** What a node tells others only when it is on its disk. */
export type FactType =
  | "endorsed"
  | "dispatched"
  | "intent"
  | "reverted"
  | "permitted"
  /** A permission that a later one took the place of, perhaps in the same commit: to whom it was is not kept. */
  | "permitted-before"
  | "submission"
  | "user-transaction";

/** Tables that are read, and what is read of their rows. */
export const factTables = {
  records: `group_address AS "group", key, outcome, progress, CASE key WHEN 'horizon' THEN record END AS record`,
  endorsed_bundles: `group_address AS "group", digest, signature`,
  submissions: "hashes, empty_hashes",
  user_transactions: "id",
} as const;
export type FactTable = keyof typeof factTables;

type FactRow = Readonly<Record<string, unknown>>;

/**
 * All that has been durable since a process of a node started, as the rows of its database say: what was there then, and what became
 * durable since. It counts although it is replaced or erased later, because messages may wait for their receivers.
 */
export class DurableFacts {
  readonly #facts = new Set<string>();
  readonly #signedUntil = new Map<string, number>();

  has(type: FactType, ...about: readonly string[]): boolean {
    return this.#facts.has(factText(type, about));
  }

  /** No step that the node has signed in a group may happen after this block. */
  signedUntil(group: string): number {
    return this.#signedUntil.get(group) ?? -1;
  }

  /** A row is on the disk. */
  read(table: FactTable, row: FactRow): void {
    switch (table) {
      case "records":
        this.#readRecord(row);
        return;
      case "endorsed_bundles":
        this.#add("endorsed", ...textsOf(row, "group", "digest", "signature"));
        return;
      case "submissions":
        for (const list of textsOf(row, "hashes", "empty_hashes"))
          for (const hash of list.split(" ")) this.#add("submission", hash);
        return;
      case "user_transactions":
        this.#add("user-transaction", ...textsOf(row, "id"));
    }
  }

  #readRecord(row: FactRow): void {
    const [group = "", key = ""] = textsOf(row, "group", "key");
    const [kind, id = ""] = key.split(":");
    if (kind === "dispatch") this.#add("dispatched", group, id);
    if (kind === "horizon") {
      const record = JSON.parse(String(row["record"])) as HorizonRecord;
      this.#signedUntil.set(group, record.signedUntil);
    }
    if (kind !== "intent") return;
    this.#add("intent", group, id);
    if (row["outcome"] === "reverted") this.#add("reverted", group, id);
    const progress = JSON.parse(String(row["progress"])) as IntentRecord;
    for (const digest of progress.permitted)
      this.#add("permitted-before", group, id, digest);
    if (progress.permission === undefined) return;
    const { digest, coordinator } = progress.permission;
    this.#add("permitted", group, id, digest, coordinator);
  }

  #add(type: FactType, ...about: readonly string[]): void {
    this.#facts.add(factText(type, about));
  }
}

function factText(type: FactType, about: readonly string[]): string {
  return `${type} ${about.join(" ")}`;
}

function textsOf(row: FactRow, ...columns: readonly string[]): string[] {
  return columns.map((column) => String(row[column]));
}
