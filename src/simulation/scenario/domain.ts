import type { Effect } from "../../protocol/effects.ts";
import type { Event } from "../../protocol/events.ts";
import type { IntentId, NodeName } from "../../protocol/ids.ts";
import { assemble, endorse } from "../domain.ts";
import { CoinBook } from "../domains/coin-book.ts";

type EffectOf<Type extends Effect["type"]> = Extract<
  Effect,
  { readonly type: Type }
>;

/** The simulated domain, with whims that the script gives it. */
export class ScriptedDomain {
  /** Intents that it is not ready for. */
  readonly parked = new Set<IntentId>();
  /** Endorsers that refuse an intent, as `node id`. */
  readonly refused = new Set<string>();
  /** Endorsers that do not answer, and what they would say. */
  readonly #muted = new Map<NodeName, Event[]>();
  readonly #books = new Map<NodeName, CoinBook>();

  /** What a node knows of the ledger. */
  bookOf(node: NodeName): CoinBook {
    const book = this.#books.get(node) ?? new CoinBook({ mayKnow: () => true });
    this.#books.set(node, book);
    return book;
  }

  assemble(
    sender: NodeName,
    { key, intents, view, validUntil }: EffectOf<"Assemble">,
  ): Event {
    const { parked } = this;
    const holdings = this.bookOf(sender);
    const request = { sender, intents, view, validUntil, holdings, parked };
    const outcomes = assemble(request);
    return { type: "AssemblyDone", key, outcomes };
  }

  /** The answer, or none for now. */
  endorse(endorser: NodeName, { bundle, view }: EffectOf<"Endorse">): Event[] {
    const holdings = this.bookOf(endorser);
    const detail = "against the rules";
    const bad = bundle.steps.filter(({ intentId }) =>
      this.refused.has(`${endorser} ${intentId}`),
    );
    const event: Event = {
      type: "EndorsementDone",
      digest: bundle.digest,
      outcome:
        bad.length === 0
          ? endorse({ endorser, bundle, view, holdings })
          : {
              type: "refused",
              detail,
              faults: bad.map(({ intentId }) => ({ intentId, detail })),
            },
    };
    const withheld = this.#muted.get(endorser);
    if (withheld === undefined) return [event];
    withheld.push(event);
    return [];
  }

  mute(endorser: NodeName): void {
    this.#muted.set(endorser, []);
  }

  /** Returns what it did not say. */
  unmute(endorser: NodeName): Event[] {
    const withheld = this.#muted.get(endorser) ?? [];
    this.#muted.delete(endorser);
    return withheld;
  }
}
