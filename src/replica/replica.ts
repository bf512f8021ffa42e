import { randomUUID } from "node:crypto";

import type { Timers } from "../async/timers.ts";
import type { OpenDisk } from "../store/disk.ts";
import { emptyHead, type Head } from "../store/log/chain.ts";
import { Acknowledged } from "./acknowledged.ts";
import { type Activate, Activation } from "./activation.ts";
import { Control } from "./control.ts";
import { isFinal, isOutdated } from "./failures.ts";
import { Lease, type Taken } from "./lease.ts";
import { acknowledgedFileOf, LogFollower } from "./log-follower.ts";
import { agreeOnNode, raiseFormats } from "./node-row.ts";
import { type Grant, Grants, OrderRefusal } from "./orders.ts";
import type {
  Append,
  ReplicaFact,
  ReplicaOptions,
  ReplicaSample,
  Role,
  RoleDetails,
} from "./options.ts";
import { requireLogged } from "./own-store.ts";
import { prepareSchema } from "./prepare.ts";
import { Presence, readOthers, type ShownRole } from "./presence.ts";
import { requireNode } from "./snapshot.ts";
import { Snapshots } from "./snapshots.ts";
import { readStatus, type ReplicaStatus } from "./status.ts";

/** What is besides following is left alone, once it was slow to fail, for so many times as long as it takes to get a lease. */
const PAUSE_TAKEOVERS = 4;

/** Followers are woken so long after a turn, once for all that have come by then. */
export const WAKE_MS = 20;

export interface ReplicaPorts {
  readonly timers: Timers;
  readonly openDisk: OpenDisk;
  /** Starts the node; called whenever this replica becomes active. */
  readonly activate: Activate;
  readonly onRole: (role: Role, details: RoleDetails) => void;
  readonly onFact: (fact: ReplicaFact) => void;
  /** Turns of this replica became durable. */
  readonly onAppend?: (append: Append) => void;
  /** The node does not end, and another replica may be active: ends the process. */
  readonly exit: (reason: Error) => void;
}

