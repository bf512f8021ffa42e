import type { GroupAddress, IntentId } from "../protocol/ids.ts";
import type {
  PublicEnd,
  PublicFailure,
} from "../chain/submitter/public-end.ts";
import type { Settlement } from "../node/service.ts";
import type { Database } from "../store/database.ts";
import { PublicTransactions } from "../store/public-transactions.ts";
import { timestamp } from "../store/query-fields.ts";
import { ReceiptListeners } from "../store/receipt-listeners.ts";
import { StoredAbis } from "../store/stored-abis.ts";
import { UserGroups } from "../store/user-groups.ts";
import { type UserReceipt, UserReceipts } from "../store/user-receipts.ts";
import {
  type UserTransaction,
  UserTransactions,
} from "../store/user-transactions.ts";
import { AbiLibrary } from "./abi-library.ts";
import { Queries } from "./queries.ts";
import { revertError } from "./reverts.ts";
import { idOfDigest } from "./transaction-digest.ts";

/** What a node keeps for its users. The node tells it how intents end; everything else is for the users' API. */
export class UserBook {
  readonly database: Database;
  readonly transactions: UserTransactions;
  readonly receipts: UserReceipts;
  readonly abis: StoredAbis;
  readonly listeners: ReceiptListeners;
  readonly groups: UserGroups;
  readonly publics: PublicTransactions;
  /** Admits what searches these tables. */
  readonly queries = new Queries();
  readonly #library: AbiLibrary;
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
    this.publics = new PublicTransactions(database);
    this.#library = new AbiLibrary({ book: this });
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

  /** Only inside a commit. The same for a transaction of the base ledger. */
  settlePublic({
    digest,
    transaction: sent,
    place,
    contractAddress,
    failure,
  }: PublicEnd): void {
    const transaction = this.transactions.byId(idOfDigest(digest));
    if (transaction === undefined) return;
    const { nonce, transactionHash } = sent;
    if (nonce !== undefined && transactionHash !== undefined)
      this.publics.save(transaction.id, { ...sent, nonce, transactionHash });
    this.#conclude({
      ...this.#receiptOf(transaction),
      isSuccess: failure === undefined,
      contractAddress,
      transactionHash: place?.transactionHash,
      blockNumber: place?.block,
      transactionIndex: place?.transactionIndex,
      ...(failure && this.#explain(failure)),
    });
  }

  /** Only inside the commit of a reorganisation: what was in later blocks is open again, and the submitter watches it. */
  unsettlePublic(height: number): void {
    for (const { transactionId } of this.receipts.publicAbove(height))
      this.receipts.remove(transactionId);
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

  #explain(
    failure: PublicFailure,
  ): Pick<UserReceipt, "failureMessage" | "revertData"> {
    if (failure.type === "dropped")
      return {
        failureMessage: `PD099013: ${failure.reason}`,
        revertData: undefined,
      };
    const { key, message, data } = revertError(this.#library, failure.data);
    return { failureMessage: `${key}: ${message}`, revertData: data };
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
      revertData: undefined,
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

/** What is in the same place of the chain ended in the same way, even if the reason is told in other words. */
function isSame(known: UserReceipt, receipt: UserReceipt): boolean {
  return (
    known.isSuccess === receipt.isSuccess &&
    known.transactionHash === receipt.transactionHash &&
    known.blockNumber === receipt.blockNumber &&
    known.logIndex === receipt.logIndex &&
    known.contractAddress === receipt.contractAddress &&
    (known.blockNumber !== undefined ||
      known.failureMessage === receipt.failureMessage)
  );
}
