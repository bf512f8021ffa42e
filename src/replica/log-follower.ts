import { renameSync, rmSync } from "node:fs";

import type { Timers } from "../async/timers.ts";
import type { Disk, OpenDisk } from "../store/disk.ts";
import type { Head } from "../store/log/chain.ts";
import { Follower } from "../store/log/follower.ts";
import { createPrivately } from "../store/create-privately.ts";
import { StoreError, translate } from "../store/store-error.ts";
import type { Acknowledged } from "./acknowledged.ts";
import type { Control } from "./control.ts";
import { ReplicaError } from "./errors.ts";
import { viewLog } from "./log-view.ts";
import { outdatedBy } from "./node-row.ts";
import type { NodeFacts, ReplicaFact, ReplicaOptions } from "./options.ts";
import { requireLogged } from "./own-store.ts";
import { placeOf } from "./place.ts";
import { PostgresLogReader } from "./postgres-log.ts";
import { draftOf, listSnapshots, restoreSnapshot } from "./restore.ts";

/** Turns in one request: their bodies are in memory at once. */
const TURNS_MAX = 100;
/** How often a store is rebuilt without coming to the end of the log, before the log itself is to blame. */
const FAILURES_MAX = 2;

/**
 * A node begins only when the opening of its store is durable. So a store of which a log without turns has never heard has its tables and
 * its first boot at most.
 */
const OPENING_TURNS = 2;

/** The files of a store that SQLite makes. */
const suffixes = ["", "-wal", "-shm", "-journal"] as const;

interface FollowerOptions extends Pick<
  ReplicaOptions,
  "schema" | "bucket" | "file"
> {
  readonly node: Pick<NodeFacts, "name" | "storeFormat">;
}

interface FollowerPorts {
  readonly timers: Timers;
  readonly control: Control;
  readonly openDisk: OpenDisk;
  readonly acknowledged: Acknowledged;
  /** Resolves when nothing uses a store that was closed. Without it, nothing does. */
  readonly released?: () => Promise<void>;
  readonly onFact: (fact: ReplicaFact) => void;
  /** It need not come to the end any more. */
  readonly isStopping: () => boolean;
  /** Bytes of turns that were applied. */
  readonly onBytes: (bytes: number) => void;
}

/** Keeps a replica's own store up with the log, and rebuilds it where that is not possible. */
export class LogFollower {
  readonly #options: FollowerOptions;
  readonly #ports: FollowerPorts;
  readonly #reader: PostgresLogReader;
  #follower: Follower | undefined;
  #epoch: number | undefined;
  #end: number | undefined;
  #completeAt: number | undefined;
  #failures = 0;
  /** Snapshots were tried since the start. */
  #isRestored = false;

  constructor(options: FollowerOptions, ports: FollowerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#reader = new PostgresLogReader(options, { client: ports.control });
  }

