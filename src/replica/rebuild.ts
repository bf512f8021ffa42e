import type { Timers } from "../async/timers.ts";
import type { Disk, OpenDisk } from "../store/disk.ts";
import type { Head } from "../store/log/chain.ts";
import { Acknowledged } from "./acknowledged.ts";
import { Control } from "./control.ts";
import { ReplicaError } from "./errors.ts";
import { acknowledgedFileOf, LogFollower } from "./log-follower.ts";
import type { NodeFacts, ReplicaFact, ReplicaOptions } from "./options.ts";

interface RebuildOptions extends Pick<
  ReplicaOptions,
  "url" | "schema" | "bucket" | "name"
> {
  /** Where the store is made: a new file, in a folder for the same eyes only. */
  readonly file: string;
  readonly node: Pick<NodeFacts, "name" | "storeFormat">;
  /** A request that takes longer fails. */
  readonly requestMs: number;
}

interface RebuildPorts {
  readonly timers: Timers;
  readonly openDisk: OpenDisk;
  readonly onFact: (fact: ReplicaFact) => void;
  /** The store has all turns up to this one. */
  readonly onApplied: (sequence: number) => void;
}

/** A store as of the head of a log. */
export interface Rebuilt {
  readonly head: Head;
  readonly disk: Disk;
}

/**
 * Makes a store from the newest snapshot and the turns after it, as a replica that begins anew does, and lends it. It is closed afterwards;
 * its file is whole then.
 */
export async function withRebuiltStore<Result>(
  options: RebuildOptions,
  ports: RebuildPorts,
  use: (rebuilt: Rebuilt) => Promise<Result>,
): Promise<Result> {
  const control = new Control(options, {
    timers: ports.timers,
    wakesUp: () => false,
  });
  const acknowledged = new Acknowledged(
    { file: acknowledgedFileOf(options.file) },
    ports,
  );
  const follower = new LogFollower(options, {
    timers: ports.timers,
    control,
    acknowledged,
    openDisk: ports.openDisk,
    isStopping: () => false,
    onFact: ports.onFact,
    onBytes: () => {
      ports.onApplied(acknowledged.head.sequence);
    },
  });
  try {
    const head = await follower.catchUp();
    const { disk } = follower;
    if (disk === undefined) throw new Error("The store was closed.");
    if (head.sequence === 0)
      throw new ReplicaError(
        "NO_SOURCE",
        `The log in the schema ${options.schema} has no turns yet, so there is no store. Start a replica of ${options.node.name} first, or import a store.`,
      );
    return await use({ head, disk });
  } finally {
    follower.close();
    acknowledged.close();
    control.close();
  }
}
