import { UserBook } from "../../api/book.ts";
import type { Settlement } from "../../node/service.ts";

/** The users' part of a node's database, and a view of what becomes of it. */
export class WatchedBook extends UserBook {
  readonly #watcher: {
    readonly onSettled: (settlement: Settlement) => void;
    /** The receipt of a transaction is void. */
    readonly onTakenBack: (transactionId: string) => void;
  };

  constructor(
    ports: ConstructorParameters<typeof UserBook>[0],
    watcher: {
      readonly onSettled: (settlement: Settlement) => void;
      readonly onTakenBack: (transactionId: string) => void;
    },
  ) {
    super(ports);
    this.#watcher = watcher;
  }

  override settle(settlement: Settlement): void {
    super.settle(settlement);
    this.#watcher.onSettled(settlement);
  }

  override unsettle(taken: Parameters<UserBook["unsettle"]>[0]): void {
    for (const intentId of taken.intentIds) {
      const transaction = this.transactions.byIntent(taken.group, intentId);
      if (transaction !== undefined) this.#watcher.onTakenBack(transaction.id);
    }
    super.unsettle(taken);
  }
}
