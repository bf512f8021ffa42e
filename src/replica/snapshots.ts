import type pg from "pg";

import type { Timers } from "../async/timers.ts";
import type { Disk } from "../store/disk.ts";
import type { Control } from "./control.ts";
import type { ReplicaFact, ReplicaOptions } from "./options.ts";
import { openSession } from "./session.ts";
import { makeSnapshot } from "./snapshot.ts";

/** An active replica leaves snapshots to the passive ones, but not for ever. */
const ACTIVE_WAITS_FOR = 2;

interface SnapshotsPorts {
  readonly timers: Timers;
  readonly control: Control;
  readonly onFact: (fact: ReplicaFact) => void;
}

/** What a snapshot is made of. */
export interface SnapshotSource {
  /** Its store, if that is open. */
  readonly disk: Disk | undefined;
  /** Resolves when all that the store has now is durable. */
  readonly settled: () => Promise<void>;
  /** Others are better suited: they have nothing else to do. */
  readonly isLeftToOthers: boolean;
}

/** Makes a snapshot whenever the turns since the last one have grown large, whoever made that. */
export class Snapshots {
  readonly #options: ReplicaOptions;
  readonly #ports: SnapshotsPorts;
  /** Of turns since the last snapshot, as far as this replica knows; undefined before it has looked. */
  #bytes: number | undefined;
  /** Another replica makes one now, or it was not possible. */
  #pausedUntil = 0;
  #making: Promise<void> | undefined;
  /** Resolves when the store that is copied last is not in use any more. */
  #copied: Promise<void> = Promise.resolve();
  #client: pg.Client | undefined;
  #isClosed = false;

  constructor(options: ReplicaOptions, ports: SnapshotsPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Turns with so many bytes are in the log, and in this replica's store. */
  readonly count = (bytes: number): void => {
    if (this.#bytes !== undefined) this.#bytes += bytes;
  };

  /** Begins a snapshot if it is time for one. */
  async keep(source: SnapshotSource): Promise<void> {
    const { timers } = this.#ports;
    const { snapshotBytes } = this.#options;
    const due = snapshotBytes * (source.isLeftToOthers ? ACTIVE_WAITS_FOR : 1);
    if (this.#making !== undefined || this.#isClosed) return;
    if (this.#bytes !== undefined && this.#bytes < due) return;
    if (timers.now() < this.#pausedUntil) return;
    this.#bytes = await this.#measure();
    if (this.#bytes < due || source.disk === undefined) return;
    this.#making = this.#make(source.disk, source).finally(() => {
      this.#making = undefined;
    });
  }

  /** Resolves when no store that was closed is in use: only then can its file be opened again. */
  async released(): Promise<void> {
    await this.#copied;
  }

  /** Breaks off what is being made. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end().catch(() => undefined);
    await this.#making;
  }

  async #make({ database }: Disk, { settled }: SnapshotSource): Promise<void> {
    const { url, leaseMs, name } = this.#options;
    const { onFact, timers } = this.#ports;
    let onCopied: () => void = () => undefined;
    this.#copied = new Promise((resolve) => {
      onCopied = resolve;
    });
    try {
      this.#client = await openSession({
        url,
        name: `hardhat-sequencer ${name} snapshot`,
        idleMs: undefined,
        requestMs: leaseMs,
      });
      const head = await makeSnapshot(this.#options, {
        client: this.#client,
        database,
        settled,
        onCopied,
      });
      this.#bytes = undefined;
      if (head === undefined) this.#pausedUntil = timers.now() + leaseMs;
      else onFact({ type: "SnapshotMade", sequence: head.sequence });
    } catch (error) {
      this.#pausedUntil = timers.now() + leaseMs;
      if (!this.#isClosed) onFact({ type: "SnapshotFailed", error });
    } finally {
      onCopied();
      await this.#client?.end().catch(() => undefined);
      this.#client = undefined;
    }
  }

  async #measure(): Promise<number> {
    const { schema, bucket } = this.#options;
    const { rows } = await this.#ports.control.query<{
      readonly bytes: string;
    }>({
      text: `SELECT coalesce(sum(length(body)), 0) AS bytes FROM ${schema}.turn
        WHERE bucket = $1 AND sequence > (SELECT coalesce(max(sequence), 0) FROM ${schema}.snapshot WHERE bucket = $1)`,
      values: [bucket],
    });
    return Number(rows[0]?.bytes ?? 0);
  }
}
