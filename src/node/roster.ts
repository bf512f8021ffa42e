import type { GroupAddress, NodeName } from "../protocol/ids.ts";
import type { Domain } from "../domains/domain.ts";
import { NodeRefusal, type NodeGroup } from "./service.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { Store } from "../store/store.ts";
import { GroupRunner, nodeGroupOf } from "./group-runner.ts";
import { withKnownNames } from "./groups/committees.ts";
import type { NodePorts } from "./ports.ts";
import type { GroupSchedule } from "./group-schedule.ts";
import type { NodeLoop } from "./node-events.ts";
import type { NodeSettings } from "./settings.ts";

/** Groups with nothing to do that stay in memory if nobody says otherwise: a few megabytes. */
export const RESTING_MAX = 256;

/**
 * Loadings of groups in a millisecond, at most, so that the next start has greater numbers than this one. Together with a time in
 * milliseconds it stays a safe integer until the year 2109.
 */
const LOADINGS_PER_MS = 2_048;

interface RosterOptions {
  readonly self: NodeName;
  readonly chainId: bigint;
  readonly settings: NodeSettings;
  readonly restingMax?: number;
}

interface RosterPorts extends Pick<NodePorts, "directory"> {
  readonly store: Store;
  readonly domains: ReadonlyMap<string, Domain>;
  readonly schedule: GroupSchedule<GroupRunner>;
  readonly loop: Pick<NodeLoop, "post">;
}

/**
 * The groups of a node. In memory are those that have something to do, and some of the others; the rest is on the disk
 * until something happens to them. For a group that is put aside it is as if the node had ended while there was nothing to
 * do; for one that is loaded, as if it had started again.
 */
export class Roster {
  readonly #options: RosterOptions;
  readonly #restingMax: number;
  readonly #ports: RosterPorts;
  readonly #loaded = new Map<GroupAddress, GroupRunner>();
  #loadings = 0;
  #isDraining = false;

  constructor(options: RosterOptions, ports: RosterPorts) {
    this.#options = options;
    this.#restingMax = options.restingMax ?? RESTING_MAX;
    this.#ports = ports;
  }

  /** Loads all groups that have something to do, and the newest of the others. */
  open(): void {
    const { groups, records, states } = this.#ports.store;
    const all = groups.list();
    for (const stored of all) this.#domainOf(stored);
    const busy = new Set([
      ...records.openGroups(),
      ...states.incompleteGroups(),
    ]);
    const firstKept = all.length - this.#restingMax;
    for (const [index, stored] of all.entries()) {
      const { address, historyThrough } = stored;
      const isBusy = historyThrough !== undefined || busy.has(address);
      if (isBusy || index >= firstKept) this.#load(stored);
    }
  }

  /** Those in memory, in the order in which they were loaded. */
  loaded(): readonly GroupRunner[] {
    return [...this.#loaded.values()];
  }

  /** Whether the node is to be stopped soon. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Those that are loaded from now on know it; those in memory have to be told, and are returned. */
  drain(isDraining: boolean): readonly GroupRunner[] {
    this.#isDraining = isDraining;
    return this.loaded();
  }

  /** Of all groups, also those that are not in memory. */
  list(): readonly NodeGroup[] {
    return this.#stored().map((stored) =>
      nodeGroupOf(stored, this.#domainOf(stored)),
    );
  }

  /** Groups whose committee has changed since they began. */
  changed(): readonly StoredGroup[] {
    return this.#stored().filter(({ earlier }) => earlier.length > 0);
  }

  #stored(): readonly StoredGroup[] {
    const { store, directory } = this.#ports;
    return store.groups
      .list()
      .map((stored) => withKnownNames(stored, directory));
  }

  get size(): number {
    return this.#ports.store.groups.count();
  }

  has(address: GroupAddress): boolean {
    return (
      this.#loaded.has(address) ||
      this.#ports.store.groups.get(address) !== undefined
    );
  }

  /** The group with this address, if the node takes part in it. */
  find(address: GroupAddress): GroupRunner | undefined {
    const runner = this.#loaded.get(address);
    if (runner !== undefined) {
      this.#ports.schedule.use(runner);
      return runner;
    }
    const stored = this.#ports.store.groups.get(address);
    return stored && this.#load(stored);
  }

  /** The same; throws a `NodeRefusal` if the node does not take part in the group. */
  get(address: GroupAddress): GroupRunner {
    const runner = this.find(address);
    if (runner === undefined)
      throw new NodeRefusal(
        `${this.#options.self} takes part in no group ${address}. Create it, or wait until this node has joined.`,
      );
    return runner;
  }

  /** A group that is on the disk. */
  add(stored: StoredGroup): void {
    if (!this.#loaded.has(stored.address)) this.#load(stored);
  }

  /** Puts groups aside that have had nothing to do for longest, if there are many. Not while anything is to be written. */
  putAside(): void {
    const { resting, height } = this.#ports.schedule;
    const tooMany = resting.size - this.#restingMax;
    if (tooMany <= 0) return;
    for (const runner of [...resting].slice(0, tooMany)) {
      if (runner.isNeeded(height)) {
        // Others are looked at before it is its turn again.
        this.#ports.schedule.use(runner);
        continue;
      }
      resting.delete(runner);
      this.#loaded.delete(runner.stored.address);
    }
  }

  /** Tells a group that begins anew from one before: other nodes see that it has forgotten what was not durable. */
  nextBoot(): number {
    this.#loadings += 1;
    return this.#ports.store.startedAt * LOADINGS_PER_MS + this.#loadings;
  }

  #load(stored: StoredGroup): GroupRunner {
    const { store, schedule, directory, loop } = this.#ports;
    const runner = new GroupRunner(
      {
        ...this.#options,
        stored: withKnownNames(stored, directory),
        boot: this.nextBoot(),
        isDraining: this.#isDraining,
      },
      { store, schedule, domain: this.#domainOf(stored) },
    );
    this.#loaded.set(stored.address, runner);
    loop.post({ type: "group-loaded", runner });
    return runner;
  }

  #domainOf({ address, domain }: StoredGroup): Domain {
    const known = this.#ports.domains.get(domain);
    if (known === undefined)
      throw new NodeRefusal(
        `Group ${address} needs the domain "${domain}", and this node does not have it.`,
      );
    return known;
  }
}
