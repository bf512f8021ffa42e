import { setImmediate } from "node:timers/promises";

import type { Block } from "../chain-rpc/block.ts";
import type { NodeName } from "../../protocol/ids.ts";
import { pace } from "../../api/pace.ts";
import { curveThread } from "../../keys/curve-thread.ts";
import type { Domain } from "../../domains/domain.ts";
import type { Node } from "../../node/node.ts";
import type { NodeFact } from "../../node/ports.ts";
import type { NodeService } from "../../node/service.ts";
import { SimulatedLedger } from "../chain-rpc/ledger.ts";
import {
  chainClientOf,
  type SimulatedClient,
} from "../chain-rpc/rpc/client.ts";
import { FaultCounter, noFaults } from "../faults.ts";
import { Network } from "../network.ts";
import { Queue } from "../queue.ts";
import { Random } from "../random.ts";
import { TraceHash } from "../transcript.ts";
import { Violation } from "../violation.ts";
import { Adversary } from "./adversary/adversary.ts";
import { checkGroup, checkReceipts, isSameEverywhere } from "./checks.ts";
import { SimulatedDisk } from "./disk.ts";
import { checkTwin } from "./check-twin.ts";
import { EndorsedSteps } from "./endorsed.ts";
import { foundGroup } from "./founding.ts";
import { hostDomain } from "./host-domain.ts";
import { drawKeys, type HostKeys, SimulatedHost } from "./host.ts";
import { Incidents } from "./incidents.ts";
import { NodeWatch } from "./node-watch.ts";
import type { WholeSettings } from "./settings.ts";
import { Trap } from "./trap.ts";
import { type WholeGroup, WholeUsers } from "./users.ts";
import { WatchedBook } from "./watched-book.ts";
import { Watch } from "./watch/watch.ts";
import type { Wish } from "./wishes.ts";

/** Everything ends within this time after the faults have stopped. */
const SETTLE_MS_MAX = 600_000;
/** How often a run looks whether everything has ended. */
const LOOK_MS = 50;

/** Nodes as they ship, in virtual time: their loop, disks, envelopes, domains, indexer and submitter, on a simulated chain. */
export class WholeWorld {
  readonly queue = new Queue();
  readonly ledger = new SimulatedLedger();
  readonly faults = new FaultCounter();
  readonly users: WholeUsers;
  readonly hosts = new Map<NodeName, SimulatedHost>();
  readonly trace = new TraceHash();
  readonly adversary: Adversary;
  readonly #watch: Watch;
  readonly #endorsed = new EndorsedSteps();
  readonly #keys: ReadonlyMap<NodeName, HostKeys>;
  readonly #settings: WholeSettings;
  readonly #transcript: ((line: string) => void) | undefined;
  readonly #random: Random;
  readonly #network: Network<Uint8Array>;
  readonly #incidents: Incidents;
  readonly #trap: Trap;
  readonly #clients = new Map<NodeName, SimulatedClient>();
  readonly #disks = new Map<NodeName, SimulatedDisk>();
  readonly #groups: WholeGroup[] = [];
  #isFaulty = false;
  #failure: Error | undefined;
  /** Disks that have said that they failed. */
  readonly #failed = new Set<NodeName>();
  readonly counts = {
    handovers: 0,
    coordinatorChanges: 0,
    dispatches: 0,
    ledgerReverts: 0,
    commits: 0,
  };
  sends = 0;
  steps = 0;
  /** From healing to the last receipt. */
  settleMs = 0;

