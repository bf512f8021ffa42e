import { DatabaseSync } from "node:sqlite";

import type { Disk } from "../../runtime/store/disk.ts";
import type { Timers } from "../../runtime/timers.ts";

/** What may go wrong with one flush. A disk that lies says that something is durable which is not: no node can survive that. */
export type FlushFault = "none" | "fails" | "fails after all" | "lies";

interface SimulatedDiskPorts {
  /** How long a flush takes. */
  readonly flushMs: () => number;
  readonly drawFault: () => FlushFault;
  /** Something is durable now. */
  readonly onFlushed: () => void;
}

/**
 * The disk of a simulated node: SQLite in memory that outlives crashes of the node. All that is committed since the last flush is
 * inside one open transaction of SQLite: a crash rolls it back, a flush commits it.
 */
export class SimulatedDisk {
  readonly #ports: SimulatedDiskPorts;
  #database = new DatabaseSync(":memory:");
  #isDirty = false;

  constructor(ports: SimulatedDiskPorts) {
    this.#ports = ports;
  }

  /** For one start of the node, which may end at any moment, also when something has just become durable. */
  open({
    timers,
    isAlive,
  }: {
    readonly timers: Timers;
    readonly isAlive: () => boolean;
  }): Disk {
    const database = this.#database;
    // What another instance wrote and did not flush is lost.
    this.crash({ isKept: false });
    return {
      database: this.#watched(database),
      sql: {
        begin: "SAVEPOINT turn",
        commit: "RELEASE turn",
        rollback: "ROLLBACK TO turn; RELEASE turn",
      },
      flush: (done) => {
        timers.after(this.#ports.flushMs(), () => {
          const fault = this.#ports.drawFault();
          if (fault === "none" || fault === "fails after all") this.#commit();
          if (!isAlive()) return;
          const isSaid = fault === "fails" || fault === "fails after all";
          done(isSaid ? new Error("The disk has failed.") : null);
        });
      },
      flushNow: () => {
        this.#commit();
      },
      close: () => undefined,
    };
  }

  /** The node is gone. What it had not flushed is lost, unless the machine wrote it all the same. */
  crash({ isKept }: { readonly isKept: boolean }): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#database.exec(isKept ? "COMMIT" : "ROLLBACK");
  }

  /** All content is gone. */
  lose(): void {
    this.crash({ isKept: false });
    this.#database.close();
    this.#database = new DatabaseSync(":memory:");
  }

  close(): void {
    this.#database.close();
  }

  #commit(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#database.exec("COMMIT");
    this.#ports.onFlushed();
  }

  /** The transaction around all others begins with the first of them. */
  #watched(database: DatabaseSync): DatabaseSync {
    const begin = (): void => {
      if (this.#isDirty) return;
      this.#isDirty = true;
      database.exec("BEGIN");
    };
    return new Proxy(database, {
      get: (target, name): unknown => {
        if (name === "exec")
          return (sql: string) => {
            if (sql === "SAVEPOINT turn") begin();
            target.exec(sql);
          };
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function"
          ? (value.bind(target) as unknown)
          : value;
      },
    });
  }
}
