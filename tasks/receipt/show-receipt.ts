import { nodeAt } from "../shared/ask-node.ts";
import {
  askReceipt,
  askWhy,
  parseTransactionId,
} from "../shared/transactions.ts";

/** What the user asks for, as typed. */
export interface ReceiptOptions {
  readonly id: string;
  readonly url?: string | undefined;
}

/** What `sequencer:receipt` tells. */
export type ReceiptFact =
  | {
      readonly type: "confirmed";
      readonly id: string;
      readonly block: number | null;
      readonly transaction: string | null;
      /** The contract that it created: a group, or one of the base ledger. */
      readonly contract: string | null;
      /** What it did, in the words of its domain. */
      readonly effect: unknown;
      /** Ids of the states that it used and made. */
      readonly states: {
        readonly spent: readonly string[];
        readonly read: readonly string[];
        readonly confirmed: readonly string[];
      };
    }
  | { readonly type: "reverted"; readonly id: string; readonly reason: string }
  | {
      readonly type: "open";
      readonly id: string;
      readonly why: string | null;
    };

/** Asks a node how a transaction ended. */
export async function showReceipt(
  options: ReceiptOptions,
): Promise<ReceiptFact> {
  const id = parseTransactionId(options.id);
  const client = nodeAt(options.url);
  const receipt = await askReceipt(client, id);
  if (receipt === undefined)
    return { type: "open", id, why: await askWhy(client, id) };
  if (receipt.success !== true)
    return { type: "reverted", id, reason: receipt.failureMessage ?? "" };
  const { states } = receipt;
  return {
    type: "confirmed",
    id,
    block: receipt.blockNumber ?? null,
    transaction: receipt.transactionHash ?? null,
    contract: receipt.contractAddress ?? null,
    effect: receipt.domainReceipt ?? null,
    states: {
      spent: idsOf(states?.spent),
      read: idsOf(states?.read),
      confirmed: idsOf(states?.confirmed),
    },
  };
}

function idsOf(
  states: readonly { readonly id: string }[] | undefined,
): readonly string[] {
  return (states ?? []).map(({ id }) => id);
}
