import { ChainError } from "../ports.ts";
import type { Chain } from "../chain.ts";
import type { Header } from "../values.ts";
import { ChainMoved } from "../worker.ts";
import { Doubt } from "./doubt.ts";
import { type BlockReference, BranchWalk, findFork } from "./fork.ts";
import type { ChainIdentity } from "./identity.ts";
import { parentOf } from "./parents.ts";
import type { IndexerOptions, IndexerPorts } from "./ports.ts";

/** Blocks that were taken back and are remembered, to know a late backend by them. */
const ABANDONED_MAX = 1_024;

/** The last indexed block that stays; "same" if all do; "wait" while nobody can tell. */
export type Comparison = number | "same" | "wait";

interface BranchesPorts extends Pick<IndexerPorts, "knownAt" | "timers"> {
  readonly chain: Chain;
  readonly identity: ChainIdentity;
}

/**
 * Compares the chain with what is indexed. Several backends may answer, each with an older view and some of them with
 * blocks that the others have taken back. So a lower head proves nothing, and another block proves something only with all
 * the blocks between it and a head that is higher than ours.
 */
export class Branches {
  readonly #options: IndexerOptions;
  readonly #ports: BranchesPorts;
  readonly #walk: BranchWalk;
  readonly #behind: Doubt;
  readonly #contradicted: Doubt;
  readonly #returned: Doubt;
  readonly #abandoned = new Set<string>();

  constructor(options: IndexerOptions, ports: BranchesPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#walk = new BranchWalk(ports);
    this.#behind = new Doubt(options, ports);
    this.#contradicted = new Doubt(options, ports);
    this.#returned = new Doubt(options, ports);
  }

  stop(): void {
    this.#behind.end();
    this.#contradicted.end();
    this.#returned.end();
  }

  /**
   * Whether the next blocks may be told. Those that were taken back come from a late backend, unless nobody has others for
   * long: then the chain has returned to them.
   */
  admit(blocks: readonly BlockReference[]): boolean {
    const hasReturned = blocks.some(({ hash }) => this.#abandoned.has(hash));
    if (!hasReturned || this.#ports.identity.isSimulated) {
      this.#returned.end();
      return true;
    }
    this.#returned.add();
    if (this.#returned.isSure) {
      for (const { hash } of blocks) this.#abandoned.delete(hash);
      return true;
    }
    if (this.#returned.isWorthTelling)
      throw new ChainError(
        "unreachable",
        `The chain has taken blocks from ${blocks[0]?.number} on back, and shows the same ones again. This node waits until all answers agree.`,
      );
    return false;
  }

  /** The chain must be the right one, as far as it was looked at. */
  async compare(head: BlockReference, tip: Header): Promise<Comparison> {
    const { knownAt, identity } = this.#ports;
    const known = knownAt(Math.min(head.number, tip.number));
    if (known === undefined) {
      if (identity.isSimulated) return await this.#findFork(head, tip);
      // It is lower than all that is remembered: far behind, or another chain.
      await identity.require();
      return this.#agree(head, tip);
    }
    if ((await this.#hashAt(known.number, tip)) === known.hash)
      return this.#agree(head, tip);
    if (identity.isSimulated) return await this.#findFork(head, tip);
    const fork = await this.#walk.toKnown(tip, {
      stepsMax: this.#options.reorgDepthMax,
      isWanted: ({ number, hash }) => {
        const own = knownAt(number);
        return own?.number === number && own.hash === hash;
      },
    });
    // Another backend has answered about that number.
    if (fork?.number === known.number) return this.#agree(head, tip);
    const isProven =
      fork !== undefined &&
      tip.number > head.number &&
      !fork.passed.some((hash) => this.#abandoned.has(hash));
    return isProven
      ? await this.#take(head, fork.number)
      : await this.#contradict(head, tip);
  }

  #agree(head: BlockReference, tip: Header): Comparison {
    this.#contradicted.end();
    if (tip.number >= head.number) {
      this.#behind.end();
      return "same";
    }
    // Such a chain has been told to go back.
    if (this.#ports.identity.isSimulated) return tip.number;
    this.#behind.add();
    if (this.#behind.isWorthTelling)
      throw new ChainError(
        "unreachable",
        `The chain is behind: its head is block ${tip.number}, and block ${head.number} was seen before. This node waits for it. If that lasts, the endpoint is late or has lost blocks: use another one.`,
      );
    return "wait";
  }

  /** Another past, without proof: late backends know blocks that were taken back. If nobody knows ours any more, it holds. */
  async #contradict(head: BlockReference, tip: Header): Promise<Comparison> {
    await this.#ports.identity.require();
    this.#contradicted.add();
    if (this.#contradicted.isSure) return await this.#findFork(head, tip);
    if (this.#contradicted.isWorthTelling)
      throw new ChainError(
        "unreachable",
        `The chain has another past up to block ${tip.number}, and block ${head.number} was seen before. This node waits until all answers agree.`,
      );
    return "wait";
  }

  /** By numbers, for a chain whose answers agree. */
  async #findFork(head: BlockReference, tip: Header): Promise<Comparison> {
    const { chain, knownAt } = this.#ports;
    const height = Math.min(head.number, tip.number);
    const fork = await findFork(chain, height, knownAt);
    return await this.#take(head, fork === -1 ? this.#forkOfYoung(head) : fork);
  }

  /**
   * A node that knows only the last blocks cannot name the one in which the branches part. If they may all have been replaced by
   * an ordinary reorganisation, everything that one can reach is read again.
   */
  #forkOfYoung({ number }: BlockReference): number {
    const { knownAt, identity } = this.#ports;
    const deepest = Math.max(number - this.#options.reorgDepthMax, 0);
    const isYoung = knownAt(deepest) === undefined;
    return isYoung && !identity.isSimulated ? deepest : -1;
  }

  async #take(head: BlockReference, fork: number): Promise<Comparison> {
    await this.#ports.identity.requireRevertible(head, fork);
    this.stop();
    this.#abandon(head, fork);
    return fork;
  }

  #abandon(head: BlockReference, fork: number): void {
    const { knownAt } = this.#ports;
    const least = Math.max(fork, head.number - ABANDONED_MAX);
    for (
      let block = knownAt(head.number);
      block !== undefined && block.number > least;
      block = knownAt(block.number - 1)
    )
      this.#abandoned.add(block.hash);
    for (const hash of this.#abandoned) {
      if (this.#abandoned.size <= ABANDONED_MAX) break;
      this.#abandoned.delete(hash);
    }
  }

  async #hashAt(number: number, tip: Header): Promise<string> {
    if (number === tip.number) return tip.hash;
    const parent = parentOf(tip);
    if (number === tip.number - 1 && parent !== undefined) return parent;
    const header = await this.#ports.chain.header(number);
    if (header?.number !== number)
      throw new ChainMoved("A block below the head is not there.");
    return header.hash;
  }
}
