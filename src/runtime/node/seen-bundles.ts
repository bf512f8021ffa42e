import type { Digest, NodeName } from "../../protocol/ids.ts";
import { netOf } from "../../protocol/net.ts";
import type { Bundle, State } from "../../protocol/transition.ts";
import { stateIdOf } from "../states/content.ts";

/** Bundles of one node that are remembered. More are in flight only when it lies. */
const BUNDLES_MAX = 256;
/** Content of one node's bundles that is remembered: of some of the largest messages, of thousands of usual ones. */
const CONTENT_MAX = 32_000_000;

/** What one node's bundles would create, oldest first. */
interface Shelf {
  readonly outputs: Map<Digest, readonly State[]>;
  length: number;
}

/**
 * The content of what bundles that went through this node lately would create. Nothing here is to be believed: the
 * ledger's ids tell which one happened. But nobody can put anything in the place of what another node sent, or push it out:
 * if all members lost the content of a state, the group could never go on.
 */
export class SeenBundles {
  readonly #shelves = new Map<NodeName, Shelf>();

  /** Remembers a bundle that a member sent; the first one, if it sends another with the same digest. */
  add(from: NodeName, { digest, steps }: Bundle): void {
    const shelf: Shelf = this.#shelves.get(from) ?? {
      outputs: new Map(),
      length: 0,
    };
    this.#shelves.set(from, shelf);
    if (shelf.outputs.has(digest)) return;
    const { outputs } = netOf(steps);
    shelf.outputs.set(digest, outputs);
    shelf.length += lengthOf(outputs);
    for (const [oldest, states] of shelf.outputs) {
      if (shelf.outputs.size <= BUNDLES_MAX && shelf.length <= CONTENT_MAX)
        return;
      shelf.outputs.delete(oldest);
      shelf.length -= lengthOf(states);
    }
  }

  /** What a bundle that happened may have created, by all who sent it. The content of each is that of its id. */
  outputsOf(digest: Digest): readonly State[] {
    return [...this.#shelves.values()].flatMap(({ outputs }) =>
      (outputs.get(digest) ?? []).filter(
        ({ id, content }) => stateIdOf(content) === id,
      ),
    );
  }
}

function lengthOf(states: readonly State[]): number {
  return states.reduce((sum, { content }) => sum + content.length, 0);
}
