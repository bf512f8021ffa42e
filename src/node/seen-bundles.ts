import type { LedgerFact } from "../protocol/events.ts";
import type { Digest, IntentId, NodeName } from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import { netOf } from "../protocol/net.ts";
import type { Bundle, State, Step } from "../protocol/transition.ts";
import { indexerDefaults } from "../chain/indexer/ports.ts";
import { readState } from "../domains/states/content.ts";

/** Bundles of one node that are remembered in memory. More are in flight only when it lies: with bundles of one, each transaction has one. */
const BUNDLES_MAX = 2 * limits.speculative;
/** Content of one node's bundles that is remembered: of some of the largest messages, of thousands of usual ones. */
const CONTENT_MAX = 32_000_000;

/** Blocks that may be taken back, so that what could not happen any more can. */
const BLOCKS_TAKEN_BACK_MAX = indexerDefaults.reorgDepthMax;

/** What a bundle creates, and what its steps tell besides. */
export interface BundleContent {
  readonly outputs: readonly State[];
  readonly steps: readonly Pick<Step, "intentId" | "infos">[];
}

/** A bundle that may happen. */
interface Seen extends BundleContent {
  readonly intents: readonly IntentId[];
  /** The last block in which it can happen, as far as this node knows. */
  lastBlock: number;
}

/** One node's bundles, oldest first. */
interface Shelf {
  readonly bundles: Map<Digest, Seen>;
  length: number;
}

/**
 * The content of bundles that this node was asked to endorse lately, or dispatches. Nothing here is to be believed: the ledger's
 * ids tell which one happened. Memory is bounded, and a node can push out what it sent itself. That costs nothing: whatever
 * this node signed or permitted is on its disk too, and is read from there when it happens.
 */
export class SeenBundles {
  readonly #shelves = new Map<NodeName, Shelf>();
  /** Those that are on the disk. */
  readonly #kept = new Set<Digest>();
  readonly #onDisk: (fact: LedgerFact) => BundleContent | undefined;

  constructor(ports: {
    /** What this node keeps on its disk of a bundle. */
    readonly onDisk: (fact: LedgerFact) => BundleContent | undefined;
  }) {
    this.#onDisk = ports.onDisk;
  }

  /** Remembers a bundle that a member sent; the first one, if it sends another with the same digest. */
  add(from: NodeName, bundle: Bundle): void {
    const { digest, steps, validUntil } = bundle;
    const shelf: Shelf = this.#shelves.get(from) ?? {
      bundles: new Map(),
      length: 0,
    };
    this.#shelves.set(from, shelf);
    if (shelf.bundles.has(digest)) return;
    const added: Seen = {
      ...contentOf(steps),
      intents: steps.map(({ intentId }) => intentId),
      lastBlock: validUntil,
    };
    shelf.bundles.set(digest, added);
    shelf.length += lengthOf(added);
    for (const oldest of shelf.bundles.keys()) {
      if (shelf.bundles.size <= BUNDLES_MAX && shelf.length <= CONTENT_MAX)
        return;
      this.#take(shelf, oldest);
    }
  }

  /** A bundle is on the disk from now on. */
  keep(digest: Digest): void {
    for (const { bundles } of this.#shelves.values())
      if (bundles.has(digest)) this.#kept.add(digest);
  }

  /** What a bundle that happened may have created and tells. The content of each is that of its id. */
  contentOf(fact: LedgerFact): BundleContent {
    const seen = [...this.#shelves.values()].flatMap(
      ({ bundles }) => bundles.get(fact.digest) ?? [],
    );
    const known = seen.find(isGenuine) ?? this.#onDisk(fact);
    if (known !== undefined) return known;
    const outputs = seen.flatMap((one) => one.outputs.filter(isGenuineState));
    return { outputs, steps: [] };
  }

  /**
   * Bundles have happened in a block, and what is to be kept of them is on the disk. Others with the same intents cannot happen
   * any more, unless this block is taken back.
   */
  happened(facts: readonly LedgerFact[], block: number): void {
    const fulfilled = new Set(facts.flatMap(({ intents }) => intents));
    for (const shelf of this.#shelves.values()) {
      for (const { digest } of facts) this.#take(shelf, digest);
      for (const [digest, seen] of shelf.bundles) {
        if (seen.intents.some((id) => fulfilled.has(id)))
          seen.lastBlock = Math.min(seen.lastBlock, block);
        if (isOver(seen, block)) this.#take(shelf, digest);
      }
    }
  }

  /** Whether something that is not on the disk can still happen, now that the ledger is so high. */
  mayHappen(height: number): boolean {
    for (const { bundles } of this.#shelves.values())
      for (const [digest, seen] of bundles)
        if (!this.#kept.has(digest) && !isOver(seen, height)) return true;
    return false;
  }

  #take(shelf: Shelf, digest: Digest): void {
    const seen = shelf.bundles.get(digest);
    if (seen === undefined) return;
    shelf.bundles.delete(digest);
    shelf.length -= lengthOf(seen);
    this.#kept.delete(digest);
  }
}

/** What steps create together, and what each tells. */
export function contentOf(
  steps: readonly Pick<
    Step,
    "intentId" | "inputs" | "reads" | "outputs" | "infos"
  >[],
): BundleContent {
  return {
    outputs: netOf(steps).outputs,
    steps: steps.flatMap(({ intentId, infos }) =>
      infos.length === 0 ? [] : [{ intentId, infos }],
    ),
  };
}

function isOver(
  { lastBlock }: Pick<Seen, "lastBlock">,
  height: number,
): boolean {
  return lastBlock + BLOCKS_TAKEN_BACK_MAX < height;
}

function isGenuine({ outputs, steps }: BundleContent): boolean {
  return (
    outputs.every(isGenuineState) &&
    steps.every(({ infos }) => infos.every(isGenuineState))
  );
}

function isGenuineState(state: State): boolean {
  return readState(state) !== undefined;
}

function lengthOf({ outputs, steps }: BundleContent): number {
  const infos = steps.flatMap((step) => step.infos);
  return [...outputs, ...infos].reduce(
    (sum, { content }) => sum + content.length,
    0,
  );
}
