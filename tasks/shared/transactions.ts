import { setTimeout } from "node:timers/promises";

import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import type { RpcClient } from "./rpc-client.ts";

const uuidRule = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const intentRule = /^0x[\da-f]{64}$/i;
const pollMs = 50;

const statesType = z.array(z.object({ id: z.string() })).default([]);
const receiptType = z.object({
  success: z.boolean().optional(),
  transactionHash: z.string().optional(),
  blockNumber: z.number().optional(),
  failureMessage: z.string().optional(),
  contractAddress: z.string().optional(),
  domainReceipt: z.unknown(),
  states: z
    .object({ spent: statesType, read: statesType, confirmed: statesType })
    .optional(),
});

/** How a transaction ended, with what it did. */
export type Receipt = z.infer<typeof receiptType>;

/** The id of a transaction, as typed. */
export function parseTransactionId(value: string): string {
  if (uuidRule.test(value)) return value.toLowerCase();
  throw new SequencerError("TRANSACTION_ID_INVALID", { value });
}

/** The same, or the id of an intent. */
export function parseTransactionOrIntentId(value: string): string {
  return intentRule.test(value)
    ? value.toLowerCase()
    : parseTransactionId(value);
}

/** The receipt of a transaction; undefined while it is open. Throws if the node does not know the transaction. */
export async function askReceipt(
  client: RpcClient,
  id: string,
): Promise<Receipt | undefined> {
  const method = "ptx_getTransactionReceiptFull";
  const receipt = await client.ask(receiptType.nullable(), method, id);
  if (receipt !== null) return receipt;
  const type = z.object({ id: z.string() }).nullable();
  const transaction = await client.ask(type, "ptx_getTransaction", id);
  if (transaction === null)
    throw new SequencerError("TRANSACTION_UNKNOWN", { id, url: client.name });
  return undefined;
}

/** Waits for the receipt; undefined if it is not there in time. */
export async function waitForReceipt(
  client: RpcClient,
  id: string,
  seconds: number,
): Promise<Receipt | undefined> {
  const deadline = performance.now() + 1_000 * seconds;
  for (;;) {
    const receipt = await askReceipt(client, id);
    if (receipt !== undefined || performance.now() > deadline) return receipt;
    await setTimeout(pollMs);
  }
}

/** What a transaction waits for, in one sentence; null if the node cannot tell. */
export async function askWhy(
  client: RpcClient,
  id: string,
): Promise<string | null> {
  return await client.ask(z.string().nullable(), "sequencer_explain", id);
}
