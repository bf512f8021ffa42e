import { DatabaseSync } from "node:sqlite";

import { CommitLog } from "./commit-log.ts";
import type { RecordTurn } from "./log/recorder.ts";

/** Pages of 4 kB in the log before they go to the file, which takes a while: seldom, and never more than 32 MB. */
const LOG_PAGES = 8_192;

/** Where a database is, and when what it wrote is durable. */
export interface Disk {
  readonly database: DatabaseSync;
  /** SQL that begins, ends and undoes a transaction. */
  readonly sql: {
    readonly begin: string;
    readonly commit: string;
    readonly rollback: string;
  };
  /** Gets every turn that is committed. Where it is missing, nobody needs turns, and they are not put together. */
  readonly record?: RecordTurn;
  /** Calls back when all that is committed now is durable. */
  readonly flush: (done: (error: Error | null) => void) => void;
  /** Returns when all that is committed is durable. */
  readonly flushNow: () => void;
  readonly close: () => void;
}

/** Opens the disk of a database, by the name of its file. */
export type OpenDisk = (file: string) => Disk;

const plainSql = {
  begin: "BEGIN IMMEDIATE",
  commit: "COMMIT",
  rollback: "ROLLBACK",
} as const;

/** A file, or memory for ":memory:". */
export const openMachineDisk: OpenDisk = (file) => {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // SQLite itself does not wait for the disk with every commit: the log does that.
    database.exec(
      `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
       PRAGMA wal_autocheckpoint = ${LOG_PAGES};`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
  if (file === ":memory:")
    return {
      database,
      sql: plainSql,
      flush: (done) => {
        done(null);
      },
      flushNow: () => undefined,
      close: () => {
        database.close();
      },
    };
  const log = new CommitLog(`${file}-wal`);
  return {
    database,
    sql: plainSql,
    flush: (done) => {
      log.flush(done);
    },
    flushNow: () => {
      log.flushNow();
    },
    close: () => {
      log.close();
      database.close();
    },
  };
};
