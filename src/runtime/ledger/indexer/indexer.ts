import type { GroupAddress } from "../../../protocol/ids.ts";
import { ChainError } from "../../ports.ts";
import { Bell } from "../bell.ts";
import { Chain } from "../chain.ts";
import { Backoff } from "../timers.ts";
import type { Header } from "../values.ts";
import type { ChainBlock, Watched } from "./blocks.ts";
import { type BlockReference, findFork } from "./fork.ts";
import type { IndexerOptions, IndexerPorts } from "./ports.ts";
import { PageSize } from "./page-size.ts";
import { ChainMoved, readDeepPage, readRecentPage } from "./pages.ts";

interface Late {
  readonly group: GroupAddress;
  from: number;
  readonly done: () => void;
}

/** A chain that moves under every look at it is in trouble after so many looks. */
const MOVES_MAX = 5;
const RECENT_PAGE_BLOCKS = 64;

/** Follows the chain, and tells of every block once, in order. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #ports: IndexerPorts;
  readonly #chain: Chain;
  readonly #bell = new Bell();
  readonly #backoff = new Backoff({ firstMs: 50, lastMs: 5_000 });
  readonly #page: PageSize;
  readonly #groups: Set<string>;
  readonly #late: Late[] = [];
  #head: BlockReference | undefined;
  #first: number | undefined;
  #isRightChain = false;
  #lowerHeads = 0;
  #moves = 0;
  #trouble: Error | undefined;
  #isHeld = false;
  #isStopped = true;
  #running = Promise.resolve();

  constructor(options: IndexerOptions, ports: IndexerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#chain = new Chain(ports.client);
    this.#page = new PageSize({ blocksMax: options.pageBlocks });
    this.#groups = new Set(options.groups);
    this.#first = options.fromBlock;
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#head = this.#ports.head();
    this.#running = this.#run();
  }

  /** Resolves when nothing more will be told. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#bell.ring();
    await this.#running;
  }

  /**
   * Takes up a group. Its past from `fromBlock` to the last indexed block is told first; then it resolves, and goes on with
   * the others. After a restart before that, call it again with the block after the last one that was told.
   */
  async watch(group: GroupAddress, fromBlock: number): Promise<void> {
    if (this.#groups.has(group)) return;
    await new Promise<void>((done) => {
      this.#late.push({ group, from: fromBlock, done });
      this.#bell.ring();
    });
  }

  /** Tells nothing more until it is released. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#bell.ring();
  }

  async #run(): Promise<void> {
    const unsubscribe = this.#ports.client.onHead(() => this.#bell.ring());
    while (!this.#isStopped) {
      try {
        const isBehind = await this.#step();
        this.#recover();
        if (!isBehind) await this.#pause(this.#options.pollMs);
      } catch (error) {
        if (!isTransient(error)) {
          this.#isStopped = true;
          this.#report(error);
        } else {
          if (!(error instanceof ChainMoved) || ++this.#moves > MOVES_MAX)
            this.#report(error);
          await this.#pause(this.#backoff.next());
        }
      }
    }
    unsubscribe();
  }

  /** Does one thing; whether there is more to do at once. */
  async #step(): Promise<boolean> {
    if (this.#mustWait()) return false;
    await this.#requireRightChain();
    const tip = await this.#chain.header("latest");
    if (tip === undefined)
      throw new ChainError("unreachable", "The chain has no head.");
    const fork = await this.#findFork(tip);
    if (fork === "wait" || this.#mustWait()) return false;
    if (fork !== undefined) {
      await this.#revert(fork);
      return true;
    }
    const [late] = this.#late;
    if (late !== undefined) {
      await this.#catchUp(late, tip);
      return true;
    }
    return await this.#advance(tip);
  }

  /** The chain may have been replaced while it could not be reached. */
  async #requireRightChain(): Promise<void> {
    if (this.#isRightChain) return;
    const chainId = await this.#chain.chainId();
    if (chainId !== this.#options.chainId)
      throw new ChainError(
        "refused",
        `The chain has the id ${chainId}, and ${this.#options.chainId} is expected; check its address.`,
      );
    this.#isRightChain = true;
  }

  /** The last indexed block that is still on the chain, if the last of all is not. */
  async #findFork(tip: Header): Promise<number | "wait" | undefined> {
    const head = this.#head;
    if (head === undefined) return undefined;
    if (head.number <= tip.number) {
      this.#lowerHeads = 0;
      if ((await this.#hashAt(head.number, tip)) === head.hash)
        return undefined;
    } else {
      const known = this.#ports.knownAt(tip.number);
      const isSamePast =
        known?.number === tip.number && known.hash === tip.hash;
      if (isSamePast && ++this.#lowerHeads < this.#options.lowerHeadPolls)
        return "wait";
    }
    this.#lowerHeads = 0;
    const height = Math.min(head.number, tip.number);
    return await findFork(this.#chain, height, this.#ports.knownAt);
  }

  async #hashAt(number: number, tip: Header): Promise<string> {
    if (number === tip.number) return tip.hash;
    if (number === tip.number - 1) return tip.parentHash;
    const header = await this.#chain.header(number);
    if (header === undefined)
      throw new ChainMoved("A block below the head is not there.");
    return header.hash;
  }

  async #revert(height: number): Promise<void> {
    await this.#ports.onRevert(height);
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
      const own = blocks.filter(({ transitions }) => transitions.length > 0);
      await this.#ports.onHistory(late.group, own, last.number);
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
      this.#head.hash === first.parentHash;
    if (!isLinked) throw new ChainMoved("A block does not follow the head.");
    await this.#ports.onBlocks(blocks);
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
    if (from > deep) {
      const end = Math.min(to, from + RECENT_PAGE_BLOCKS - 1);
      return await readRecentPage(this.#chain, [from, end], watched, tip);
    }
    const end = Math.min(deep, from + this.#page.blocks - 1);
    try {
      const blocks = await readDeepPage(this.#chain, [from, end], watched);
      this.#page.grow();
      return blocks;
    } catch (error) {
      // Nodes refuse ranges that are too long, or that have too many logs, or take too long for them.
      const isSmaller = error instanceof ChainError && this.#page.shrink();
      if (isSmaller && error.kind === "refused")
        return await this.#read(from, to, watched, tip);
      throw error;
    }
  }

  /** Asked after every wait: somebody may have held or stopped it meanwhile. */
  #mustWait(): boolean {
    return this.#isHeld || this.#isStopped;
  }

  #report(thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#isRightChain = false;
    this.#trouble = error;
    this.#ports.onTrouble(error);
  }

  #recover(): void {
    this.#backoff.reset();
    this.#moves = 0;
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#ports.onTrouble(undefined);
  }

  /** Until somebody rings, or the time is up. */
  async #pause(ms: number): Promise<void> {
    const cancel = this.#ports.timers.after(ms, () => this.#bell.ring());
    await this.#bell.wait();
    cancel();
  }
}

function isTransient(error: unknown): error is ChainError | ChainMoved {
  return error instanceof ChainError || error instanceof ChainMoved;
}
