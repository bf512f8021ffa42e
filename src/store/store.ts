import { randomBytes } from "node:crypto";

import { Blocks } from "./blocks.ts";
import { nextBoot } from "./boots.ts";
import { Bundles } from "./bundles.ts";
import { createPrivately } from "./create-privately.ts";
import { Database } from "./database.ts";
import { type OpenDisk, openMachineDisk } from "./disk.ts";
import { Groups } from "./groups.ts";
import { Infos } from "./infos.ts";
import { Lanes } from "./lanes.ts";
import { MissingGroups } from "./missing-groups.ts";
import { Peers } from "./peers.ts";
import { Records } from "./records.ts";
import { migrations } from "./schema.ts";
import { States } from "./states.ts";

/** What a node must not forget. */
export interface Store {
  /** For tables that have files of their own. */
  readonly database: Database;
  readonly records: Records;
  readonly bundles: Bundles;
  readonly blocks: Blocks;
  readonly states: States;
  readonly infos: Infos;
  readonly groups: Groups;
  readonly missingGroups: MissingGroups;
  readonly peers: Peers;
  readonly lanes: Lanes;
  /** How often it was opened. */
  readonly boot: number;
  /** Grows with every start of a node, also after its disk was lost: see `boots.ts`. */
  readonly startedAt: number;
  /** All that `write` does happens, or nothing of it does. It is durable after a flush. */
  readonly write: <Result>(write: () => Result) => Result;
  readonly flush: (done: (error: Error | undefined) => void) => void;
  readonly close: () => void;
}

/**
 * Opens or creates a store; ":memory:" keeps everything in memory. Throws a {@link StoreError} if another process has it, a
 * newer version wrote it, or it cannot be read.
 */
export function openStore(
  options: { readonly file: string },
  ports: {
    readonly randomBytes: (length: number) => Uint8Array;
    /** Milliseconds since 1970. */
    readonly now?: () => number;
    readonly openDisk?: OpenDisk;
  } = { randomBytes },
): Store {
  const { openDisk = openMachineDisk } = ports;
  if (options.file !== ":memory:" && openDisk === openMachineDisk)
    createPrivately(options.file);
  const database = new Database(options, { migrations, openDisk });
  try {
    const bundles = new Bundles(database);
    return {
      database,
      records: new Records(database, bundles),
      bundles,
      blocks: new Blocks(database),
      states: new States(database),
      infos: new Infos(database),
      groups: new Groups(database),
      missingGroups: new MissingGroups(database),
      peers: new Peers(database),
      lanes: new Lanes(ports),
      ...nextBoot(database, (ports.now ?? Date.now)()),
      write: (write) => database.write(write),
      flush: (done) => {
        database.flush(done);
      },
      close: () => {
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
