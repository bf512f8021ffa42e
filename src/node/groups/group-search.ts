import { type Address, decodeLogs, topicOf } from "../../ledger/index.ts";
import { parseGroupAddress } from "../../protocol/ids.ts";
import { Chain } from "../../chain/chain.ts";
import { indexerDefaults } from "../../chain/indexer/ports.ts";
import { PageSize } from "../../chain/indexer/page-size.ts";
import { Worker } from "../../chain/worker.ts";
import { type ChainClient, ChainError } from "../../chain/ports.ts";
import type { MissingGroup } from "../../store/missing-groups.ts";
import type { Timers } from "../../async/timers.ts";

/** Contracts that a request names, at most. For more, all logs with the right topic are read, and sorted out here. */
const ADDRESSES_MAX = 500;
/** Groups of the factory, at most, whose changes of the committee are searched for. Members offer a group to those they add, too. */
const CREATED_MAX = 100_000;
/** When everything was searched: new groups are offered by their members. The next start searches again from there. */
const IDLE_MS = 2_147_483_647;

interface GroupSearchPorts {
  readonly client: ChainClient;
  readonly timers: Timers;
  /** Groups of this node up to a block that no reorganisation reaches (`settled`), and after it. Told after every page. */
  readonly onFound: (
    found: readonly MissingGroup[],
    progress: { readonly settled: number; readonly isComplete: boolean },
  ) => void;
  /** Anything but a chain that does not answer. */
  readonly fail: (error: unknown) => void;
}

/**
 * Finds the groups in which the ledger has this node as an endorser: in events of the factory, and in changes of the committees of
 * its groups. Members are not indexed there, so all events of the factory are read: at first in one request, then in smaller ranges if
 * the chain's node refuses.
 */
export class GroupSearch {
  readonly #options: {
    readonly factory: string;
    readonly endorser: Address;
    readonly from: number;
  };
  readonly #ports: GroupSearchPorts;
  readonly #chain: Chain;
  readonly #worker: Worker;
  /** All groups of the factory that were created since `from`, whosoever they are. */
  readonly #created = new Set<string>();
  #next: number;
  #head: number | undefined;
  #page: PageSize | undefined;
  #trouble: string | undefined;
  #isComplete = false;

  constructor(
    options: {
      readonly factory: string;
      readonly endorser: Address;
      /** The first block to search. */
      readonly from: number;
    },
    ports: GroupSearchPorts,
  ) {
    this.#options = { ...options, factory: options.factory.toLowerCase() };
    this.#ports = ports;
    this.#next = options.from;
    this.#chain = new Chain(ports.client);
    this.#worker = new Worker({
      timers: ports.timers,
      work: async () => await this.#step(),
      idleMs: () => IDLE_MS,
      onIdle: () => undefined,
      onTrouble: (error) => {
        this.#trouble = error?.message;
        if (error !== undefined && this.#worker.isStopped) ports.fail(error);
      },
    });
  }

  start(): void {
    this.#worker.start();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
  }

  /** How far it is, in one sentence; undefined when it is done. */
  get progress(): string | undefined {
    if (this.#isComplete) return undefined;
    const where =
      this.#head === undefined
        ? ""
        : `: block ${this.#next} of ${this.#head} comes next`;
    const trouble =
      this.#trouble === undefined
        ? ""
        : ` The chain does not answer: ${this.#trouble}`;
    return `Searches the ledger for groups of this node${where}.${trouble}`;
  }

  async #step(): Promise<boolean> {
    if (this.#isComplete) return false;
    this.#head ??= await this.#findHead();
    const head = this.#head;
    if (this.#next > head) {
      this.#tell([], head);
      return false;
    }
    const page = (this.#page ??= new PageSize({
      blocksMax: head - this.#next + 1,
    }));
    const to = Math.min(head, this.#next + page.blocks - 1);
    const found = await this.#read(this.#next, to, page);
    if (found === undefined) return true;
    if (this.#worker.isStopped) return false;
    page.grow();
    this.#next = to + 1;
    this.#tell(found, head);
    return !this.#isComplete;
  }

  async #findHead(): Promise<number> {
    const header = await this.#chain.header("latest");
    if (header === undefined)
      throw new ChainError("unreachable", "The chain has no head.");
    return header.number;
  }

  #tell(found: readonly MissingGroup[], head: number): void {
    this.#isComplete = this.#next > head;
    const last = head - indexerDefaults.reorgDepthMax;
    const settled = Math.min(this.#next - 1, last);
    this.#ports.onFound(found, { settled, isComplete: this.#isComplete });
  }

  /** Undefined if the range was too long. */
  async #read(
    from: number,
    to: number,
    page: PageSize,
  ): Promise<readonly MissingGroup[] | undefined> {
    try {
      const founded = await this.#founded(from, to);
      return [...founded, ...(await this.#added(from, to))];
    } catch (error) {
      const isSmaller = error instanceof ChainError && page.shrink();
      if (isSmaller && error.kind === "refused") return undefined;
      throw error;
    }
  }

  /** Groups that were created with this node. */
  async #founded(from: number, to: number): Promise<readonly MissingGroup[]> {
    const { factory } = this.#options;
    const logs = await this.#chain.logsBetween([from, to], {
      addresses: [factory],
      topics: [topicOf("GroupCreated")],
    });
    const found: MissingGroup[] = [];
    for (const fact of decodeLogs(logs)) {
      if (fact.type !== "GroupCreated" || fact.address !== factory) continue;
      const address = parseGroupAddress(fact.group);
      if (address === undefined) continue;
      if (this.#created.size < CREATED_MAX) this.#created.add(address);
      if (fact.members.includes(this.#options.endorser))
        found.push({ address, block: fact.log.blockNumber });
    }
    return found;
  }

  /** Groups that this node was added to. */
  async #added(from: number, to: number): Promise<readonly MissingGroup[]> {
    if (this.#created.size === 0) return [];
    const isFew = this.#created.size <= ADDRESSES_MAX;
    const logs = await this.#chain.logsBetween([from, to], {
      addresses: isFew ? [...this.#created] : undefined,
      topics: [topicOf("CommitteeChanged")],
    });
    const ours = logs.filter(({ address }) => this.#created.has(address));
    return decodeLogs(ours).flatMap((fact) => {
      const address = parseGroupAddress(fact.address);
      const isAdded =
        fact.type === "CommitteeChanged" &&
        fact.members.includes(this.#options.endorser);
      return isAdded && address !== undefined
        ? [{ address, block: fact.log.blockNumber }]
        : [];
    });
  }
}
