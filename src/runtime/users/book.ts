import type { GroupAddress, IntentId } from "../../protocol/ids.ts";
import type { Settlement } from "../service.ts";
import type { Database } from "../store/database.ts";
import { timestamp } from "../store/query-fields.ts";
import { ReceiptListeners } from "../store/receipt-listeners.ts";
import { StoredAbis } from "../store/stored-abis.ts";
import { UserGroups } from "../store/user-groups.ts";
import { type UserReceipt, UserReceipts } from "../store/user-receipts.ts";
import {
  type UserTransaction,
  UserTransactions,
} from "../store/user-transactions.ts";

/** What a node keeps for its users. The node tells it how intents end; everything else is for the users' API. */
export class UserBook {
  readonly database: Database;
  readonly transactions: UserTransactions;
  readonly receipts: UserReceipts;
  readonly abis: StoredAbis;
  readonly listeners: ReceiptListeners;
  readonly groups: UserGroups;
  readonly #now: () => number;

  constructor(ports: {
    readonly database: Database;
    readonly now: () => number;
  }) {
    const { database } = ports;
    this.database = database;
    this.#now = ports.now;
    this.transactions = new UserTransactions(database);
    this.receipts = new UserReceipts(database);
    this.abis = new StoredAbis(database);
    this.listeners = new ReceiptListeners(database);
    this.groups = new UserGroups(database);
  }

  /** The time, as it is written everywhere. */
  now(): string {
    return timestamp(this.#now());
  }

  /** Only inside the commit that settles the intent. Intents that are not of a user of this node are none of its business. */
  settle({ group, intentId, outcome }: Settlement): void {
    const transaction = this.transactions.byIntent(group, intentId);
    if (transaction === undefined) return;
    this.#conclude(
      outcome.type === "Confirmed"
        ? {
            ...this.#receiptOf(transaction),
            isSuccess: true,
            source: group,
            transactionHash: outcome.transactionHash,
            blockNumber: outcome.block,
            transactionIndex: outcome.transactionIndex,
            logIndex: outcome.logIndex,
          }
        : {
            ...this.#receiptOf(transaction),
            failureMessage: outcome.reason,
          },
    );
  }

  /** Only inside the commit of a reorganisation: these intents are open again. The numbers of their receipts are not reused. */
  unsettle({
    group,
    intentIds,
  }: {
    readonly group: GroupAddress;
    readonly intentIds: readonly IntentId[];
  }): void {
    for (const intentId of intentIds) {
      const transaction = this.transactions.byIntent(group, intentId);
      if (transaction !== undefined) this.receipts.remove(transaction.id);
    }
  }

  /** Only inside a commit. What creates a group ends with its address, or with the reason why there is none. */
  settleGenesis(
    transaction: UserTransaction,
    outcome:
      | { readonly contractAddress: string }
      | { readonly failureMessage: string },
  ): void {
    this.#conclude({
      ...this.#receiptOf(transaction),
      isSuccess: "contractAddress" in outcome,
      ...outcome,
    });
  }

  #receiptOf({ id, type, domain }: UserTransaction): UserReceipt {
    return {
      transactionId: id,
      indexed: this.now(),
      isSuccess: false,
      type,
      domain,
      contractAddress: undefined,
      source: undefined,
      transactionHash: undefined,
      blockNumber: undefined,
      transactionIndex: undefined,
      logIndex: undefined,
      failureMessage: undefined,
    };
  }

  /** Hearing the same again changes nothing; hearing something else is a new receipt with a new number. */
  #conclude(receipt: UserReceipt): void {
    const known = this.receipts.byTransaction(receipt.transactionId);
    if (known !== undefined && isSame(known, receipt)) return;
    this.receipts.remove(receipt.transactionId);
    this.receipts.insert(receipt);
  }
}

function isSame(known: UserReceipt, receipt: UserReceipt): boolean {
  return (
    known.isSuccess === receipt.isSuccess &&
    known.transactionHash === receipt.transactionHash &&
    known.blockNumber === receipt.blockNumber &&
    known.logIndex === receipt.logIndex &&
    known.failureMessage === receipt.failureMessage &&
    known.contractAddress === receipt.contractAddress
  );
}