  constructor(settings: WholeSettings, transcript?: (line: string) => void) {
    this.#settings = settings;
    this.#transcript = transcript;
    const { seed, names } = settings;
    this.#random = new Random(seed, "world");
    const say = (name: string, what: string): void => {
      this.#say(name, what);
    };
    const fail = (error: unknown): void => {
      this.#failure ??= asError(error);
    };
    const isHonest = (name: NodeName): boolean =>
      !this.adversary.liars.has(name);
    const { queue, faults, ledger, hosts } = this;
    this.#keys = new Map(names.map((one) => [one, drawKeys(seed, one)]));
    this.adversary = new Adversary(settings, {
      queue,
      faults,
      ledger,
      hosts,
      say,
      keys: this.#keys,
      carry: (from, to, wire) => {
        this.#carry(from, to, wire);
      },
      fail,
    });
    this.#watch = new Watch({ ledger, isHonest, fail });
    this.users = new WholeUsers({
      queue,
      faults,
      say,
      watch: this.#watch,
      random: new Random(seed, "users"),
      isDisturbed: () => this.#isFaulty,
      isFinal: () =>
        settings.plan.rpcError === 0 && faults.countOf("reorganisation") === 0,
      isHonest,
      fail,
    });
    this.#incidents = new Incidents(settings, {
      queue,
      faults,
      ledger,
      hosts,
      say,
      random: new Random(seed, "incidents"),
      liars: this.adversary.liars,
      gone: this.adversary.gone,
      isOnlyEndorser: (name) =>
        this.#groups.some(({ endorsers }) =>
          endorsers.every((endorser) => endorser === name),
        ),
      onLost: (name) => {
        this.users.release(name);
        this.#watch.lost(name);
      },
      trap: () => this.#trap,
    });
    this.#trap = new Trap(settings, {
      queue,
      faults,
      ledger,
      users: this.users,
      liars: this.adversary.liars,
      isFaulty: () => this.#isFaulty,
      crash: (name, ms) => {
        this.#incidents.crashFor(name, ms);
      },
      replace: (depth) => {
        this.#incidents.replace(depth);
      },
    });
    this.#network = new Network(
      { size: names.length, plan: noFaults },
      {
        queue,
        faults,
        random: new Random(seed, "network"),
        deliver: (to, _from, wire) => {
          const name = this.#nameAt(to);
          this.adversary.hear(name, wire);
          hosts.get(name)?.arrive(wire);
        },
      },
    );
    for (const name of names) {
      const host = this.#hostOf(name);
      hosts.set(name, host);
      this.users.serve(host);
    }
  }

  /** From the first block to the last check. Throws a `Violation`. */
  async run(): Promise<void> {
    // Results that come from another thread come when they like.
    await curveThread.stop();
    const restorePace = pace.measureBy(() => this.queue.now);
    try {
      await this.#run();
    } finally {
      restorePace();
    }
  }

  async #run(): Promise<void> {
    const { plan, intents, spanMs, healMs } = this.#settings;
    for (const host of this.hosts.values()) host.start();
    this.#incidents.startMining();
    await this.#createGroups();
    this.#network.heal(plan);
    this.#network.start();
    this.#incidents.start();
    this.#disturb(true);
    this.adversary.start(this.#groups);
    for (let i = 0; i < intents; i++)
      this.queue.after(this.#random.below(spanMs), () => {
        const group = this.#random.pick(this.#groups);
        this.users.wish(group, this.#random.pick(group.members));
      });
    if (this.#settings.hasTrap) this.#trap.start(this.#groups);
    const healAt = this.queue.now + healMs;
    await this.#waitFor(() => this.queue.now >= healAt, "time stands still");
    this.#network.heal(noFaults);
    this.#incidents.heal();
    this.#disturb(false);
    const healedMs = this.queue.now;
    this.adversary.heal();
    const { isLying } = this.adversary;
    await this.#waitFor(() => this.#isSettled(), isLying ? "L22" : "L2");
    this.adversary.stop();
    await this.#waitFor(() => this.#isSettled(), "L2");
    this.settleMs = this.queue.now - healedMs;
    // Nobody who has seen a block beyond those of all branches is on one that was replaced.
    const heights = this.#nodes().map((node) => node.height());
    const past = Math.max(this.ledger.head.number, ...heights) + 1;
    await this.#waitFor(() => this.#isSynced(past), "L23");
    await this.#waitFor(() => this.users.uninformed().length === 0, "S51");
    checkReceipts(this.ledger, this.users);
    for (const group of this.#groups)
      await checkGroup(
        this.ledger,
        this.users,
        this.#endorsed,
        group,
        this.#honest(),
      );
  }

  close(): void {
    for (const host of this.hosts.values()) host.crash({ isKept: true });
    for (const disk of this.#disks.values()) disk.close();
  }

  #hostOf(name: NodeName): SimulatedHost {
    const { seed, node: settings, groups, eventMs } = this.#settings;
    const { chainId, factory } = this.ledger.options;
    const incidents = this.#incidents;
    const watch = this.#watchOf(name);
    const disk = new SimulatedDisk({
      isFlushedForTwins: this.#settings.twinsFlush,
      flushMs: () => incidents.flushMs(),
      drawFault: () => {
        const fault = incidents.drawFlushFault();
        if (fault !== "none" && fault !== "lies") this.#failed.add(name);
        return fault;
      },
      onFlushed: () => {
        this.counts.commits += 1;
        incidents.flushed(name);
      },
    });
    this.#disks.set(name, disk);
    return new SimulatedHost(
      name,
      {
        seed,
        chainId,
        factory,
        settings,
        keys: this.#keys,
        eventMs,
      },
      {
        queue: this.queue,
        disk,
        watch: this.#watch,
        domains: new Map(
          groups.map(
            ({ trial: { domain } }) =>
              [domain.name, this.#hostDomain(name, domain)] as const,
          ),
        ),
        openClient: (timers) => {
          watch.start();
          const random = new Random(seed, `client ${name} ${this.queue.now}`);
          const client = chainClientOf(
            { ledger: this.ledger, timers, random },
            {
              backends: 3,
              lagMax: 3,
              faults: incidents.chainFaults(),
            },
          );
          client.endpoint.hasFaults = this.#isFaulty;
          client.endpoint.isLate = this.#isFaulty;
          this.#clients.set(name, client);
          return this.adversary.clientOf(name, client);
        },
        carry: (to, wire) => {
          if (!this.adversary.send(name, to, wire)) this.#carry(name, to, wire);
        },
        createBook: (ports, isCurrent) =>
          new WatchedBook(ports, {
            onSettled: (settlement) => {
              if (!isCurrent()) return;
              this.users.settle(name, settlement);
              const { intentId, outcome } = settlement;
              if (outcome.type === "Reverted") this.#trap.reverted(intentId);
            },
            onTakenBack: (id) => {
              if (isCurrent()) this.users.takeBack(name, id);
            },
          }),
        serviceOf: (node) => this.#serviceOf(node),
        onStarted: (book) => {
          this.users.started(name, book);
        },
        onReport: (error) => {
          const isExpected =
            this.#failed.has(name) || this.adversary.liars.has(name);
          if (!isExpected) this.#failure ??= asError(error);
        },
        onTwinSends: (wire) => {
          const host = this.hosts.get(name);
          try {
            if (host !== undefined) checkTwin(host, wire);
          } catch (error) {
            this.#failure ??= asError(error);
          }
        },
        onEvent: (event, moment) => {
          watch.see(event, moment);
        },
        onHeld: (ms) => {
          watch.held(ms);
        },
        onWrites: (writes) => {
          if (this.adversary.liars.has(name)) return;
          try {
            this.#endorsed.see(writes, this.users.taken);
          } catch (error) {
            this.#failure ??= asError(error);
          }
        },
        onFact: (fact) => {
          this.#see(name, fact);
        },
        onFatal: (error) => {
          const isExpected =
            this.#failed.delete(name) || this.adversary.liars.has(name);
          if (isExpected) incidents.stopped(name);
          else this.#failure ??= asError(error);
        },
      },
    );
  }

  #watchOf(name: NodeName): NodeWatch {
    return new NodeWatch(name, {
      ledger: this.ledger,
      book: () => this.hosts.get(name)?.book,
      fail: (error) => {
        if (!this.adversary.liars.has(name)) this.#failure ??= asError(error);
      },
    });
  }

  #see(name: NodeName, fact: NodeFact): void {
    if (fact.type === "BlockSeen" || fact.type === "Settled") return;
    const reason = "reason" in fact ? ` ${fact.reason ?? "over"}` : "";
    this.#say(name, `${fact.type}${reason}`);
    if (fact.type === "Dispatched") {
      this.counts.dispatches += 1;
      const group = this.#groups.find((one) => one.address === fact.group);
      this.queue.after(1, () => {
        this.#incidents.dispatched(group?.endorsers ?? []);
      });
    }
    if (fact.type === "SubmissionFailed") this.counts.ledgerReverts += 1;
    if (fact.type !== "CoordinatorChanged" || fact.to !== "Active") return;
    this.counts.coordinatorChanges += 1;
    if (fact.takeover === "handover") this.counts.handovers += 1;
  }

  #hostDomain(name: NodeName, domain: Domain): Domain {
    return hostDomain(domain, {
      random: new Random(this.#settings.seed, `domain ${name} ${domain.name}`),
      isLying: () => this.adversary.isLying && this.adversary.liars.has(name),
      known: () => {
        const node = this.hosts.get(name)?.node;
        const groups = node?.groups() ?? [];
        return groups.flatMap(({ address }) => node?.states(address) ?? []);
      },
      onCall: () => {
        this.#incidents.called(name);
      },
    });
  }

  #carry(from: NodeName, to: NodeName, wire: Uint8Array): void {
    const { names } = this.#settings;
    this.sends += 1;
    this.trace.number(this.queue.now);
    this.trace.number(wire.length);
    this.#network.send(names.indexOf(from), names.indexOf(to), wire);
  }

  /** Whether the ways to the chain are late and faulty. */
  #disturb(isFaulty: boolean): void {
    this.#isFaulty = isFaulty;
    for (const { endpoint } of this.#clients.values()) {
      endpoint.hasFaults = isFaulty;
      endpoint.isLate = isFaulty;
    }
  }

  async #createGroups(): Promise<void> {
    const { seed, groups: plans } = this.#settings;
    const ports = {
      random: this.#random,
      factory: this.ledger.options.factory,
      nodeOf: (name: NodeName) => this.hosts.get(name)?.node,
    };
    const created = plans.map(
      async (plan, index) => await foundGroup({ seed, index, plan }, ports),
    );
    let isDone = false;
    let failure: unknown;
    Promise.all(created).then(
      (groups) => {
        this.#groups.push(...groups);
        isDone = true;
      },
      (error: unknown) => {
        failure = error;
        isDone = true;
      },
    );
    await this.#waitFor(() => isDone, "groups are not created");
    if (failure !== undefined) throw asError(failure);
    await this.#waitFor(
      () =>
        this.#nodes().every(
          (node) => node.groups().length === this.#groupsOf(node.name),
        ),
      "groups are not joined",
    );
    for (const group of this.#groups) this.users.setUp(group);
    await this.#waitFor(() => this.#isSettled(), "groups are not set up");
  }

  /** How many groups a node is a member of. */
  #groupsOf(name: NodeName): number {
    return this.#settings.groups.filter(({ members }) => members.includes(name))
      .length;
  }

  #nodes(): readonly Node[] {
    return [...this.hosts.values()].flatMap(({ node }) => node ?? []);
  }

  /** Nodes that are up and do not lie. */
  #honest(): readonly Node[] {
    return this.#nodes().filter(({ name }) => !this.adversary.liars.has(name));
  }

  /** The node, as its API sees it: every intent that it is asked for is known here before it is on its disk. */
  #serviceOf(node: Node): NodeService {
    return new Proxy(node, {
      get: (target, key): unknown => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        if (key !== "submit") return value.bind(target) as unknown;
        const submit: NodeService["submit"] = async (work, record) => {
          this.users.take(target.name, work);
          await target.submit(work, record);
        };
        return submit;
      },
    });
  }

  /** Whatever is parked waits for its user. */
  #isSettled(): boolean {
    return this.users
      .open()
      .every((wish) => this.#explain(wish)?.startsWith("It is parked"));
  }

  /** Why something has not ended. */
  #explain(wish: Wish): string | undefined {
    const { id } = this.users.intentOf(wish);
    return id && this.hosts.get(wish.node)?.node?.explain(id);
  }

  /** All nodes are members again, and know what they may know. */
  #isSynced(past: number): boolean {
    const nodes = this.#honest();
    const block = Math.max(past, lastBusyBlock(this.ledger.head));
    return (
      nodes.length === this.hosts.size - this.adversary.liars.size &&
      nodes.every(
        (node) =>
          node.groups().length === this.#groupsOf(node.name) &&
          node.height() >= block &&
          node.status().groups.every((group) => group.missingStates === 0),
      ) &&
      this.#groups.every(({ address }) => isSameEverywhere(address, nodes))
    );
  }

  async #waitFor(isDone: () => boolean, what: string): Promise<void> {
    const end = this.queue.now + SETTLE_MS_MAX;
    let lookAt = 0;
    for (;;) {
      if (this.queue.now >= lookAt) {
        if (isDone()) return;
        lookAt = this.queue.now + LOOK_MS;
      }
      if (this.queue.now > end) throw this.#late(what);
      if (!this.queue.step()) throw new Error("Nothing is left to happen.");
      this.steps += 1;
      // What the nodes began is done before the next thing happens.
      await setImmediate();
      if (this.#failure !== undefined)
        throw this.#failure instanceof Violation
          ? this.#failure
          : new Violation("S23", this.#failure.stack ?? "a node stops");
    }
  }

  #late(what: string): Violation {
    const open = this.users.open().map((wish) => {
      const why = this.#explain(wish) ?? wish.problem ?? "it is unknown";
      return `${wish.key} of ${wish.node}: ${why}`;
    });
    const nodes = this.#nodes().map(
      (node) =>
        `${node.name} is at block ${node.height()} with ${node.groups().length} groups`,
    );
    return new Violation(
      /^[LS]\d+$/.test(what) ? what : "L2",
      `${what}: ${[...open, ...nodes].join("; ")}`,
    );
  }

  #nameAt(index: number): NodeName {
    const name = this.#settings.names[index];
    if (name === undefined) throw new Error(`There is no node ${index}.`);
    return name;
  }

  #say(name: string, what: string): void {
    this.trace.text(name);
    this.trace.text(what);
    this.#transcript?.(
      `${(this.queue.now / 1_000).toFixed(3).padStart(9)} ${name}   ${what}`,
    );
  }
}

/** The last block in which anything happened: blocks may come faster than nodes see them. */
function lastBusyBlock(head: Block): number {
  let block = head;
  while (block.transactions.length === 0 && block.parent !== undefined)
    block = block.parent;
  return block.number;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
