import type { StateId } from "../../protocol/ids.ts";
import type { State } from "../../protocol/transition.ts";
import type { Block } from "../chain.ts";
import { type Coin, Holdings, readCoin } from "../coins.ts";
import type { Book } from "./domain.ts";

/** Coins that a node may see, as blocks come and go. */
export class CoinBook extends Holdings implements Book {
  readonly #mayKnow: (state: State) => boolean;
  /** All that it has ever seen: what a reorganisation gives back is known again. */
  readonly #seen = new Map<StateId, Coin>();

  constructor(options: {
    /** Whether its node may see what a state means. */
    readonly mayKnow: (state: State) => boolean;
  }) {
    super();
    this.#mayKnow = options.mayKnow;
  }

  see({ transitions }: Block): void {
    for (const net of transitions) {
      for (const id of net.intents) this.fulfil(id);
      for (const id of net.inputs) this.spend(id);
      for (const [at, state] of net.outputs.entries()) {
        const coin = this.#mayKnow(state) ? readCoin(state) : undefined;
        const place = net.put[at]?.place;
        if (coin === undefined || place === undefined) continue;
        this.#seen.set(state.id, coin);
        this.create(coin, place);
      }
    }
  }

  forget({ transitions }: Block): void {
    for (const net of transitions.toReversed()) {
      for (const id of net.intents) this.unfulfil(id);
      for (const { id } of net.outputs) this.uncreate(id);
      for (const { id, place } of net.taken) {
        const coin = this.#seen.get(id);
        if (coin !== undefined) this.create(coin, place);
      }
    }
  }
}
