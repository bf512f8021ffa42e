import { createRecent, recall, remember } from "../../protocol/recent.ts";
import type { Digest } from "../../protocol/ids.ts";
import { netOf } from "../../protocol/net.ts";
import type { Bundle, State } from "../../protocol/transition.ts";

/** Bundles that are remembered at least. More are in flight only when somebody lies. */
const BUNDLES = 128;

/**
 * Bundles that went through this node lately, with the content of what they create. Nothing here is to be believed: the
 * ledger's ids tell which one happened.
 */
export class SeenBundles {
  readonly #bundles = createRecent<Digest, Bundle>(BUNDLES);

  add(bundle: Bundle): void {
    remember(this.#bundles, bundle.digest, bundle);
  }

  /** What a bundle that happened may have created. */
  outputsOf(digest: Digest): readonly State[] {
    const bundle = recall(this.#bundles, digest);
    return bundle === undefined ? [] : netOf(bundle.steps).outputs;
  }
}
