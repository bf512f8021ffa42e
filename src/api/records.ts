import { parseGroupAddress, parseIntentId } from "../protocol/ids.ts";
import type { Json, SeenState } from "../domains/domain.ts";
import { toQuantity } from "../chain/values.ts";
import type { IntentEffect, NodeGroup, NodeService } from "../node/service.ts";
import type { Query } from "../store/query.ts";
import type { NumberedReceipt } from "../store/user-receipts.ts";
import type { UserTransaction } from "../store/user-transactions.ts";
import type { UserBook } from "./book.ts";
import { UserError } from "./errors.ts";
import type {
  FullReceiptView,
  FullTransactionView,
  PublicView,
  ReceiptView,
  StatesView,
  StateView,
  TransactionView,
} from "./shapes.ts";
import { digestOfId } from "./transaction-digest.ts";

/** What users can look up about their transactions. */
export class Records {
  readonly #book: UserBook;
  readonly #service: NodeService;

  constructor(ports: {
    readonly book: UserBook;
    readonly service: NodeService;
  }) {
    this.#book = ports.book;
    this.#service = ports.service;
  }

  transaction(id: string): UserTransaction | undefined {
    return this.#book.transactions.byId(id.toLowerCase());
  }

  byIdempotencyKey(key: string): UserTransaction | undefined {
    return this.#book.transactions.byIdempotencyKey(key);
  }

  async find(
    query: Query,
    options: { readonly isPending: boolean },
  ): Promise<readonly UserTransaction[]> {
    return await this.#book.queries.run(
      async (turn) => await this.#book.transactions.find(query, options, turn),
    );
  }

  /** The same, with what became of them. */
  async findFull(
    query: Query,
    options: { readonly isPending: boolean },
  ): Promise<readonly FullTransactionView[]> {
    return await this.#book.queries.run(async (turn) => {
      const views: FullTransactionView[] = [];
      const found = await this.#book.transactions.find(query, options, turn);
      for (const transaction of found) {
        await turn();
        views.push(this.full(transaction));
      }
      return views;
    });
  }

  receipt(id: string): NumberedReceipt | undefined {
    return this.#book.receipts.byTransaction(id.toLowerCase());
  }

  async findReceipts(query: Query): Promise<readonly NumberedReceipt[]> {
    return await this.#book.queries.run(
      async (turn) => await this.#book.receipts.find(query, turn),
    );
  }

  full(transaction: UserTransaction): FullTransactionView {
    const receipt = this.receipt(transaction.id);
    const { dependsOn } = transaction;
    return {
      ...transactionView(transaction),
      receipt: receipt === undefined ? null : receiptView(receipt),
      public: this.#publicOf(transaction, receipt),
      ...(dependsOn.length > 0 && { dependsOn }),
    };
  }

  /** With `domainReceipts` also in the domain's words. */
  fullReceipt(
    receipt: NumberedReceipt,
    options: { readonly domainReceipts: boolean },
  ): FullReceiptView {
    if (receipt.type === "public")
      return {
        ...receiptView(receipt),
        public: this.#publicOf(
          this.transaction(receipt.transactionId),
          receipt,
        ),
      };
    const effect = this.#effectOf(receipt.transactionId);
    return {
      ...receiptView(receipt),
      public: null,
      states: statesView(effect, receipt.indexed),
      ...(options.domainReceipts && attemptReceipt(effect)),
    };
  }

  /** Whether this node has all states of a transaction that the ledger fulfilled. */
  isComplete(receipt: NumberedReceipt): boolean {
    return (
      receipt.source === undefined ||
      this.#effectOf(receipt.transactionId) !== undefined
    );
  }

  states(id: string): StatesView {
    const receipt = this.receipt(id);
    return statesView(
      this.#effectOf(id.toLowerCase()),
      receipt?.indexed ?? this.#book.now(),
    );
  }

  /** Throws a {@link UserError} if there is none. */
  domainReceipt(domain: string, id: string): Json {
    if (!this.#service.domains.has(domain))
      throw new UserError("PD011600", `There is no domain ${domain}`);
    const effect = this.#effectOf(id.toLowerCase());
    if (effect?.group.domain.name !== domain)
      throw new UserError(
        "PD011658",
        `There is no receipt of ${domain} for ${id} yet`,
      );
    return receiptOf(effect);
  }

  /** What is of a transaction on the base ledger, or on its way there. */
  #publicOf(
    transaction: UserTransaction | undefined,
    receipt: NumberedReceipt | undefined,
  ): readonly PublicView[] | null {
    if (transaction?.type !== "public") return null;
    const { id, created } = transaction;
    const sent =
      receipt === undefined
        ? this.#service.sent(digestOfId(id))
        : this.#book.publics.byTransaction(id);
    if (sent?.nonce === undefined || sent.transactionHash === undefined)
      return [];
    const { from, to, data, nonce, transactionHash, gasLimit, value } = sent;
    return [
      {
        from,
        to,
        data,
        nonce: toQuantity(nonce),
        created,
        dispatcher: this.#service.name,
        transactionHash,
        success: receipt?.isSuccess,
        completedAt: receipt?.indexed,
        revertData: receipt?.revertData,
        gas: toQuantity(gasLimit),
        value: toQuantity(value),
      },
    ];
  }

  #effectOf(id: string): KnownEffect | undefined {
    const transaction = this.#book.transactions.byId(id);
    const address = parseGroupAddress(transaction?.group);
    const intentId = parseIntentId(transaction?.intentId);
    if (address === undefined || intentId === undefined) return undefined;
    const group = this.#service.group(address);
    const effect = this.#service.effectOf(address, intentId);
    return group && effect && { group, effect };
  }
}

