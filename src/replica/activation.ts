import type { Timers } from "../async/timers.ts";
import type { OpenDisk } from "../store/disk.ts";
import type { Head } from "../store/log/chain.ts";
import { lost } from "./errors.ts";
import type { Lease, Taken } from "./lease.ts";
import type { LogFollower } from "./log-follower.ts";
import { openLoggedDisk } from "./logged-disk.ts";
import type { Append, ReplicaOptions, Role, RoleDetails } from "./options.ts";
import { PostgresLog } from "./postgres-log.ts";

/** The node of a replica, with everything that it is connected with, while it runs. */
export interface ActiveNode {
  /** Settles when nothing of it runs any more, and its store is closed. */
  readonly deactivate: () => Promise<void>;
}

/**
 * Starts the node of a replica on a store that it opens with this disk. Nobody may hear of the node before the opening of its store is
 * settled (`Host.startDurably`). `fail` says that the node has stopped by itself, as after an error
 * of its disk.
 */
export type Activate = (
  openDisk: OpenDisk,
  fail: (error: unknown) => void,
) => Promise<ActiveNode>;

/** Why an activation is over. */
export interface Ending {
  readonly cause:
    | "lease-lost"
    | "node-failed"
    | "promotion"
    /** The log is stopped with it. */
    | "revoked"
    | "stopped";
  readonly error?: unknown;
  /** The replica to which the lease is left. */
  readonly heir?: string;
}

type ActivationOptions = Pick<
  ReplicaOptions,
  "schema" | "bucket" | "file" | "leaseMs"
>;

interface ActivationPorts {
  readonly taken: Taken;
  readonly timers: Timers;
  readonly lease: Lease;
  readonly follower: LogFollower;
  readonly activate: Activate;
  /** Ends the process. */
  readonly exit: (reason: Error) => void;
  /** The lease is taken, and the store is where the log is. */
  readonly onBegin: () => Promise<void>;
  readonly onDurable: (head: Head, append: Append) => void;
  readonly onRole: (role: Role, details: RoleDetails) => void;
  /** Something went wrong while it was ended. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * One epoch of a replica, from the lease that it has taken until it is passive again.
 *
 * Two replicas must never answer as active at once. So the role is passive before anything is torn down, and active only after all has
 * started; between the two the lease itself says for how long an answer can be trusted. What is left is a node that does not end: it can
 * write nothing, since the log refuses it, but peers and users would hold connections to something that no longer takes part. Hence the
 * rule: from the moment at which an activation is over, the node has as long as a lease to end, or the process does. A start has no
 * such limit: as long as the lease holds, nobody else can be active, and when the lease is lost, the activation is over.
 */
export class Activation {
  readonly #options: ActivationOptions;
  readonly #ports: ActivationPorts;
  readonly #taken: Taken;
  readonly #over: Promise<Ending>;
  #tellOver: (ending: Ending) => void = () => undefined;
  /** Resolves with the last turn when the lease is given up; with undefined if it was lost before. */
  readonly released: Promise<Head | undefined>;
  #tellReleased: (head: Head | undefined) => void = () => undefined;
  #ending: Ending | undefined;
  #log: PostgresLog | undefined;
  #node: ActiveNode | undefined;

  constructor(options: ActivationOptions, ports: ActivationPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#taken = ports.taken;
    this.#over = new Promise((resolve) => {
      this.#tellOver = resolve;
    });
    this.released = new Promise((resolve) => {
      this.#tellReleased = resolve;
    });
  }

  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** Ends it; only the first reason counts. The role is passive when this returns. */
  end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#ports.onRole("passive", ending);
    this.#tellOver(ending);
  }

  /** Resolves when all that the store has now is durable. */
  async settled(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      if (this.#log === undefined) resolve();
      else
        this.#log.flush((error) => {
          if (error === null) resolve();
          else reject(error);
        });
    });
  }

  /** Resolves when nothing of the node runs any more, and the lease is given up. */
  async run(): Promise<Ending> {
    const { lease, timers, exit, follower, onRole, onTrouble } = this.#ports;
    const { epoch, head, takeover } = this.#taken;
    const { leaseMs } = this.#options;
    onRole("activating", { cause: "lease-taken", takeover, epoch, head });
    const starting = this.#start().then(
      () => {
        if (!this.isOver) onRole("active", { cause: "node-started", epoch });
      },
      (error: unknown) => {
        this.end({ cause: "node-failed", error });
      },
    );
    const ending = await this.#over;
    const cancel = timers.after(leaseMs, () => {
      exit(
        new Error(
          `The node has not ended within ${leaseMs} ms after its replica became passive (${ending.cause}), so its process ends.`,
        ),
      );
    });
    await starting;
    // It tells what went wrong on the way; nothing of it runs all the same.
    await this.#node?.deactivate().catch(onTrouble);
    // What nobody waits for must be in the log, too: a store that is ahead of it would be rebuilt.
    if (lease.taken === this.#taken) await this.settled().catch(onTrouble);
    cancel();
    follower.close();
    const { heir, cause } = ending;
    const stops = cause === "revoked";
    const last = await lease
      .release({ heir, stops })
      .catch((error: unknown) => {
        onTrouble(error);
        return undefined;
      });
    this.#tellReleased(last);
    return ending;
  }

  async #start(): Promise<void> {
    const { lease, timers, follower, activate, onBegin, onDurable } =
      this.#ports;
    const { schema, bucket } = this.#options;
    const { epoch, head } = this.#taken;
    const applied = await follower.catchUp();
    if (applied.sequence !== head.sequence || applied.hash !== head.hash)
      throw lost(`turn ${applied.sequence} is another process's`);
    await onBegin();
    const log = new PostgresLog(
      { schema, bucket, epoch, head },
      { lease, onDurable, now: timers.now },
    );
    this.#log = log;
    const openDisk = openLoggedDisk(this.#openFile, log);
    if (lease.taken !== this.#taken) throw lost("it is over");
    this.#node = await activate(openDisk, (error) => {
      this.end({ cause: "node-failed", error });
    });
    // The boot of the store is in the first turn.
    await this.settled();
  }

  /** The store opens on the connection that has followed so far: what it read last is in memory. */
  readonly #openFile: OpenDisk = (file) => {
    if (file !== this.#options.file)
      throw new Error(`The store of this replica is not ${file}.`);
    const { disk } = this.#ports.follower;
    if (disk === undefined) throw new Error(`${file} was opened before.`);
    return disk;
  };
}
