import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { toHex } from "../ledger/index.ts";
import {
  type GroupAddress,
  type NodeName,
  parseNodeName,
} from "../protocol/ids.ts";
import { type Domain, DomainRefusal } from "../domains/domain.ts";
import { loadIdentity } from "../keys/identity-file.ts";
import { createEndorser, createPayer } from "../keys/secp256k1.ts";
import { loadWallet } from "../keys/wallet-file.ts";
import { endorsersOf } from "../node/groups/genesis.ts";
import { thisMachine } from "../node/machine.ts";
import type { NodeFact } from "../node/ports.ts";
import type { NodeSettings } from "../node/settings.ts";
import { stopThenClose } from "../chain/client/stop.ts";
import type { ChainClient, Faucet } from "../chain/ports.ts";
import type { Payer } from "../keys/ports.ts";
import { type NodeGroup, NodeRefusal } from "../node/service.ts";
import type { Timers } from "../async/timers.ts";
import type { Connect } from "../network/carrier.ts";
import { type DirectedFaults, Hub } from "../network/in-process.ts";
import type { Draw, LinkFaults } from "../network/link-faults.ts";
import type { OpenDisk } from "../store/disk.ts";
import { Member } from "./member.ts";

/** What a cluster is made of. */
export interface ClusterOptions {
  /** At least one, all different. */
  readonly names: readonly string[];
  readonly chainId: bigint;
  readonly factory: string;
  readonly settings: NodeSettings;
  /** Every node has a folder in here. What is there already is taken up again. */
  readonly dataDir: string;
  /** Groups with nothing to do that a node keeps in memory. */
  readonly restingMax?: number;
}

/** What a cluster is connected with. */
export interface ClusterPorts {
  /** Every node has a connection of its own. */
  readonly openClient: () => ChainClient;
  /** The private keys with which the nodes endorse and pay, in the order of their names. */
  readonly keys: readonly string[];
  readonly domains: readonly Domain[];
  /** With this one, users of nodes ask the chain. */
  readonly usersClient?: ChainClient;
  /** Gives users of nodes money; without it, they have what they have. */
  readonly faucet?: Faucet;
  /** Puts something between a node and a payer. */
  readonly wrapPayer?: (name: NodeName, payer: Payer) => Payer;
  /** The network between the nodes; without it, they have one of their own. */
  readonly hub?: Hub;
  /** The clocks of the nodes; without it, that of the machine. */
  readonly timers?: Timers;
  /** Where a node has its database; without it, in a file of its folder. */
  readonly openDisk?: (name: NodeName) => OpenDisk;
  /** Decides what the faults of their own network hit; without it, chance does. */
  readonly draw?: Draw;
  readonly onFact: (name: NodeName, fact: NodeFact) => void;
  /** A node cannot go on and has stopped. */
  readonly onFatal: (name: NodeName, error: unknown) => void;
}

/** A group to be created. What is left out: all nodes, the smallest majority, a random id. */
export interface NewGroup {
  readonly domain: string;
  readonly name?: string;
  readonly members?: readonly string[];
  readonly threshold?: number;
  readonly configuration?: Readonly<Record<string, string>>;
}

/** Several nodes in one process, on one chain. */
export class Cluster {
  readonly #members = new Map<NodeName, Member>();
  readonly #clients: ChainClient[] = [];
  readonly #hub: Hub;
  readonly #joined = new Set<() => void>();
  readonly #domains: readonly Domain[];