  /** Of the log at the last look; undefined before the first one. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  /** Turns of the log at the last look that its store lacks; undefined if it has not looked since it was closed. */
  get missing(): number | undefined {
    if (this.#end === undefined) return undefined;
    return Math.max(0, this.#end - (this.#follower?.head.sequence ?? 0));
  }

  /** The last turn that its store has; undefined if it is closed. */
  get applied(): Head | undefined {
    return this.disk === undefined ? undefined : this.#follower?.head;
  }

  /** When the last look was begun that found nothing missing. */
  get completeAt(): number | undefined {
    return this.#completeAt;
  }

  /** Its store, while that is open; whoever opens a store on it closes it. */
  get disk(): Disk | undefined {
    const disk = this.#follower?.disk;
    return disk?.database.isOpen === true ? disk : undefined;
  }

  /**
   * Applies all turns that are in the log; gives the last one. Throws a {@link ReplicaError} if the log has forgotten turns, or was written by a
   * newer version.
   */
  async catchUp(): Promise<Head> {
    for (;;) {
      if (this.disk === undefined) await this.#ports.released?.();
      const follower = this.#open();
      const head = await this.#next(follower);
      if (head !== undefined) return head;
      if (this.#ports.isStopping()) return follower.head;
    }
  }

  /** Another process, or a store in this one, may have the file then. */
  close(): void {
    this.#closeStore();
    this.#end = undefined;
  }

  #closeStore(): void {
    const { disk } = this;
    this.#follower = undefined;
    disk?.close();
  }

  /** Undefined if there may be more. */
  async #next(follower: Follower): Promise<Head | undefined> {
    const { control, acknowledged, timers } = this.#ports;
    const { node } = this.#options;
    const applied = follower.head;
    const beganAt = timers.now();
    const view = await control.use(
      async (client) =>
        await viewLog(client, {
          ...this.#options,
          applied,
          acknowledged: acknowledged.head,
        }),
    );
    this.#epoch = view.epoch;
    this.#end = view.head.sequence;
    const outdated = outdatedBy(view.formats, node);
    if (outdated !== undefined) throw outdated;
    const place = placeOf(view, { applied, acknowledged: acknowledged.head });
    switch (place.type) {
      case "forgotten":
        throw this.#forgotten(place);
      case "differs":
        await this.#rebuild(`its turn ${applied.sequence} is not in the log`);
        return undefined;
      case "trimmed":
        await this.#leap(applied);
        return undefined;
      case "follows":
        if (applied.sequence < view.head.sequence) {
          await this.#advance(follower, view.head);
          return undefined;
        }
        this.#failures = 0;
        this.#completeAt = beganAt;
        acknowledged.remember(applied);
        return applied;
    }
  }

  /** A store that is new begins with a snapshot, if there is one: that is quicker than all turns. */
  async #advance(follower: Follower, end: Head): Promise<void> {
    const isNew = follower.head.sequence === 0 && !this.#isRestored;
    const snapshot = isNew ? await this.#restore() : undefined;
    this.#isRestored = true;
    if (snapshot !== undefined) {
      this.#ports.onFact({ type: "Rebuilt", reason: "it is new", snapshot });
      return;
    }
    await this.#read(follower, end);
  }

