import type { Cluster } from "../../cluster/cluster.ts";
import type { Member } from "../../cluster/member.ts";
import { SequencerError } from "../errors.ts";
import { Group } from "./group.ts";
import type { History } from "./history.ts";
import type { Mining } from "./mining.ts";
import { MemberNode } from "./node.ts";
import { readFaults, requireCount } from "./options.ts";
import { asUserError, asUserErrorNow } from "./refusals.ts";
import { newGroup, requireOptions } from "./require-options.ts";
import type { Sabotage } from "./sabotage.ts";
import type {
  ClusterGroup,
  ClusterNode,
  ClusterNodeStatus,
  NetworkFaults,
  NewClusterGroup,
  Reorganisation,
  RunningCluster,
} from "./types.ts";
import { type SavedCluster, saveCluster } from "./saved-cluster.ts";
import type { Waits } from "./waits.ts";

/** What only a simulated chain can do. */
export interface SimulatedChain {
  readonly mining: Mining;
  readonly history: History;
}

/** What a cluster in a test is made of. */
export interface TestClusterOptions {
  readonly network: string;
  readonly factory: string;
  /** Undefined: the smallest majority. */
  readonly threshold: number | undefined;
  /** The account of each node. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Where the nodes' disks are. */
  readonly dataDir: string;
}

/** What it is connected with. */
export interface TestClusterPorts {
  readonly cluster: Cluster;
  readonly sabotage: Sabotage;
  readonly waits: Waits;
  /** Undefined on other chains. */
  readonly simulated: SimulatedChain | undefined;
  /** The last block that a node can believe by now. */
  readonly headOf: () => Promise<number>;
  /** Why nodes stopped by themselves. */
  readonly failures: ReadonlyMap<string, Error>;
  /** Runs something as nobody's request to the chain, whoever calls. */
  readonly detached: (run: () => void) => void;
  /** Closes what is left open, and removes what it has left on disk. */
  readonly clean: () => Promise<void>;
}

/** Nodes on a connection, for tests. */
export class TestCluster implements RunningCluster {
  readonly nodes: readonly MemberNode[];
  readonly factory: string;
  readonly #options: TestClusterOptions;
  readonly #ports: TestClusterPorts;
  #restores = 0;
  #stopping: Promise<void> | undefined;

  constructor(options: TestClusterOptions, ports: TestClusterPorts) {
    this.#options = options;
    this.#ports = ports;
    this.factory = options.factory;
    this.nodes = ports.cluster.members.map(
      (member) =>
        new MemberNode(
          { address: options.addresses.get(member.name) ?? "" },
          {
            member,
            sabotage: ports.sabotage,
            failure: () => ports.failures.get(member.name),
            requireRunning: () => {
              this.#requireRunning();
            },
          },
        ),
    );
  }

  get isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  node(name: string): ClusterNode {
    const member = this.#member(name);
    const node = this.nodes.find((one) => one.name === member.name);
    if (node === undefined) throw this.#unknown(name);
    return node;
  }

