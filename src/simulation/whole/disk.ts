import { DatabaseSync } from "node:sqlite";

import type { Disk } from "../../store/disk.ts";
import type { Timers } from "../../async/timers.ts";
import type { DurableFacts } from "./watch/durable-facts.ts";
import { NotedRows } from "./watch/noted-rows.ts";

/**
 * What may go wrong with one flush. One that fails has lost what was to be flushed, even if a later one succeeds. A log that is refused has
 * another owner: the instance still sees what it wrote, but nothing of that or of what follows is ever durable. A disk that lies says that
 * something is durable which is not: no node can survive that.
 */
export type FlushFault =
  "none" | "fails" | "fails after all" | "refused" | "lies";

interface SimulatedDiskPorts {
  /** Whether instances that lost the disk are told that it took what they wrote: then they do harm. */
  readonly isFlushedForTwins?: boolean;
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
  #noted = new NotedRows(this.#database);
  /** Of the process that has the disk. */
  #facts: DurableFacts | undefined;
  #isDirty = false;
  /** The log takes nothing more from this instance. */
  #isRefused = false;
  /** A transaction has begun and not ended. */
  #isInTurn = false;
  /** A copy from some time ago. */
  #backup: DatabaseSync | undefined;
  /** Databases of instances that live on without a disk. */
  readonly #left: DatabaseSync[] = [];

  constructor(ports: SimulatedDiskPorts) {
    this.#ports = ports;
  }

  /** For one start of the node, which may end at any moment, also when something has just become durable. */
  open({
    timers,
    isAlive,
    facts,
  }: {
    readonly timers: Timers;
    readonly isAlive: () => boolean;
    /** Gets to know what is durable, for as long as that process has the disk. */
    readonly facts: DurableFacts;
  }): Disk {
    const database = this.#database;
    const isCurrent = (): boolean => this.#database === database;
    // What another instance wrote and did not flush is lost.
    this.crash({ isKept: false });
    this.#noted.readAll(facts);
    this.#facts = facts;
    return {
      database: this.#watched(database),
      sql: {
        begin: "SAVEPOINT turn",
        commit: "RELEASE turn",
        rollback: "ROLLBACK TO turn; RELEASE turn",
      },
      flush: (done) => {
        timers.after(this.#ports.flushMs(), () => {
          if (!isCurrent()) {
            if (this.#ports.isFlushedForTwins === true && isAlive()) done(null);
            return;
          }
          const fault = this.#isRefused ? "refused" : this.#ports.drawFault();
          if (fault === "refused") this.#isRefused = true;
          if (fault === "none" || fault === "fails after all") this.#commit();
          if (!isAlive()) return;
          if (fault === "fails") this.crash({ isKept: false });
          done(failureOf(fault));
        });
      },
      flushNow: () => {
        if (!isCurrent() || this.#isRefused)
          throw new Error("Another process has the disk.");
        this.#commit();
      },
      close: () => undefined,
    };
  }

  /** The node is gone. What it had not flushed is lost, unless the machine wrote it all the same. */
  crash({ isKept: isWritten }: { readonly isKept: boolean }): void {
    const isKept = isWritten && !this.#isRefused;
    this.#isRefused = false;
    if (!this.#isDirty) return;
    this.#isDirty = false;
    if (this.#isInTurn) this.#database.exec("ROLLBACK TO turn; RELEASE turn");
    this.#isInTurn = false;
    this.#database.exec(isKept ? "COMMIT" : "ROLLBACK");
    if (isKept) this.#readFacts();
  }

  /**
   * Another instance gets the disk with all that was written, while the one that has it lives on: that still sees what it writes, but
   * nothing of it is ever flushed.
   */
  leave(): void {
    this.crash({ isKept: true });
    this.#left.push(this.#database);
    this.#use(copyOf(this.#database));
  }

  /** Copies what is durable, if nothing else is there at the moment. */
  backUp(): void {
    if (this.#isDirty) return;
    this.#backup?.close();
    this.#backup = copyOf(this.#database);
  }

  get hasBackup(): boolean {
    return this.#backup !== undefined;
  }

  /** Puts the last copy in the place of all content. The node must be down. */
  restore(): void {
    if (this.#backup === undefined) return;
    this.crash({ isKept: false });
    this.#left.push(this.#database);
    this.#use(copyOf(this.#backup));
  }

  /** All content is gone. */
  lose(): void {
    this.crash({ isKept: false });
    this.#database.close();
    this.#use(new DatabaseSync(":memory:"));
  }

  close(): void {
    for (const database of [this.#database, this.#backup, ...this.#left])
      database?.close();
  }

  #commit(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#database.exec("COMMIT");
    this.#readFacts();
    this.#ports.onFlushed();
  }

  #use(database: DatabaseSync): void {
    this.#database = database;
    this.#noted = new NotedRows(database);
    this.#facts = undefined;
  }

  #readFacts(): void {
    if (this.#facts !== undefined) this.#noted.read(this.#facts);
  }

  /** The transaction around all others begins with the first of them. */
  #watched(database: DatabaseSync): DatabaseSync {
    const begin = (): void => {
      if (this.#isDirty || this.#database !== database) return;
      this.#isDirty = true;
      database.exec("BEGIN");
    };
    return new Proxy(database, {
      get: (target, name): unknown => {
        if (name === "exec")
          return (sql: string) => {
            if (sql === "SAVEPOINT turn") begin();
            target.exec(sql);
            if (this.#database !== database) return;
            if (sql === "SAVEPOINT turn") this.#isInTurn = true;
            else if (sql.endsWith("RELEASE turn")) this.#isInTurn = false;
          };
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function"
          ? (value.bind(target) as unknown)
          : value;
      },
    });
  }
}

function failureOf(fault: FlushFault): Error | null {
  switch (fault) {
    case "none":
    case "lies":
      return null;
    case "fails":
    case "fails after all":
      return new Error("The disk has failed.");
    case "refused":
      return new Error("Another process has the log.");
  }
}

let copies = 0;

/** Another database in memory with the same content. */
function copyOf(database: DatabaseSync): DatabaseSync {
  const name = `file:simulated-${++copies}?mode=memory&cache=shared`;
  const copy = new DatabaseSync(name);
  database.exec(`VACUUM INTO '${name}'`);
  return copy;
}
