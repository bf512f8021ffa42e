import { setImmediate } from "node:timers/promises";

import { type GroupAddress, parseGroupAddress } from "../../protocol/ids.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { DomainGroup } from "../../runtime/domains/domain.ts";
import { curveThread } from "../../runtime/keys/curve-thread.ts";
import type { Node } from "../../runtime/node/node.ts";
import type { NodeFact } from "../../runtime/node/ports.ts";
import { SimulatedLedger } from "../chain-rpc/ledger.ts";
import {
  chainClientOf,
  type SimulatedClient,
} from "../chain-rpc/rpc/client.ts";
import type { Trial } from "../domains/trial.ts";
import { FaultCounter, noFaults } from "../faults.ts";
import { Network } from "../network.ts";
import { Queue } from "../queue.ts";
import { Random } from "../random.ts";
import { TraceHash } from "../transcript.ts";
import { Violation } from "../violation.ts";
import { checkGroup, checkReceipts, isSameEverywhere } from "./checks.ts";
import { SimulatedDisk } from "./disk.ts";
import { drawKeys, SimulatedHost } from "./host.ts";
import { Incidents } from "./incidents.ts";
import type { WholeSettings } from "./settings.ts";
import { type WholeGroup, WholeUsers } from "./users.ts";

/** Everything ends within this time after the faults have stopped. */
const SETTLE_MS_MAX = 600_000;

