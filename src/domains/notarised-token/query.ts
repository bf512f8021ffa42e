import {
  type DomainCall,
  DomainRefusal,
  type Json,
  type StateView,
} from "../domain.ts";
import { AMOUNT_MAX } from "./limits.ts";
import { readSettings } from "./settings.ts";
import { COIN, LOCK, readCoin, readLock } from "./states.ts";
import { account, lockId, nodeOf } from "./words.ts";

/** Amounts are whole numbers; people may read the last four digits as decimals. */
const DECIMALS = "4";

/** Answers the views of the ABI, from what the node sees. */
export function answer(
  call: DomainCall,
  view: StateView,
): Readonly<Record<string, Json>> {
  const { signature, group } = call;
  switch (signature) {
    case "balanceOf(string)":
      return balanceOf(call, view);
    case "lockOf(bytes32)":
      return lockOf(call, view);
    case "name()":
      return { "0": readSettings(group).name };
    case "symbol()":
      return { "0": readSettings(group).symbol };
    case "decimals()":
      return { "0": DECIMALS };
    default:
      throw new DomainRefusal(
        `A notarised-token does not answer ${signature}. It answers: balanceOf(string), lockOf(bytes32), name(), symbol(), decimals().`,
      );
  }
}

/** Locked coins do not count. */
function balanceOf(
  { group, node, args }: DomainCall,
  view: StateView,
): Readonly<Record<string, Json>> {
  const read = account.safeParse(args["account"]);
  if (!read.success)
    throw new DomainRefusal(
      `balanceOf is asked of an account, name@node, and not of ${show(args["account"])}.`,
    );
  const owner = read.data;
  const { endorsers } = group;
  if (nodeOf(owner) !== node && !endorsers.includes(node))
    throw new DomainRefusal(
      `${node} does not see the coins of ${owner}. Ask its own node, or a notary: ${endorsers.join(", ")}.`,
    );
  let total = 0n;
  let count = 0;
  for (const state of view.find(COIN, owner)) {
    total += readCoin(state)?.amount ?? 0n;
    count += 1;
  }
  const overflow = total > AMOUNT_MAX;
  return {
    totalStates: count.toString(),
    totalBalance: (overflow ? AMOUNT_MAX : total).toString(),
    overflow,
  };
}

function lockOf(
  { node, args }: DomainCall,
  view: StateView,
): Readonly<Record<string, Json>> {
  const read = lockId.safeParse(args["lockId"]);
  if (!read.success)
    throw new DomainRefusal(
      `lockOf is asked of 32 bytes, and not of ${show(args["lockId"])}.`,
    );
  const [state] = view.find(LOCK, read.data);
  const locked = state && readLock(state);
  if (locked === undefined)
    throw new DomainRefusal(
      `${node} sees no lock ${read.data}: it was never made, is unlocked, or is somebody else's.`,
    );
  const { owner, amount, delegate = "", prepared } = locked;
  return {
    owner,
    amount: amount.toString(),
    delegate,
    isPrepared: prepared !== undefined,
    recipients: prepared?.recipients ?? [],
    unlockData: prepared?.data ?? "0x",
  };
}

function show(value: Json | undefined): string {
  return JSON.stringify(value ?? null).slice(0, 80);
}
