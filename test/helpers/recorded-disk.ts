import { expect } from "chai";

import {
  type Disk,
  type OpenDisk,
  openMachineDisk,
} from "../../src/store/disk.ts";
import type { RecordedTurn } from "../../src/store/log/recorder.ts";
import { Follower } from "../../src/store/log/follower.ts";
import type { StatementId } from "../../src/store/log/turn.ts";

type Tables = Readonly<Record<string, readonly unknown[]>>;

/** Everything that a database has, table by table, and the counters of its keys. */
export function tablesOf(database: Disk["database"]): Tables {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name))
    // The place in the log is no part of the log.
    .filter((name) => name !== "applied" && !name.startsWith("sqlite_stat"));
  return Object.fromEntries(
    names.map((name) => [
      name,
      database
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => JSON.stringify(row, bytesAsHex))
        .sort(),
    ]),
  );
}

function bytesAsHex(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  return value instanceof Uint8Array
    ? Buffer.from(value).toString("hex")
    : value;
}

/** Disks that keep the log of every file, and can show that it rebuilds the file. */
export class RecordedDisks {
  readonly turns = new Map<string, RecordedTurn[]>();
  readonly #statements = new Map<StatementId, string>();
  readonly #databases = new Map<string, Disk["database"]>();
  readonly #open: OpenDisk;

  constructor(open: OpenDisk = openMachineDisk) {
    this.#open = open;
  }

  readonly openDisk: OpenDisk = (file) => {
    const turns = this.turns.get(file) ?? [];
    this.turns.set(file, turns);
    const disk = this.#open(file);
    this.#databases.set(file, disk.database);
    return {
      ...disk,
      record: (turn) => {
        turns.push(turn);
        for (const [id, sql] of turn.statements) this.#statements.set(id, sql);
      },
      close: () => {
        try {
          if (disk.database.isOpen) this.#compare(disk, turns);
        } finally {
          disk.close();
        }
      },
    };
  };

  readonly sqlOf = (id: StatementId): string | undefined =>
    this.#statements.get(id);

  /** The database that was opened last under this name. */
  database(file: string): Disk["database"] {
    const database = this.#databases.get(file);
    if (database === undefined) throw new Error(`${file} is not open.`);
    return database;
  }

  /** The log, run from the first turn on, comes to the same tables. */
  #compare(disk: Disk, turns: readonly RecordedTurn[]): void {
    const copy = openMachineDisk(":memory:");
    try {
      const follower = new Follower({
        disk: copy,
        sqlOf: this.sqlOf,
      });
      follower.apply(turns);
      expect(tablesOf(copy.database)).to.deep.equal(tablesOf(disk.database));
    } finally {
      copy.close();
    }
  }
}
