import type { GroupAddress } from "../../protocol/ids.ts";
import { ChainError } from "../ports.ts";
import { Chain } from "../chain.ts";
import type { Header } from "../values.ts";
import { ChainMoved, Worker } from "../worker.ts";
import { anchorBelow } from "./anchor.ts";
import { BlockLogs } from "./block-logs.ts";
import { blockOf, type ChainBlock, type Watched } from "./blocks.ts";
import { Branches } from "./branches.ts";
import type { BlockReference } from "./fork.ts";
import { ChainIdentity } from "./identity.ts";
import type { IndexerOptions, IndexerPorts } from "./ports.ts";
import { canFollow } from "./parents.ts";
import { Pace } from "./pace.ts";
import { PageSize } from "./page-size.ts";
import { readDeepPage, readRecentPage } from "./pages.ts";

interface Late {
  readonly group: GroupAddress;
  from: number;
  readonly done: () => void;
}

const RECENT_PAGE_BLOCKS = 64;
/** Blocks to be read again; others are found again when their receipts are. */
const MISSED_MAX = 64;

/** Follows the chain, and tells of every block once, in order. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #ports: IndexerPorts;
  readonly #chain: Chain;
  readonly #logs: BlockLogs;
  readonly #identity: ChainIdentity;
  readonly #branches: Branches;
  readonly #worker: Worker;
  readonly #pace: Pace;
  readonly #deepPage: PageSize;
  readonly #recentPage = new PageSize({ blocksMax: RECENT_PAGE_BLOCKS });
  readonly #groups: Set<string>;
  readonly #late: Late[] = [];
  /** By block, a transaction in it whose transition was not told. */
  readonly #missed = new Map<number, string>();
  #head: BlockReference | undefined;
  #first: number | undefined;
  #isRightChain = false;
  #tip: number | undefined;
  /** It looks because it was time, and not because somebody woke it. */
  #isUnasked = false;
  #isHeld = false;
  #telling: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void) | undefined;

  constructor(options: IndexerOptions, ports: IndexerPorts) {
    this.#options = options;
    this.#ports = ports;
    const chain = new Chain(ports.client);
    this.#chain = chain;
    this.#logs = new BlockLogs(chain);
    this.#identity = new ChainIdentity(options, { ...ports, chain });
    const { knownAt, timers } = ports;
    this.#branches = new Branches(options, {
      chain,
      knownAt,
      timers,
      identity: this.#identity,
    });
    this.#deepPage = new PageSize({ blocksMax: options.pageBlocks });
    this.#groups = new Set(options.groups);
    this.#first = options.fromBlock;
    this.#pace = new Pace(options);
    this.#worker = new Worker({
      timers: ports.timers,
      work: async () => await this.#step(),
      idleMs: () => this.#pace.ms,
      onIdle: () => {
        this.#isUnasked = true;
      },
      onTrouble: (error) => {
        this.#isRightChain = error === undefined;
        ports.onTrouble(error);
      },
    });
  }

  start(): void {
    this.#head = this.#ports.head();
    this.#unsubscribe = this.#ports.client.onHead(() => this.#worker.wake());
    this.#worker.start();
  }

  /** Resolves when nothing more will be told. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#branches.stop();
    await this.#worker.stop();
  }

  /**
   * Takes up a group. Its past from `fromBlock` to the last indexed block is told first; then it resolves, and goes on with
   * the others. After a restart before that, call it again with the block after the last one that was told.
   */
  async watch(group: GroupAddress, fromBlock: number): Promise<void> {
    if (this.#groups.has(group)) return;
    await new Promise<void>((done) => {
      this.#late.push({ group, from: fromBlock, done });
      this.#worker.wake();
    });
  }

  /** A transaction in an indexed block made a transition that was not told, as its receipt shows. */
  reindex(place: {
    readonly block: number;
    readonly transactionHash: string;
  }): void {
    if (this.#missed.size >= MISSED_MAX) return;
    this.#missed.set(place.block, place.transactionHash);
    this.#worker.wake();
  }

  /** The head of the chain, as it was seen last. */
  get tip(): number | undefined {
    return this.#tip;
  }

  /** Resolves when what is being told has been; from then on it tells nothing until it is released. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    await Promise.allSettled([this.#telling]);
  }

  release(): void {
    this.#isHeld = false;
    this.#worker.wake();
  }

  /** Does one thing; whether there is more to do at once. */
  async #step(): Promise<boolean> {
    if (this.#mustWait()) return false;
    await this.#requireRightChain();
    const tip = await this.#chain.header("latest");
    if (tip === undefined)
      throw new ChainError("unreachable", "The chain has no head.");
    this.#see(tip);
    const head = this.#head;
    const compared =
      head === undefined ? "same" : await this.#branches.compare(head, tip);
    if (compared === "wait" || this.#mustWait()) return false;
    if (compared !== "same") {
      const anchor = await this.#anchorAt(compared);
      if (this.#mustWait()) return false;
      await this.#revert(compared, anchor);
      return true;
    }
    const [missed] = this.#missed;
    if (missed !== undefined) {
      await this.#readAgain(...missed);
      return true;
    }
    const [late] = this.#late;
    if (late !== undefined) {
      await this.#catchUp(late, tip);
      return true;
    }
    return await this.#advance(tip);
  }

  #see(header: Header): void {
    const isNew = header.number !== this.#tip;
    this.#tip = header.number;
    this.#pace.see({ isNew, isUnasked: this.#isUnasked, header });
    this.#isUnasked = false;
  }

  /** The chain may have been replaced while it could not be reached. */
  async #requireRightChain(): Promise<void> {
    if (this.#isRightChain) return;
    await this.#identity.require();
    this.#pace.meet(this.#identity);
    this.#logs.isSingleSource = this.#identity.isSimulated;
    this.#isRightChain = true;
  }

  /** If the transition is there, the block and all after it are told again, from receipts this time. */
  async #readAgain(number: number, transactionHash: string): Promise<void> {
    const header = await this.#chain.header(number);
    if (header?.number !== number)
      throw new ChainMoved("A block below the head is not there.");
    const logs = await this.#logs.fromReceipts(header);
    this.#missed.delete(number);
    const { knownAt } = this.#ports;
    const known = knownAt(number);
    const isOther = known?.number === number && known.hash !== header.hash;
    const anchor =
      knownAt(number - 1) ?? (await anchorBelow(this.#chain, header));
    const watched = { groups: this.#groups, factory: undefined };
    const { transitions } = blockOf(header, logs, watched);
    const isThere = transitions.some(
      (transition) => transition.transactionHash === transactionHash,
    );
    if (isOther || !isThere || this.#mustWait()) return;
    this.#logs.distrust(number);
    await this.#revert(number - 1, anchor);
  }

  /** The block at a height below all that are remembered; undefined if there is one that is remembered, or none at all. */
  async #anchorAt(height: number): Promise<BlockReference | undefined> {
    if (height < 0 || this.#ports.knownAt(height) !== undefined)
      return undefined;
    const above = await this.#chain.header(height + 1);
    if (above?.number !== height + 1)
      throw new ChainMoved("A block below the head is not there.");
    return await anchorBelow(this.#chain, above);
  }

  /** The anchor is the last block that stays, in case that the hashes of so old blocks are not kept. */
  async #revert(height: number, anchor?: BlockReference): Promise<void> {
    await this.#tell(this.#ports.onRevert(height, anchor));
    this.#head = this.#ports.head();
    if (this.#head !== undefined && this.#head.number > height)
      throw new Error("Blocks that were reverted are still indexed.");
    for (const late of this.#late) late.from = Math.min(late.from, height + 1);
  }

  /** Tells a page of the past of a group; when there is none left, it is like the others. */
  async #catchUp(late: Late, tip: Header): Promise<void> {
    const head = this.#head;
    if (head !== undefined && late.from <= head.number) {
      const watched = { groups: new Set([late.group]), factory: undefined };
      const blocks = await this.#read(late.from, head.number, watched, tip);
      const last = blocks.at(-1);
      if (last === undefined || this.#mustWait()) return;
      for (const { number, hash } of blocks) {
        const known = this.#ports.knownAt(number);
        if (known?.number === number && known.hash !== hash)
          throw new ChainMoved("A block is not the one that is indexed.");
      }
      const own = blocks.filter(
        ({ transitions, committees }) =>
          transitions.length + committees.length > 0,
      );
      await this.#tell(this.#ports.onHistory(late.group, own, last.number));
      late.from = last.number + 1;
      if (late.from <= head.number) return;
    }
    this.#first = Math.min(this.#first ?? late.from, late.from);
    this.#groups.add(late.group);
    this.#late.shift();
    late.done();
  }

  async #advance(tip: Header): Promise<boolean> {
    const target = tip.number - this.#options.confirmations;
    const from =
      this.#head === undefined
        ? (this.#first ?? Math.max(target, 0))
        : this.#head.number + 1;
    if (from > target) return false;
    const watched = { groups: this.#groups, factory: this.#options.factory };
    const blocks = await this.#read(from, target, watched, tip);
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (first === undefined || last === undefined || this.#mustWait())
      return false;
    const isLinked =
      this.#head?.number !== first.number - 1 ||
      canFollow(first, this.#head.hash, this.#identity);
    if (!isLinked) throw new ChainMoved("A block does not follow the head.");
    if (!this.#branches.admit(blocks)) return false;
    await this.#tell(this.#ports.onBlocks(blocks));
    this.#head = { number: last.number, hash: last.hash };
    return last.number < target || this.#late.length > 0;
  }

  /** The next page of blocks from `from`, at most up to `to`. */
  async #read(
    from: number,
    to: number,
    watched: Watched,
    tip: Header,
  ): Promise<readonly ChainBlock[]> {
    const deep = Math.min(to, tip.number - this.#options.reorgDepthMax);
    const isDeep = from <= deep;
    const page = isDeep ? this.#deepPage : this.#recentPage;
    const range = [
      from,
      Math.min(isDeep ? deep : to, from + page.blocks - 1),
    ] as const;
    const { isSimulated } = this.#identity;
    const ports = { chain: this.#chain, logs: this.#logs, isSimulated };
    const anchors = this.#head === undefined ? [tip] : [tip, this.#head];
    try {
      const blocks = isDeep
        ? await readDeepPage(ports, range, watched, anchors)
        : await readRecentPage(ports, range, watched, tip);
      page.grow();
      return blocks;
    } catch (error) {
      // Nodes refuse ranges that are too long, or that have too many logs, or take too long for them. And where one request
      // in a few fails, few must do.
      const isRead = error instanceof ChainError || error instanceof ChainMoved;
      const isSmaller = isRead && page.shrink();
      const isRefused = error instanceof ChainError && error.kind === "refused";
      if (isSmaller && isDeep && isRefused)
        return await this.#read(from, to, watched, tip);
      throw error;
    }
  }

  /** Whoever holds it waits for what is being told. */
  async #tell(telling: Promise<void>): Promise<void> {
    this.#telling = telling;
    await telling;
  }

  /** Asked after every wait: somebody may have held or stopped it meanwhile. */
  #mustWait(): boolean {
    return this.#isHeld || this.#worker.isStopped;
  }
}
