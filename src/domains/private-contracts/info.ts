import { z } from "zod";

import { toHex } from "../../ledger/index.ts";
import type { Json, NewState, SeenState } from "../domain.ts";
import type { Log } from "./execution.ts";
import { address, bytes, hash, number } from "./values.ts";

export const TRANSACTION = "transaction";

/** A transaction that happened, and what came of it. */
export interface Transaction {
  readonly from: string;
  /** Undefined for a new contract. */
  readonly to: string | undefined;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly data: Uint8Array;
  readonly gasUsed: bigint;
  readonly created: string | undefined;
  readonly logs: readonly Log[];
}

const infoType = z
  .object({
    from: address,
    to: address.nullable(),
    nonce: number,
    gas: number,
    data: z.string().base64(),
    gasUsed: number,
    contractAddress: address.nullable(),
    logs: z.array(
      z.object({ address, topics: z.array(hash).max(4), data: bytes }).strict(),
    ),
  })
  .strict();

/** What members keep of a transaction. Base64 is a third shorter than digits, and code is long. */
export function infoState(transaction: Transaction): NewState {
  const { from, to, nonce, gas, data, gasUsed, created, logs } = transaction;
  return {
    schema: TRANSACTION,
    label: from,
    data: {
      from,
      to: to ?? null,
      nonce: nonce.toString(),
      gas: gas.toString(),
      data: Buffer.from(data).toString("base64"),
      gasUsed: gasUsed.toString(),
      contractAddress: created ?? null,
      logs: logs.map((log) => ({ ...log })),
    },
  };
}

/** What is known of a transaction; undefined if nothing is. */
export function readInfo(infos: readonly SeenState[]): Transaction | undefined {
  const info = infos.find(({ schema }) => schema === TRANSACTION);
  const read = infoType.safeParse(info?.data).data;
  return (
    read && {
      ...read,
      to: read.to ?? undefined,
      data: Buffer.from(read.data, "base64"),
      created: read.contractAddress ?? undefined,
    }
  );
}

/** The receipt of a transaction, as Paladin's nodes give it for their private contracts; null if nothing is known of it. */
export function receiptOf(infos: readonly SeenState[]): Json {
  const read = readInfo(infos);
  if (read === undefined) return null;
  const { from, nonce, gas, data, gasUsed, created, logs } = read;
  const to = read.to ?? null;
  return {
    transaction: {
      from,
      to,
      nonce: toQuantity(nonce),
      gas: toQuantity(gas),
      value: "0x0",
      data: toHex(data),
    },
    receipt: {
      from,
      to,
      gasUsed: toQuantity(gasUsed),
      contractAddress: created ?? null,
      logs: logs.map((log, logIndex) => ({ ...log, logIndex })),
    },
  };
}

function toQuantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}