  /** Only a snapshot leads over turns that are gone. */
  async #leap(applied: Head): Promise<void> {
    const reason = `the turns after turn ${applied.sequence} were trimmed`;
    const snapshot = await this.#restore(applied.sequence);
    if (snapshot === undefined) throw this.#noSource(reason);
    this.#ports.onFact({ type: "Rebuilt", reason, snapshot });
  }

  /** Applies turns up to an end, or up to where others have trimmed the log: the next look says so. */
  async #read(follower: Follower, end: Head): Promise<void> {
    const { isStopping } = this.#ports;
    while (follower.head.sequence < end.sequence && !isStopping()) {
      const next = follower.head.sequence + 1;
      const turns = await this.#reader.after(next - 1, TURNS_MAX);
      if (turns[0]?.sequence !== next) return;
      try {
        follower.apply(turns);
      } catch (error) {
        await this.#rebuildAfter(error);
        return;
      }
      this.#ports.acknowledged.remember(follower.head);
      this.#ports.onBytes(
        turns.reduce((sum, { body }) => sum + body.length, 0),
      );
    }
  }

  /** What is wrong with this store is not wrong with the next one; what is wrong with the log is. */
  async #rebuildAfter(failure: unknown): Promise<void> {
    const error = translate(this.#options.file, failure);
    if (!isOfContent(error) || ++this.#failures > FAILURES_MAX) throw error;
    await this.#rebuild(error.message);
  }

  /**
   * Begins anew, with the newest snapshot that can be used, or else with the first turn. The store is deleted only if one of them is there, or
   * nobody can have heard of it: it may be the last copy.
   */
  async #rebuild(reason: string): Promise<void> {
    const applied = this.#follower?.head.sequence ?? 0;
    const snapshot = await this.#restore();
    this.#isRestored = true;
    if (snapshot === undefined) {
      const { rows } = await this.#ports.control.query({
        text: `SELECT FROM ${this.#options.schema}.turn WHERE bucket = $1 AND sequence = 1`,
        values: [this.#options.bucket],
      });
      const isUnheardOf = this.#end === 0 && applied <= OPENING_TURNS;
      if (rows.length === 0 && !isUnheardOf) throw this.#noSource(reason);
      this.#closeStore();
      this.#remove();
    }
    this.#ports.onFact({ type: "Rebuilt", reason, snapshot });
  }

  #noSource(reason: string): ReplicaError {
    return new ReplicaError(
      "NO_SOURCE",
      `The store of this replica must be rebuilt: ${reason}. But the schema ${this.#options.schema} lacks turns, and has no snapshot that can be used. Let another replica make one, and start this one again.`,
    );
  }

  /**
   * Puts the newest snapshot that can be used, and that is after some turn, in the place of the store; undefined if there is none. Others
   * make snapshots meanwhile, and delete old ones.
   */
  async #restore(after = 0): Promise<number | undefined> {
    const { control, onFact, acknowledged } = this.#ports;
    const { file } = this.#options;
    const tried = new Set([after]);
    for (;;) {
      const snapshots = await listSnapshots(control, this.#options);
      const snapshot = snapshots.find(
        ({ head: { sequence } }) => sequence > after && !tried.has(sequence),
      );
      if (snapshot === undefined) return undefined;
      const { sequence } = snapshot.head;
      tried.add(sequence);
      try {
        await restoreSnapshot(control, { ...this.#options, snapshot });
      } catch (error) {
        if (!(error instanceof ReplicaError)) throw error;
        onFact({ type: "SnapshotRefused", sequence, error });
        continue;
      }
      this.#closeStore();
      this.#remove();
      renameSync(draftOf(file), file);
      acknowledged.remember(snapshot.head);
      return sequence;
    }
  }

  #remove(): void {
    for (const suffix of suffixes)
      rmSync(`${this.#options.file}${suffix}`, { force: true });
  }

  #open(): Follower {
    if (this.#follower !== undefined && this.disk !== undefined)
      return this.#follower;
    const { file } = this.#options;
    try {
      this.#follower = this.#openFile(file);
    } catch (failure) {
      const error = translate(file, failure);
      // A store that cannot be read, of a replica that never had one, may be that of a node without a database.
      const isOurs = this.#ports.acknowledged.head.sequence > 0;
      if (!isOurs || !isOfContent(error)) throw error;
      this.#remove();
      this.#follower = this.#openFile(file);
      const { message: reason } = error;
      this.#isRestored = false;
      this.#ports.onFact({ type: "Rebuilt", reason, snapshot: undefined });
    }
    return this.#follower;
  }

  #openFile(file: string): Follower {
    requireLogged(file, this.#options.node);
    createPrivately(file);
    const disk = this.#ports.openDisk(file);
    try {
      return new Follower({ disk, sqlOf: this.#reader.sqlOf });
    } catch (error) {
      disk.close();
      throw error;
    }
  }

  #forgotten({
    from,
    to,
  }: {
    readonly from: number;
    readonly to: number;
  }): ReplicaError {
    const { schema, file } = this.#options;
    const turns = from === to ? `turn ${from}` : `turns ${from}–${to}`;
    return new ReplicaError(
      "FORGOTTEN",
      `The database has forgotten ${turns} of the schema ${schema}, which ${from === to ? "was" : "were"} durable. Bring back a server or a backup that has ${from === to ? "it" : "them"}. If that is impossible, stop all replicas, delete ${file} and ${acknowledgedFileOf(file)} on each, and start them again: what those turns decided is lost then.`,
    );
  }
}

/** The file is damaged, or does not have what the log says. */
function isOfContent(error: Error): boolean {
  return (
    error instanceof StoreError &&
    (error.code === "CORRUPT" || error.code === "DIVERGED")
  );
}

export function acknowledgedFileOf(file: string): string {
  return `${file}.acknowledged`;
}
