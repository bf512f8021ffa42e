import type { LedgerFact } from "../protocol/events.ts";
import type { Digest, GroupAddress, IntentId } from "../protocol/ids.ts";
import type { Bundle, State } from "../protocol/transition.ts";
import type { Store } from "../store/store.ts";
import { type BundleContent, contentOf } from "./seen-bundles.ts";

/**
 * What a node keeps on its disk of a bundle that happened: all of it, if it endorsed it; its own steps, if it permitted them; what
 * was prepared for its user. Of the last two only what it may see. Undefined if it never had to do with it.
 */
export function keptContent(
  store: Pick<Store, "bundles" | "records">,
  group: GroupAddress,
  options: {
    readonly fact: LedgerFact;
    readonly maySee: (state: State) => boolean;
  },
): BundleContent | undefined {
  const { fact, maySee } = options;
  const { digest, intents } = fact;
  const endorsed = store.bundles.find(group, digest);
  if (endorsed !== undefined) return contentOf(endorsed.steps);
  const own =
    preparedIn(store, group, { digest, intents })?.steps ??
    store.bundles.permitted(group, digest);
  if (own.length === 0) return undefined;
  const outputs = own.flatMap((step) => step.outputs).filter(maySee);
  return { ...contentOf(own), outputs };
}

/** What was prepared for a user is alone in its bundle. */
function preparedIn(
  { records }: Pick<Store, "records">,
  group: GroupAddress,
  fact: { readonly digest: Digest; readonly intents: readonly IntentId[] },
): Bundle | undefined {
  const [id, ...others] = fact.intents;
  if (id === undefined || others.length > 0) return undefined;
  const bundle = records.intent(group, id)?.prepared?.bundle;
  return bundle?.digest === fact.digest ? bundle : undefined;
}
