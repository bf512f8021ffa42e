import type { Effect } from "../protocol/effects.ts";
import type { GroupAddress } from "../protocol/ids.ts";
import type { Store } from "../store/store.ts";
import type { Settlement } from "./service.ts";

/** How an intent ended, and what users are told of it. */
export interface Settling {
  readonly group: GroupAddress;
  readonly receipt: Extract<Effect, { readonly type: "Settled" }>["receipt"];
  /** Set by the write that settles it: the block that confirms it may be in the same commit. */
  settlement: Settlement | undefined;
}

/** How an intent ended, with its place on the ledger. */
export function settlementOf(
  { blocks }: Pick<Store, "blocks">,
  { group, receipt }: Settling,
): Settlement {
  const base = { group, intentId: receipt.id };
  if (receipt.type === "Reverted")
    return {
      ...base,
      outcome: { type: "Reverted", reason: receipt.reason },
    };
  const fulfilment = blocks.fulfilment(group, receipt.id);
  if (fulfilment === undefined)
    throw new Error(
      `Intent ${receipt.id} is confirmed, but no indexed block contains it.`,
    );
  const { block, transactionHash, transactionIndex, logIndex } = fulfilment;
  return {
    ...base,
    outcome: {
      type: "Confirmed",
      block,
      transactionHash,
      transactionIndex,
      logIndex,
    },
  };
}
