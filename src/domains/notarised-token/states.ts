import { z } from "zod";

import type { Json, NewState, SeenState } from "../domain.ts";
import {
  account,
  amount,
  data,
  lockId,
  type Recipients,
  recipients,
} from "./words.ts";

export const COIN = "coin";
export const LOCK = "lock";
/** An info: what a step did, in the words of its user. */
export const NOTE = "note";

/** Can be spent by its owner. */
export interface Coin {
  readonly owner: string;
  readonly amount: bigint;
}

/** Coins that are set aside. It is found by the id of the intent that locked them, and keeps it until it is unlocked. */
export interface Lock extends Coin {
  readonly lockId: string;
  /** Who alone may unlock it, or pass that right on; undefined: its owner. */
  readonly delegate: string | undefined;
  /** What unlocking it must do; undefined: whatever the one says who may. */
  readonly prepared:
    { readonly recipients: Recipients; readonly data: string } | undefined;
}

/** What moved from whom to whom; minted if from nobody, burned if to nobody. */
export interface Transfer {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly amount: string;
}

export interface Note {
  readonly by: string;
  readonly transfers: readonly Transfer[];
  readonly data: string;
  /** The lock that it made or changed: its user need not wait until he is told of the state. */
  readonly lock: Lock | undefined;
}

const coinType = z.object({ owner: account, amount }).strict();

const lockType = z
  .object({
    lockId,
    owner: account,
    amount,
    delegate: account.optional(),
    prepared: z.object({ recipients, data }).strict().optional(),
  })
  .strict();

const noteType = z
  .object({
    by: account,
    transfers: z.array(
      z
        .object({ from: account.optional(), to: account.optional(), amount })
        .strict(),
    ),
    data,
    lock: lockType.optional(),
  })
  .strict();

export function coin(owner: string, value: bigint): NewState {
  return {
    schema: COIN,
    label: owner,
    data: { owner, amount: value.toString() },
  };
}

/** What is on a coin; undefined if the state is none. */
export function readCoin(state: Omit<SeenState, "id">): Coin | undefined {
  const read = coinType.safeParse(state.data).data;
  if (state.schema !== COIN || read === undefined) return undefined;
  return { owner: read.owner, amount: BigInt(read.amount) };
}

export function lock(value: Lock): NewState {
  return { schema: LOCK, label: value.lockId, data: writeLock(value) };
}

/** What is on a lock; undefined if the state is none. */
export function readLock(state: Omit<SeenState, "id">): Lock | undefined {
  const read = lockType.safeParse(state.data).data;
  return state.schema === LOCK && read !== undefined ? lockOf(read) : undefined;
}

function writeLock({ delegate, prepared, ...value }: Lock): Json {
  return {
    lockId: value.lockId,
    owner: value.owner,
    amount: value.amount.toString(),
    ...(delegate !== undefined && { delegate }),
    ...(prepared !== undefined && { prepared }),
  };
}

function lockOf(read: z.infer<typeof lockType>): Lock {
  const { delegate, prepared } = read;
  return { ...read, amount: BigInt(read.amount), delegate, prepared };
}

export function note({
  by,
  transfers,
  data: added,
  lock: locked,
}: Note): NewState {
  return {
    schema: NOTE,
    label: by,
    data: {
      by,
      transfers: transfers.map(({ from, to, amount: moved }): Json => ({
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        amount: moved,
      })),
      data: added,
      ...(locked !== undefined && { lock: writeLock(locked) }),
    },
  };
}

/** What a note says; undefined if the state is none. */
export function readNote(state: Omit<SeenState, "id">): Note | undefined {
  const read = noteType.safeParse(state.data).data;
  return state.schema === NOTE && read !== undefined
    ? { ...read, lock: read.lock && lockOf(read.lock) }
    : undefined;
}

/** Who may unlock a lock now. */
export function spenderOf({ owner, delegate }: Lock): string {
  return delegate ?? owner;
}