/** Nodes as they ship, in virtual time: their loop, disks, envelopes, domains, indexer and submitter, on a simulated chain. */
export class WholeWorld {
  readonly queue = new Queue();
  readonly ledger = new SimulatedLedger();
  readonly faults = new FaultCounter();
  readonly users: WholeUsers;
  readonly hosts = new Map<NodeName, SimulatedHost>();
  readonly trace = new TraceHash();
  readonly #settings: WholeSettings;
  readonly #transcript: ((line: string) => void) | undefined;
  readonly #random: Random;
  readonly #network: Network<Uint8Array>;
  readonly #incidents: Incidents;
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
    this.users = new WholeUsers({ random: new Random(seed, "users"), say });
    const { queue, faults, ledger, hosts } = this;
    this.#incidents = new Incidents(settings, {
      queue,
      faults,
      ledger,
      hosts,
      say,
      random: new Random(seed, "incidents"),
      onLost: (name) => {
        this.users.release(name);
      },
    });
    this.#network = new Network(
      { size: names.length, plan: noFaults },
      {
        queue,
        faults,
        random: new Random(seed, "network"),
        deliver: (to, _from, wire) => {
          hosts.get(this.#nameAt(to))?.arrive(wire);
        },
      },
    );
    for (const name of names) hosts.set(name, this.#hostOf(name));
  }

  /** From the first block to the last check. Throws a `Violation`. */
  async run(): Promise<void> {
    // Results that come from another thread come when they like.
    await curveThread.stop();
    const { plan, intents, spanMs, healMs } = this.#settings;
    for (const host of this.hosts.values()) host.start();
    this.#incidents.startMining();
    await this.#createGroups();
    this.#network.heal(plan);
    this.#network.start();
    this.#incidents.start();
    this.#disturb(true);
    for (let i = 0; i < intents; i++)
      this.queue.after(this.#random.below(spanMs), () => {
        const group = this.#random.pick(this.#groups);
        const host = this.hosts.get(this.#random.pick(group.members));
        if (host !== undefined) this.users.ask(group, host);
      });
    const healAt = this.queue.now + healMs;
    await this.#waitFor(() => this.queue.now >= healAt, "time stands still");
    this.#network.heal(noFaults);
    this.#incidents.heal();
    this.#disturb(false);
    const healedMs = this.queue.now;
    await this.#waitFor(() => this.#isSettled(), "L2");
    this.settleMs = this.queue.now - healedMs;
    await this.#waitFor(() => this.#isSynced(), "L23");
    checkReceipts(this.ledger, this.users);
    for (const group of this.#groups)
      await checkGroup(this.ledger, this.users, group, this.#nodes());
  }

  close(): void {
    for (const host of this.hosts.values()) host.crash({ isKept: true });
    for (const disk of this.#disks.values()) disk.close();
  }

  #hostOf(name: NodeName): SimulatedHost {
    const { seed, names, node: settings, trials } = this.#settings;
    const { chainId, factory } = this.ledger.options;
    const incidents = this.#incidents;
    const disk = new SimulatedDisk({
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
        keys: new Map(names.map((one) => [one, drawKeys(seed, one)])),
      },
      {
        queue: this.queue,
        disk,
        domains: new Map(
          trials.map(({ domain }) => [domain.name, domain] as const),
        ),
        openClient: (timers) => {
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
          return client;
        },
        carry: (to, wire) => {
          this.sends += 1;
          this.trace.number(this.queue.now);
          this.trace.number(wire.length);
          this.#network.send(names.indexOf(name), names.indexOf(to), wire);
        },
        createUsers: () => this.users.bookOf(name),
        onFact: (fact) => {
          this.#see(name, fact);
        },
        onFatal: (error) => {
          if (this.#failed.delete(name)) incidents.stopped(name);
          else this.#failure ??= asError(error);
        },
      },
    );
  }

  #see(name: NodeName, fact: NodeFact): void {
    if (fact.type === "BlockSeen" || fact.type === "Settled") return;
    const reason = "reason" in fact ? ` ${fact.reason ?? "over"}` : "";
    this.#say(name, `${fact.type}${reason}`);
    if (fact.type === "Dispatched") this.counts.dispatches += 1;
    if (fact.type === "SubmissionFailed") this.counts.ledgerReverts += 1;
    if (fact.type !== "CoordinatorChanged" || fact.to !== "Active") return;
    this.counts.coordinatorChanges += 1;
    if (fact.takeover === "handover") this.counts.handovers += 1;
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
    const { trials } = this.#settings;
    const created: Promise<void>[] = [];
    let isDone = false;
    let failure: unknown;
    for (const [index, trial] of trials.entries())
      created.push(this.#createGroup(index, trial));
    Promise.all(created).then(
      () => {
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
        this.#nodes().every((node) => node.groups().length === trials.length),
      "groups are not joined",
    );
  }

  async #createGroup(index: number, trial: Trial): Promise<void> {
    const { seed, names: members } = this.#settings;
    const contract = requireGroup(this.ledger.options.factory);
    const committee = members.slice(0, Math.max(1, members.length - 1));
    const drawn = { seed, contract, members, committee, threshold: 1 };
    const configuration = trial.configure(drawn, this.#random);
    const plan = { members, configuration };
    const endorsers = trial.domain.endorsersOf?.(plan) ?? members;
    const creator = this.hosts.get(this.#random.pick(members))?.node;
    if (creator === undefined) throw new Error("Nobody is up.");
    const { address } = await creator.createGroup({
      id: `0x${(index + 1).toString(16).padStart(64, "0")}`,
      name: `group ${index}`,
      domain: trial.domain.name,
      members,
      threshold: Math.floor(endorsers.length / 2) + 1,
      configuration,
    });
    const group: DomainGroup = { address, members, endorsers, configuration };
    const draw = trial.drawCalls(group);
    this.#groups.push({ trial, address, members, draw });
  }

  #nodes(): readonly Node[] {
    return [...this.hosts.values()].flatMap(({ node }) => node ?? []);
  }

  /** Whatever is parked waits for its user. */
  #isSettled(): boolean {
    return this.users
      .open()
      .every(([id, node]) =>
        this.hosts.get(node)?.node?.explain(id)?.startsWith("It is parked"),
      );
  }

  /** All nodes are members again, and know what they may know. */
  #isSynced(): boolean {
    const nodes = this.#nodes();
    return (
      nodes.length === this.hosts.size &&
      nodes.every(
        (node) =>
          node.groups().length === this.#groups.length &&
          node.height() === this.ledger.head.number &&
          node.status().groups.every((group) => group.missingStates === 0),
      ) &&
      this.#groups.every(({ address }) => isSameEverywhere(address, nodes))
    );
  }

  async #waitFor(isDone: () => boolean, what: string): Promise<void> {
    const end = this.queue.now + SETTLE_MS_MAX;
    while (!isDone()) {
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
    const open = this.users.open().map(([id, node]) => {
      const why = this.hosts.get(node)?.node?.explain(id) ?? "it is unknown";
      return `${id} of ${node}: ${why}`;
    });
    const nodes = this.#nodes().map(
      (node) =>
        `${node.name} is at block ${node.height()} with ${node.groups().length} groups`,
    );
    return new Violation(
      /^L\d+$/.test(what) ? what : "L2",
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

function requireGroup(address: string): GroupAddress {
  const parsed = parseGroupAddress(address);
  if (parsed === undefined) throw new Error(`${address} is not an address.`);
  return parsed;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