  async createGroup(group: NewClusterGroup): Promise<ClusterGroup> {
    this.#requireRunning();
    requireOptions("createGroup()", newGroup, group);
    const { cluster, waits, simulated } = this.#ports;
    const all = this.nodes.map(({ name }) => name);
    const members = (group.members ?? all).map(
      (name) => this.#member(name).name,
    );
    const endorsers = cluster.endorsersOf({ ...group, members });
    const { threshold = this.#thresholdFor(endorsers.length) } = group;
    const [first = ""] = members;
    const restores = this.#restores;
    const created = await asUserError(
      async () =>
        await waits.until(
          first,
          cluster.createGroup({
            ...group,
            members,
            ...(threshold !== undefined && { threshold }),
          }),
          () =>
            restores === this.#restores
              ? undefined
              : new SequencerError("SNAPSHOT_RESTORED", {
                  what: "createGroup()",
                }),
        ),
    );
    // Nodes keep a group that they have joined, so the chain must not forget it either.
    await simulated?.history.forget();
    return new Group(created, members, {
      member: (name) => this.#member(name),
      waits,
      restores: () => this.#restores,
    });
  }

  status(): readonly ClusterNodeStatus[] {
    return this.nodes.map((node) => node.status());
  }

  async synced(): Promise<void> {
    this.#requireRunning();
    const { waits, headOf } = this.#ports;
    const head = await headOf();
    await waits.untilTrue(
      () => !this.nodes.some((node) => node.isBehind(head)),
    );
  }

  partition(...sides: readonly (readonly string[])[]): void {
    for (const name of sides.flat()) this.#member(name);
    this.#ports.cluster.partition(...sides);
  }

  disturb(
    direction: { readonly from: string; readonly to: string },
    faults: NetworkFaults,
  ): void {
    for (const name of [direction.from, direction.to]) this.#member(name);
    this.#ports.cluster.disturb(direction, readFaults(faults));
  }

  heal(): void {
    this.#ports.cluster.heal();
  }

  async pauseMining(): Promise<void> {
    await this.#simulated("pauseMining()").mining.pause();
  }

  async resumeMining(): Promise<void> {
    await this.#simulated("resumeMining()").mining.resume();
  }

  revertNext(count = 1): void {
    this.#ports.sabotage.add(requireCount("revertNext()", count));
  }

  async reorganise(
    blocks: number | { readonly fromBlock: number },
  ): Promise<Reorganisation> {
    const { mining, history } = this.#simulated("reorganise()");
    const isDepth = typeof blocks === "number";
    requireCount("reorganise()", isDepth ? blocks : blocks.fromBlock);
    return await mining.whilePaused(
      async () =>
        await history.replace((head) =>
          isDepth ? head - blocks : blocks.fromBlock - 1,
        ),
    );
  }

  /** Saves the nodes as they are now. */
  save(): SavedCluster {
    const { cluster, sabotage } = this.#ports;
    const simulated = this.#simulated("evm_snapshot");
    return saveCluster(this.#options, {
      cluster,
      nodes: this.nodes,
      sabotage,
      simulated,
    });
  }

  /** So that a reorganisation of what comes from now on goes back to now, and not to what was before a snapshot. */
  async rememberChain(): Promise<void> {
    await this.#simulated("evm_snapshot").history.add();
  }

  /** Takes the chain and the nodes back. If the chain does not go back, the nodes go on as they were. */
  async restore(
    saved: SavedCluster,
    goBack: () => Promise<boolean>,
  ): Promise<void> {
    const { mining, history } = this.#simulated("evm_revert");
    const { waits, detached } = this.#ports;
    const up = this.nodes.filter(({ isUp }) => isUp);
    await Promise.all(
      this.nodes.map(async (node) => {
        await node.crash();
      }),
    );
    const isBack = await history.restore(saved.history, goBack);
    if (isBack) {
      saved.apply();
      this.#restores += 1;
    }
    detached(() => {
      for (const node of this.nodes)
        if (isBack ? saved.up.has(node.name) : up.includes(node)) node.start();
    });
    if (!isBack) return;
    waits.restored();
    for (const node of this.nodes)
      if (saved.held.has(node.name)) await node.holdBlocks();
    if (saved.isMiningPaused) await mining.pause();
    else await mining.resume();
  }

  async stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    await this.#stopping;
  }

  async #stop(): Promise<void> {
    const { cluster, waits, simulated, clean } = this.#ports;
    waits.stop(new SequencerError("CLUSTER_STOPPED", undefined));
    await simulated?.history.stop();
    await cluster.stop();
    await clean();
    await simulated?.mining.restore();
  }

  /** The threshold of the configuration is for groups of all nodes; smaller ones may not reach it. */
  #thresholdFor(count: number): number | undefined {
    const { threshold } = this.#options;
    return threshold === undefined ? undefined : Math.min(threshold, count);
  }

  #member(name: string): Member {
    this.#requireRunning();
    const known = this.#ports.cluster.members.some(
      (member) => member.name === name,
    );
    if (!known) throw this.#unknown(name);
    return asUserErrorNow(() => this.#ports.cluster.member(name));
  }

  #unknown(name: string): SequencerError {
    const known = this.nodes.map((node) => node.name).join(", ");
    return new SequencerError("NODE_UNKNOWN", { name, known });
  }

  #simulated(what: string): SimulatedChain {
    this.#requireRunning();
    const { simulated } = this.#ports;
    if (simulated === undefined)
      throw new SequencerError("CHAIN_NOT_SIMULATED", {
        what,
        network: this.#options.network,
      });
    return simulated;
  }

  #requireRunning(): void {
    if (this.isStopped) throw new SequencerError("CLUSTER_STOPPED", undefined);
  }
}
