import { parseBytes32 } from "../../ledger/index.ts";
import type { ChainClient } from "../ports.ts";
import { parseCount, parseHeader, readAnswer, toQuantity } from "../values.ts";

/** Which transactions of one address a block has. */
export interface BlockSender {
  readonly number: number;
  readonly hash: string;
  readonly transactions: readonly {
    readonly hash: string;
    readonly index: number;
    readonly nonce: number;
  }[];
}

/** Reads a block for the transactions of one address; undefined if the node does not have it. */
export async function readSender(
  client: ChainClient,
  address: string,
  block: number,
): Promise<BlockSender | undefined> {
  const params = [toQuantity(block), true];
  const answer = await client.request("eth_getBlockByNumber", params);
  return readAnswer((value) => parseSender(value, address), answer);
}

function parseSender(value: unknown, address: string): BlockSender | undefined {
  const header = parseHeader(value);
  if (header === undefined) return undefined;
  const all: unknown = Reflect.get(Object(value), "transactions");
  const transactions = (Array.isArray(all) ? all : [])
    .map((transaction: unknown, index) => ({
      index,
      field: (name: string): unknown =>
        Reflect.get(Object(transaction), name) as unknown,
    }))
    // Transactions of others may be of kinds that nobody here can read.
    .filter(({ field }) => String(field("from")).toLowerCase() === address)
    .map(({ field, index }) => ({
      hash: parseBytes32(field("hash")),
      index,
      nonce: parseCount(field("nonce")),
    }));
  return { number: header.number, hash: header.hash, transactions };
}
