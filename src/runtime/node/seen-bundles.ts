import type { LedgerFact } from "../../protocol/events.ts";
import type { Digest, IntentId, NodeName } from "../../protocol/ids.ts";
import { netOf } from "../../protocol/net.ts";
import type { Bundle, State, Step } from "../../protocol/transition.ts";
import { indexerDefaults } from "../ledger/indexer/ports.ts";
import { readState } from "../states/content.ts";

/** Bundles of one node that are remembered. More are in flight only when it lies. */
const BUNDLES_MAX = 256;
/** Content of one node's bundles that is remembered: of some of the largest messages, of thousands of usual ones. */
const CONTENT_MAX = 32_000_000;

/** Blocks that may be taken back, so that what could not happen any more can. */
const BLOCKS_TAKEN_BACK_MAX = indexerDefaults.reorgDepthMax;

/** Something that may happen. */
interface Chance {
  readonly intents: readonly IntentId[];
  /** The last block in which it can happen, as far as this node knows. */
  lastBlock: number;
}

/** What a bundle would create, and what its steps tell besides. */
interface Seen extends Chance {
  readonly outputs: readonly State[];
  readonly steps: readonly Pick<Step, "intentId" | "infos">[];
}

/** One node's bundles, oldest first. */
interface Shelf {
  readonly bundles: Map<Digest, Seen>;
  length: number;
}

/**
 * The content of what bundles that went through this node lately would create. Nothing here is to be believed: the
 * ledger's ids tell which one happened. But nobody can put anything in the place of what another node sent, or push it out:
 * if all members lost the content of a state, the group could never go on.
 */
export class SeenBundles {
  readonly #shelves = new Map<NodeName, Shelf>();
  /** What this node's own steps would create, in bundles that it may not see as a whole. */
  readonly #own = new Map<
    Digest,
    Chance & { readonly outputs: readonly State[] }
  >();

  /** Remembers a bundle that a member sent; the first one, if it sends another with the same digest. */
  add(from: NodeName, { digest, steps, validUntil }: Bundle): void {
    const shelf: Shelf = this.#shelves.get(from) ?? {
      bundles: new Map(),
      length: 0,
    };
    this.#shelves.set(from, shelf);
    if (shelf.bundles.has(digest)) return;
    const added: Seen = {
      intents: steps.map(({ intentId }) => intentId),
      lastBlock: validUntil,
      outputs: netOf(steps).outputs,
      steps: steps.flatMap(({ intentId, infos }) =>
        infos.length === 0 ? [] : [{ intentId, infos }],
      ),
    };
    shelf.bundles.set(digest, added);
    shelf.length += lengthOf(added);
    for (const oldest of shelf.bundles.keys()) {
      if (shelf.bundles.size <= BUNDLES_MAX && shelf.length <= CONTENT_MAX)
        return;
      take(shelf, oldest);
    }
  }

  /** Remembers what a step of this node would create in a bundle. */
  addOwn(
    { digest, validUntil }: Pick<Bundle, "digest" | "validUntil">,
    { intentId, outputs }: Pick<Step, "intentId" | "outputs">,
  ): void {
    const known = this.#own.get(digest);
    this.#own.set(digest, {
      intents: [...(known?.intents ?? []), intentId],
      lastBlock: validUntil,
      outputs: [...(known?.outputs ?? []), ...outputs],
    });
    for (const oldest of this.#own.keys()) {
      if (this.#own.size <= BUNDLES_MAX) return;
      this.#own.delete(oldest);
    }
  }

  /** What a bundle that happened may have created, by all who sent it. The content of each is that of its id. */
  outputsOf(digest: Digest): readonly State[] {
    const others = [...this.#shelves.values()].flatMap(({ bundles }) =>
      (bundles.get(digest)?.outputs ?? []).filter(isGenuine),
    );
    return [...others, ...(this.#own.get(digest)?.outputs ?? [])];
  }

  /**
   * Bundles have happened in a block, and what is to be kept of them is on the disk. Others with the same intents cannot happen
   * any more, unless this block is taken back.
   */
  happened(facts: readonly LedgerFact[], block: number): void {
    for (const { digest } of facts) this.#forget(digest);
    const fulfilled = new Set(facts.flatMap(({ intents }) => intents));
    for (const chance of this.#chances())
      if (chance.intents.some((id) => fulfilled.has(id)))
        chance.lastBlock = Math.min(chance.lastBlock, block);
    for (const [digest, chance] of this.#own)
      if (isOver(chance, block)) this.#own.delete(digest);
    for (const shelf of this.#shelves.values())
      for (const [digest, seen] of shelf.bundles)
        if (isOver(seen, block)) take(shelf, digest);
  }

  /** Whether there is one that can still happen, now that the ledger is so high. */
  mayHappen(height: number): boolean {
    return !this.#chances().every((chance) => isOver(chance, height));
  }

  #chances(): readonly Chance[] {
    const shelves = [...this.#shelves.values()];
    return [
      ...this.#own.values(),
      ...shelves.flatMap(({ bundles }) => [...bundles.values()]),
    ];
  }

  #forget(digest: Digest): void {
    this.#own.delete(digest);
    for (const shelf of this.#shelves.values()) take(shelf, digest);
  }

  /** What the steps of a bundle that happened tell, as far as the content of each is that of its id. */
  stepsOf(digest: Digest): Seen["steps"] {
    for (const { bundles } of this.#shelves.values()) {
      const { steps } = bundles.get(digest) ?? {};
      if (steps?.every(({ infos }) => infos.every(isGenuine)) === true)
        return steps;
    }
    return [];
  }
}

function take(shelf: Shelf, digest: Digest): void {
  const seen = shelf.bundles.get(digest);
  if (seen === undefined) return;
  shelf.bundles.delete(digest);
  shelf.length -= lengthOf(seen);
}

function isOver({ lastBlock }: Chance, height: number): boolean {
  return lastBlock + BLOCKS_TAKEN_BACK_MAX < height;
}

function isGenuine(state: State): boolean {
  return readState(state) !== undefined;
}

function lengthOf({ outputs, steps }: Seen): number {
  const infos = steps.flatMap((step) => step.infos);
  return [...outputs, ...infos].reduce(
    (sum, { content }) => sum + content.length,
    0,
  );
}