  constructor(options: ClusterOptions, ports: ClusterPorts) {
    const names = options.names.map(requireName);
    if (names.length === 0 || new Set(names).size !== names.length)
      throw new NodeRefusal(
        `A cluster needs nodes with different names, and these are: ${options.names.join(", ") || "none"}.`,
      );
    this.#domains = ports.domains;
    this.#hub = ports.hub ?? new Hub({}, ports.draw && { draw: ports.draw });
    const nodes = names.map((name, index) => {
      const directory = join(options.dataDir, name);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const identity = loadIdentity({ directory });
      const wallet = loadWallet({ directory });
      const key = ports.keys[index] ?? "";
      const endorser = createEndorser(key);
      const payer = createPayer(key);
      const file = join(directory, "node.db");
      const payers = [ports.wrapPayer?.(name, payer) ?? payer];
      return { name, file, identity, wallet, endorser, payers };
    });
    const peers = new Map(
      nodes.map(({ name, identity: { publicKey }, endorser }) => [
        name,
        { publicKey, endorser: endorser.address },
      ]),
    );
    const { domains, usersClient, faucet, timers, openDisk } = ports;
    const connect: Connect = (self, arrive) => this.#hub.connect(self, arrive);
    for (const { name, file, ...node } of nodes) {
      const client = ports.openClient();
      this.#clients.push(client);
      const shared = { connect, peers, domains, usersClient, faucet, timers };
      const member = new Member(
        { ...options, name, file },
        {
          ...shared,
          ...node,
          client,
          machine:
            openDisk === undefined
              ? thisMachine
              : { ...thisMachine, openDisk: openDisk(name) },
          onFact: (fact) => {
            if (fact.type === "GroupJoined")
              for (const notify of this.#joined) notify();
            ports.onFact(name, fact);
          },
          onFatal: (error) => {
            ports.onFatal(name, error);
          },
        },
      );
      this.#members.set(name, member);
    }
  }

  /** Starts the nodes that are down: all of them, or none if one cannot be started. */
  start(): void {
    const down = this.members.filter(({ isUp }) => !isUp);
    try {
      for (const member of down) member.start();
    } catch (error) {
      for (const member of down) void member.stop().catch(() => undefined);
      throw error;
    }
  }

  /** Resolves when nothing of it runs any more. What was accepted is on disk. */
  readonly stop = async (): Promise<void> => {
    await stopThenClose(async () => {
      await Promise.all(this.members.map((member) => member.stop()));
      this.#hub.stop();
    }, this.#clients);
  };

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** The node with this name. */
  member(name: string): Member {
    const parsed = parseNodeName(name);
    const member = parsed === undefined ? undefined : this.#members.get(parsed);
    if (member === undefined)
      throw new NodeRefusal(
        `There is no node "${name}" in this cluster. There are: ${[...this.#members.keys()].join(", ")}.`,
      );
    return member;
  }

  /** Creates a group, and resolves when all its members that are up have joined it. */
  async createGroup(group: NewGroup): Promise<NodeGroup> {
    const names = (group.members ?? [...this.#members.keys()]).map(requireName);
    const members = names.map((name) => this.member(name));
    const creator = members.find(({ isUp }) => isUp);
    if (creator === undefined)
      throw new NodeRefusal("No member of the new group is up.");
    const created = await creator.node.createGroup({
      id: toHex(randomBytes(32)),
      name: group.name ?? "",
      domain: group.domain,
      members: names,
      threshold: group.threshold ?? majorityOf(this.endorsersOf(group)),
      configuration: group.configuration ?? {},
    });
    await this.#untilJoined(members, created.address);
    return created;
  }

  /**
   * A group that was created before; undefined if no node that is up knows it. Resolves when all its members that are up know it: some may
   * have lost their databases.
   */
  async findGroup(address: GroupAddress): Promise<NodeGroup | undefined> {
    const known = this.members
      .map((member) => (member.isUp ? member.node.group(address) : undefined))
      .find((group) => group !== undefined);
    const members = this.members.filter(({ name }) =>
      known?.members.includes(name),
    );
    await this.#untilJoined(members, address);
    return known;
  }

  /** Who would endorse in a new group. Whether it makes sense at all is for its first node to say. */
  endorsersOf(group: NewGroup): readonly string[] {
    const names = (group.members ?? [...this.#members.keys()]).map(requireName);
    const { configuration = {} } = group;
    const domain = this.#domains.find(({ name }) => name === group.domain);
    try {
      const plan = { members: names, configuration };
      domain?.checkGroup(plan);
      return domain === undefined ? names : endorsersOf(domain, plan);
    } catch (error) {
      if (error instanceof DomainRefusal) return names;
      throw error;
    }
  }

  async #untilJoined(
    members: readonly Member[],
    group: GroupAddress,
  ): Promise<void> {
    const isDone = (): boolean =>
      members.every(
        (member) => !member.isUp || member.node.group(group) !== undefined,
      );
    if (isDone()) return;
    await new Promise<void>((resolve) => {
      const notify = (): void => {
        if (!isDone()) return;
        this.#joined.delete(notify);
        resolve();
      };
      this.#joined.add(notify);
    });
  }

  /** Nodes hear only those of their own side. A node that is on no side hears nobody. */
  partition(...sides: readonly (readonly string[])[]): void {
    const sideOf = (name: NodeName): number =>
      sides.findIndex((side) => side.includes(name));
    this.#eachLink((from, to) => {
      const isTogether = sideOf(from) !== -1 && sideOf(from) === sideOf(to);
      if (isTogether) this.#hub.restore({ from, to });
      else this.#hub.cut({ from, to });
    });
  }

  /** Makes the network between two nodes, in one direction, worse. */
  disturb(
    direction: { readonly from: string; readonly to: string },
    faults: Partial<LinkFaults>,
  ): void {
    const from = this.member(direction.from).name;
    const to = this.member(direction.to).name;
    this.#hub.disturb({ from, to }, faults);
  }

  /** The faults of the network, for {@link setFaults}. */
  faults(): readonly DirectedFaults[] {
    return this.#hub.faults();
  }

  /** The network has these faults, and no others. */
  setFaults(all: readonly DirectedFaults[]): void {
    this.#hub.heal();
    for (const { direction, faults } of all)
      this.#hub.disturb(direction, faults);
  }

  /** The network is perfect again. */
  heal(): void {
    this.#hub.heal();
  }

  #eachLink(run: (from: NodeName, to: NodeName) => void): void {
    for (const from of this.#members.keys())
      for (const to of this.#members.keys()) if (from !== to) run(from, to);
  }
}

function requireName(name: string): NodeName {
  const parsed = parseNodeName(name);
  if (parsed === undefined)
    throw new NodeRefusal(
      `"${name}" is no name for a node. Use letters, digits, ".", "_" and "-", at most 64.`,
    );
  return parsed;
}

function majorityOf(names: readonly string[]): number {
  return Math.floor(names.length / 2) + 1;
}
