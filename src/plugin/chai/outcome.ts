import type { Interface } from "ethers";

import type { ConfirmedReceipt, SentIntent } from "../connection/types.ts";
import type {
  PrivateEvent,
  PrivateReceipt,
} from "../domains/private-receipt.ts";
import { type CustomError, PrivateRevert } from "../domains/private-revert.ts";
import { SequencerError } from "../errors.ts";

/** An intent, or a private transaction, that the ledger has. */
export interface Confirmed {
  readonly type: "confirmed";
  /** For messages. */
  readonly subject: string;
  readonly receipt: ConfirmedReceipt;
  /** Undefined if a receipt is all there is. */
  readonly intent: SentIntent | undefined;
}

/** One that reverted, or a call of a private contract that did. */
export interface Reverted {
  readonly type: "reverted";
  readonly subject: string;
  readonly reason: string;
  /** Undefined if the reason was not read with the ABI of a contract. */
  readonly revert: PrivateRevert | undefined;
}

/** What became of the subject of an assertion. Anything else is the answer of a call, or a mistake. */
export type Outcome =
  Confirmed | Reverted | { readonly type: "other"; readonly subject: string };

/** Waits for an intent, a private transaction, or a promise of one. Errors that are no reverts are thrown again. */
export async function outcomeOf(expected: unknown): Promise<Outcome> {
  let value: unknown;
  try {
    value = await expected;
  } catch (error) {
    return revertIn(error);
  }
  if (isConfirmed(value))
    return {
      type: "confirmed",
      subject: `intent ${value.id}`,
      receipt: value,
      intent: undefined,
    };
  if (!isIntent(value)) return { type: "other", subject: nameOf(value) };
  const receipt = await value.receipt();
  const subject = `intent ${value.id} of ${value.node}`;
  return receipt.type === "confirmed"
    ? { type: "confirmed", subject, receipt, intent: value }
    : { type: "reverted", subject, reason: receipt.reason, revert: undefined };
}

/** The events of a private transaction; undefined if it is another kind of intent. */
export async function eventsOf(
  { receipt, intent }: Confirmed,
  abi: Interface,
): Promise<readonly PrivateEvent[] | undefined> {
  if (isPrivateReceipt(receipt)) return receipt.events;
  if (intent === undefined) return undefined;
  const { readReceipt } = await import("../domains/private-receipt.ts");
  return readReceipt(receipt, intent, abi).events;
}

/** The custom error of a contract; undefined if it reverted with something else. */
export function errorOf(
  { reason, revert }: Reverted,
  abi: Interface,
): CustomError | undefined {
  return revert === undefined
    ? PrivateRevert.from(reason, abi).error
    : revert.errorIn(abi);
}

function revertIn(error: unknown): Reverted {
  if (!(error instanceof SequencerError)) throw error;
  const { cause } = error;
  if (!(cause instanceof PrivateRevert)) throw error;
  return {
    type: "reverted",
    subject: "the private transaction",
    reason: cause.reason,
    revert: cause,
  };
}

function isIntent(value: unknown): value is SentIntent {
  return (
    isObject(value) &&
    "receipt" in value &&
    typeof value.receipt === "function" &&
    "node" in value &&
    "id" in value
  );
}

function isConfirmed(value: unknown): value is ConfirmedReceipt {
  return (
    isObject(value) &&
    "type" in value &&
    value.type === "confirmed" &&
    "id" in value &&
    "transactionHash" in value
  );
}

function isPrivateReceipt(
  receipt: ConfirmedReceipt,
): receipt is PrivateReceipt {
  return "events" in receipt;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function nameOf(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : String(value);
}
