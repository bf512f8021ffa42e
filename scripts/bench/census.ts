import { Chain } from "../../src/chain/chain.ts";
import type { ChainClient } from "../../src/chain/ports.ts";

/** What the chain had to do for a group. */
export interface Census {
  readonly transactions: number;
  readonly reverts: number;
  readonly gas: bigint;
  /** Of those that reverted. Somebody paid for it, and nothing happened. */
  readonly gasWasted: bigint;
}

/** Counts the transactions to an address in some blocks, from the chain itself. */
export async function takeCensus(
  client: ChainClient,
  address: string,
  [from, to]: readonly [number, number],
): Promise<Census> {
  const chain = new Chain(client);
  let transactions = 0;
  let reverts = 0;
  let gas = 0n;
  let gasWasted = 0n;
  for (let number = from; number <= to; number++) {
    const block = (await client.request("eth_getBlockByNumber", [
      `0x${number.toString(16)}`,
      true,
    ])) as { readonly transactions: readonly SentTransaction[] };
    for (const { hash, to: target } of block.transactions) {
      if (target?.toLowerCase() !== address) continue;
      const receipt = await chain.receiptOf(hash);
      if (receipt === undefined) throw new Error(`${hash} has no receipt.`);
      transactions += 1;
      gas += receipt.gasUsed;
      if (receipt.isSuccess) continue;
      reverts += 1;
      gasWasted += receipt.gasUsed;
    }
  }
  return { transactions, reverts, gas, gasWasted };
}

interface SentTransaction {
  readonly hash: string;
  readonly to: string | null;
}