/**
 * One of several processes that are the same node. The one with the lease is active and runs the node; the others are passive and follow its
 * log, so that each of them can go on where it ends.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #ports: ReplicaPorts;
  readonly #instance = randomUUID();
  readonly #lease: Lease;
  readonly #control: Control;
  readonly #presence: Presence;
  readonly #snapshots: Snapshots;
  readonly #grants: Grants;
  #acknowledged: Acknowledged | undefined;
  #follower: LogFollower | undefined;
  #activation: Activation | undefined;
  #role: Role = "stopped";
  #roleSince = 0;
  #isStopping = false;
  #running: Promise<void> = Promise.resolve();
  /** Before then it does not take the lease: its node failed, and that of another replica may not. */
  #leaseAloneUntil = 0;
  /** Before then it does nothing besides following the log and taking the lease. */
  #onlyFollowsUntil = 0;
  #cancelWake: (() => void) | undefined;
  #trouble: string | undefined;
  #isOutdated = false;

  constructor(options: ReplicaOptions, ports: ReplicaPorts) {
    this.#options = options;
    this.#ports = ports;
    const { timers } = ports;
    this.#lease = new Lease(
      { ...options, instance: this.#instance },
      {
        timers,
        onLost: (error) => {
          this.#activation?.end({ cause: "lease-lost", error });
        },
      },
    );
    this.#control = new Control(
      { ...options, requestMs: options.leaseMs },
      {
        timers,
        // Turns are news for those who follow.
        wakesUp: (payload) => payload !== "turns" || this.#role === "passive",
      },
    );
    this.#presence = new Presence(
      { ...options, instance: this.#instance },
      { timers, control: this.#control },
    );
    this.#grants = new Grants({ waitMs: options.leaseMs }, { timers });
    this.#snapshots = new Snapshots(options, {
      timers,
      control: this.#control,
      onFact: ports.onFact,
    });
  }

  get role(): Role {
    return this.#role;
  }

  /** Whether it may answer as active at this moment. Asked at every request: a process may have been frozen since the last one. */
  get isCertain(): boolean {
    return this.#role === "active" && this.#lease.isCertain;
  }

  /** How it is now. Asks nobody. */
  sample(): ReplicaSample {
    const isPassive = this.#role === "passive";
    const { epoch, missing, completeAt = 0 } = this.#follower ?? {};
    // While it was active it had all turns.
    const since = Math.max(this.#roleSince, completeAt);
    return {
      role: this.#role,
      epoch: this.#lease.taken?.epoch ?? epoch,
      leaseAgeMs: this.#lease.ageMs,
      lagTurns: isPassive ? missing : undefined,
      lagMs: isPassive ? this.#ports.timers.now() - since : undefined,
    };
  }

  /** Resolves when it is passive. Throws a `ReplicaError` if the database is not one for this node. */
  async start(): Promise<void> {
    const { url, schema, bucket, leaseMs, file, node } = this.#options;
    const { timers, openDisk, onFact } = this.#ports;
    requireLogged(file, node);
    const buckets = bucket + 1;
    requireNode();
    await prepareSchema({ url, schema, buckets, requestMs: leaseMs });
    try {
      await this.#control.use(async (client) => {
        await agreeOnNode(client, this.#options);
      });
    } catch (error) {
      this.#control.close();
      throw error;
    }
    const acknowledged = new Acknowledged(
      { file: acknowledgedFileOf(file) },
      { timers },
    );
    this.#acknowledged = acknowledged;
    this.#follower = new LogFollower(this.#options, {
      timers,
      control: this.#control,
      openDisk,
      acknowledged,
      released: async () => {
        await this.#snapshots.released();
      },
      onFact,
      onBytes: this.#snapshots.count,
      isStopping: () => this.#isStopping,
    });
    this.#setRole("passive", { cause: "started" });
    this.#running = this.#run(this.#follower);
  }

  /** Resolves when nothing of it runs any more. Others can take the lease at once. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#activation?.end({ cause: "stopped" });
    this.#control.wake();
    await this.#running;
    await this.#close({ cause: "stopped" });
  }

  /** The role that others see, and the last turn that it has and the log too. */
  place(): { readonly role: ShownRole; readonly applied: Head } {
    const isPassive = this.#role === "passive";
    const applied = isPassive ? this.#follower?.applied : undefined;
    return {
      role: isPassive && this.#isOutdated ? "outdated" : this.#role,
      applied: applied ?? this.#acknowledged?.head ?? emptyHead,
    };
  }

  /**
   * Ends the node and stops the log; resolves with its last turn when that has happened, and undefined if the lease was lost on the way. Throws
   * an {@link OrderRefusal} if this replica is not active.
   * @param epoch The one that a supervisor ends; the schema must say so still. Without it, that of this replica.
   */
  async revoke(epoch?: number): Promise<Head | undefined> {
    if (epoch !== undefined) await this.#requireRevoking(epoch);
    const activation = this.#activation;
    if (activation === undefined || activation.isOver)
      throw new OrderRefusal("not-active", `this replica is ${this.#role}`);
    activation.end({ cause: "revoked" });
    return await activation.released;
  }

  /** A supervisor may have been frozen since it decided. */
  async #requireRevoking(epoch: number): Promise<void> {
    const { schema, bucket } = this.#options;
    const { rows } = await this.#control.query<{ readonly revoking: string }>({
      name: "revoking",
      text: `SELECT revoking FROM ${schema}.election WHERE bucket = $1`,
      values: [bucket],
    });
    const isAsked = rows[0]?.revoking === String(epoch);
    if (!isAsked || this.#lease.taken?.epoch !== epoch)
      throw new OrderRefusal(
        "not-asked",
        `no supervisor is about to end epoch ${epoch}`,
      );
  }

  /** Opens a stopped log again, if it is stopped as the grant says; resolves with the epoch. Throws an {@link OrderRefusal} if not. */
  async grant(grant: Grant): Promise<number> {
    if (this.#role !== "passive")
      throw new OrderRefusal("not-passive", `this replica is ${this.#role}`);
    const epoch = this.#grants.ask(grant);
    this.#control.wake();
    return await epoch;
  }

  /** All replicas of the node, and which of them is active. */
  async status(): Promise<ReplicaStatus> {
    return await readStatus(this.#control, this.#options);
  }

  async #run(follower: LogFollower): Promise<void> {
    const { pollMs } = this.#options;
    while (!this.#isStopping)
      try {
        const taken = await this.#follow(follower);
        if (taken !== undefined) await this.#activate(taken, follower);
      } catch (error) {
        if (isFinal(error)) {
          await this.#close({ cause: "failed", error });
          return;
        }
        this.#tellTrouble(error);
        this.#isOutdated = isOutdated(error);
        if (this.#isOutdated) await this.#presentOutdated();
        await this.#control.sleep(pollMs);
      }
  }

  async #presentOutdated(): Promise<void> {
    const { sequence } = this.#acknowledged?.head ?? { sequence: 0 };
    await this.#presence.show("outdated", sequence).catch(() => undefined);
  }

  /** Resolves when it has the lease, or is about to stop. */
  async #follow(follower: LogFollower): Promise<Taken | undefined> {
    const { timers } = this.#ports;
    while (!this.#isStopping) {
      const head = await follower.catchUp();
      const { sequence } = head;
      if (this.#stops()) break;
      this.#isOutdated = false;
      const granted = await this.#grants.begin(
        head,
        async (grant) => await this.#lease.take(grant),
      );
      if (granted !== undefined) return granted;
      await this.#doBesides(follower, sequence);
      if (timers.now() >= this.#leaseAloneUntil) {
        const taken = await this.#lease.take();
        if (taken !== undefined) return taken;
      }
      await this.#control.sleep(this.#options.pollMs);
    }
    return undefined;
  }

  /**
   * What a passive replica does for people, and for those who start later. It must not keep it from the lease: not if it fails, and not if it
   * is slow to, since a session that wants the lease ends when it is idle.
   */
  async #doBesides(follower: LogFollower, sequence: number): Promise<void> {
    const { timers } = this.#ports;
    const { leaseMs, graceMs } = this.#options;
    const beganAt = timers.now();
    if (beganAt < this.#onlyFollowsUntil) return;
    try {
      await this.#presence.show(this.#role, sequence);
      await this.#snapshots.keep({
        disk: follower.disk,
        settled: async () => {
          await Promise.resolve();
        },
        isLeftToOthers: false,
      });
      this.#tellTrouble(undefined);
    } catch (error) {
      if (isFinal(error)) throw error;
      this.#tellTrouble(error);
      if (timers.now() - beganAt >= leaseMs / 2)
        this.#onlyFollowsUntil =
          timers.now() + PAUSE_TAKEOVERS * (leaseMs + graceMs);
    }
  }

  async #activate(taken: Taken, follower: LogFollower): Promise<void> {
    const { timers } = this.#ports;
    const activation = new Activation(this.#options, {
      ...this.#ports,
      lease: this.#lease,
      taken,
      follower,
      onBegin: async () => {
        await this.#control.use(async (client) => {
          await raiseFormats(client, this.#options);
        });
      },
      onDurable: this.#onDurable,
      onRole: this.#setRole,
      onTrouble: (error) => {
        this.#tellTrouble(error);
      },
    });
    this.#activation = activation;
    const running = activation.run();
    if (this.#isStopping) activation.end({ cause: "stopped" });
    const attending = this.#attend(activation, follower);
    const { cause, error } = await running;
    this.#activation = undefined;
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    this.#control.wake();
    await attending;
    if (cause === "node-failed") {
      this.#leaseAloneUntil = timers.now() + this.#options.leaseMs;
      if (isFinal(error)) throw error;
    }
  }

  #stops(): boolean {
    return this.#isStopping;
  }

  /** What an active replica does besides: it says that it is there, and listens to operators. */
  async #attend(activation: Activation, follower: LogFollower): Promise<void> {
    while (!activation.isOver) {
      try {
        const { sequence } = this.#acknowledged?.head ?? { sequence: 0 };
        await this.#presence.show(this.#role, sequence);
        const others = await readOthers(this.#control, this.#options);
        const { wanted: heir, arePassive } = others;
        if (heir !== undefined) activation.end({ cause: "promotion", heir });
        if (this.#role === "active")
          await this.#snapshots.keep({
            disk: follower.disk,
            settled: async () => {
              await activation.settled();
            },
            isLeftToOthers: arePassive,
          });
        this.#tellTrouble(undefined);
      } catch (error) {
        this.#tellTrouble(error);
      }
      await this.#control.sleep(this.#options.pollMs);
    }
  }

  readonly #onDurable = (head: Head, append: Append): void => {
    this.#acknowledged?.remember(head);
    this.#snapshots.count(append.bytes);
    this.#ports.onAppend?.(append);
    this.#cancelWake ??= this.#ports.timers.after(WAKE_MS, () => {
      this.#cancelWake = undefined;
      void this.#wakeOthers();
    });
  };

  /** They would read the log all the same, only later. */
  async #wakeOthers(): Promise<void> {
    const { schema } = this.#options;
    const text = `SELECT pg_notify('${schema}', 'turns')`;
    await this.#control.query({ name: "wake", text }).catch(() => undefined);
  }

  readonly #setRole = (role: Role, details: RoleDetails): void => {
    this.#role = role;
    this.#presence.isNews();
    this.#roleSince = this.#ports.timers.now();
    if (role === "active") this.#control.wake();
    this.#ports.onRole(role, details);
  };

  /** Once when it comes, and once when it is over. */
  #tellTrouble(error: unknown): void {
    const trouble = error instanceof Error ? error.message : undefined;
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const type = isOutdated(error) ? "Outdated" : "Trouble";
    this.#ports.onFact({ type, error });
  }

  async #close(details: RoleDetails): Promise<void> {
    if (this.#role === "stopped") return;
    this.#setRole("stopped", details);
    this.#grants.refuse("not-passive", "this replica has stopped");
    await this.#snapshots.close();
    await this.#lease.release().catch(() => undefined);
    const { sequence } = this.#acknowledged?.head ?? { sequence: 0 };
    await this.#presence.show(this.#role, sequence).catch(() => undefined);
    this.#follower?.close();
    this.#acknowledged?.close();
    this.#control.close();
  }
}
