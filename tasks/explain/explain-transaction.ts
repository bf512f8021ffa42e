import { digits, printable } from "../../src/view/text.ts";
import { nodeAt } from "../shared/ask-node.ts";
import {
  askReceipt,
  askWhy,
  parseTransactionOrIntentId,
} from "../shared/transactions.ts";

/** What the user asks for, as typed. */
export interface ExplainOptions {
  readonly id: string;
  readonly url?: string | undefined;
}

/** What `sequencer:explain` tells. */
export type ExplainFact =
  | { readonly type: "waiting"; readonly id: string; readonly why: string }
  | {
      readonly type: "confirmed";
      readonly id: string;
      readonly block: number | null;
      readonly transaction: string | null;
    }
  | { readonly type: "reverted"; readonly id: string; readonly reason: string }
  /** It is not open at this node, and there is no receipt of it. */
  | { readonly type: "idle"; readonly id: string };

/** Asks a node what a transaction or an intent waits for. */
export async function explainTransaction(
  options: ExplainOptions,
): Promise<ExplainFact> {
  const id = parseTransactionOrIntentId(options.id);
  const client = nodeAt(options.url);
  // Receipts are by the ids of transactions only.
  const receipt = id.includes("-") ? await askReceipt(client, id) : undefined;
  if (receipt?.success === true)
    return {
      type: "confirmed",
      id,
      block: receipt.blockNumber ?? null,
      transaction: receipt.transactionHash ?? null,
    };
  if (receipt !== undefined)
    return { type: "reverted", id, reason: receipt.failureMessage ?? "" };
  const why = await askWhy(client, id);
  return why === null ? { type: "idle", id } : { type: "waiting", id, why };
}

/** A fact for people. */
export function explainLines(fact: ExplainFact): string[] {
  switch (fact.type) {
    case "waiting":
      return [printable(fact.why)];
    case "confirmed":
      return [
        `It waits for nothing: it was confirmed in block ${digits(fact.block ?? 0)}.`,
      ];
    case "reverted":
      return [printable(`It waits for nothing: it reverted. ${fact.reason}`)];
    case "idle":
      return ["It is not open at this node."];
  }
}