/** The states of an intent, and where they are. */
interface KnownEffect {
  readonly group: NodeGroup;
  readonly effect: IntentEffect;
}

export function transactionView(transaction: UserTransaction): TransactionView {
  const { id, created, submitMode, type, from, data } = transaction;
  return {
    id,
    created,
    submitMode,
    idempotencyKey: transaction.idempotencyKey,
    type,
    domain: transaction.domain,
    function: transaction.function,
    abiReference: transaction.abiReference,
    from,
    to: transaction.to,
    data,
  };
}

export function receiptView(receipt: NumberedReceipt): ReceiptView {
  return {
    id: receipt.transactionId,
    sequence: receipt.sequence,
    domain: receipt.domain,
    success: receipt.isSuccess ? true : undefined,
    transactionHash: receipt.transactionHash,
    blockNumber: receipt.blockNumber,
    transactionIndex: receipt.transactionIndex ?? 0,
    logIndex: receipt.logIndex,
    source: receipt.source,
    failureMessage: receipt.failureMessage,
    revertData: receipt.revertData,
    contractAddress: receipt.contractAddress,
  };
}

/** The states of an intent, as users see them. */
export function statesView(
  known: KnownEffect | undefined,
  created: string,
): StatesView {
  if (known === undefined) return { none: true };
  const { group, effect } = known;
  const views = (states: readonly SeenState[]): StateView[] | undefined =>
    states.length === 0
      ? undefined
      : states.map(({ id, schema, data }) => ({
          id,
          created,
          domain: group.domain.name,
          schema,
          contractAddress: group.address,
          data,
        }));
  return {
    spent: views(effect.spent),
    read: views(effect.read),
    confirmed: views(effect.confirmed),
  };
}

function receiptOf({ group, effect }: KnownEffect): Json {
  const { domain } = group;
  if (domain.receipt === undefined)
    throw new UserError("PD011657", `${domain.name} has no receipts`);
  return domain.receipt(group, effect);
}

function attemptReceipt(
  known: KnownEffect | undefined,
): Pick<FullReceiptView, "domainReceipt" | "domainReceiptError"> {
  if (known === undefined)
    return { domainReceiptError: "PD011658: There is no domain receipt" };
  try {
    return { domainReceipt: receiptOf(known) };
  } catch (error) {
    // Who asks for the domain's receipt alone learns more; here it must not keep the rest from the user.
    return {
      domainReceiptError:
        error instanceof UserError
          ? `${error.key}: ${error.message}`
          : "PD011657: The domain could not make a receipt",
    };
  }
}
