import type { Digest, GroupAddress, NodeName } from "../../../protocol/ids.ts";
import type { Message } from "../../../protocol/messages.ts";
import type { Bundle, Endorsement } from "../../../protocol/transition.ts";

/** A bundle of a group, and what others have signed of it. */
export interface CollectedBundle {
  readonly group: GroupAddress;
  readonly bundle: Bundle;
  readonly endorsements: Map<NodeName, Endorsement>;
}

/** Bundles that are remembered. */
const BUNDLES_MAX = 256;

/** What a member that lies has seen of bundles, in all of its groups. */
export class Collection {
  readonly #bundles = new Map<Digest, CollectedBundle>();

  /** Somebody says this in a group. Gives a bundle that is seen for the first time. */
  see(
    group: GroupAddress,
    from: NodeName,
    message: Message,
  ): Bundle | undefined {
    if (message.type === "Endorsement") {
      const { digest, signature } = message;
      this.#bundles
        .get(digest)
        ?.endorsements.set(from, { endorser: from, digest, signature });
      return undefined;
    }
    if (message.type !== "EndorsementRequest") return undefined;
    const { bundle } = message;
    return this.add(group, bundle) ? bundle : undefined;
  }

  /** False if it is known already. */
  add(group: GroupAddress, bundle: Bundle): boolean {
    const { digest } = bundle;
    if (this.#bundles.has(digest)) return false;
    this.#bundles.set(digest, { group, bundle, endorsements: new Map() });
    for (const oldest of this.#bundles.keys()) {
      if (this.#bundles.size <= BUNDLES_MAX) break;
      this.#bundles.delete(oldest);
    }
    return true;
  }

  get(digest: Digest): CollectedBundle | undefined {
    return this.#bundles.get(digest);
  }

  /** The bundle with these intents that is valid for so long. */
  find(
    intents: readonly string[],
    validUntil: number,
  ): CollectedBundle | undefined {
    const key = [...intents].sort().join(" ");
    return [...this.#bundles.values()].findLast(
      ({ bundle }) =>
        bundle.validUntil === validUntil &&
        bundle.steps
          .map(({ intentId }) => intentId)
          .sort()
          .join(" ") === key,
    );
  }

  /** The last bundles of other groups. */
  ofOthers(group: GroupAddress, count: number): readonly CollectedBundle[] {
    return [...this.#bundles.values()]
      .filter((one) => one.group !== group)
      .slice(-count);
  }
}
