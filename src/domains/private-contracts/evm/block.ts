import { createZeroAddress } from "@ethereumjs/util";
import type { EVMRunCallOpts } from "@ethereumjs/evm";

type Block = NonNullable<EVMRunCallOpts["block"]>;

/** Inside a group there is no chain whose id could be told. */
export const CHAIN_ID = 1337;

/**
 * The block that every transaction sees. Endorsers execute at other times and at other heights of the chain than senders, so
 * there is nothing in it that anybody could see differently.
 */
export function blockOf({
  gasLimit,
  chance,
}: {
  readonly gasLimit: bigint;
  readonly chance: Uint8Array;
}): Block {
  return {
    header: {
      number: 1n,
      timestamp: 1n,
      coinbase: createZeroAddress(),
      difficulty: 0n,
      prevRandao: chance,
      gasLimit,
      baseFeePerGas: 0n,
      getBlobGasPrice: () => 1n,
    },
  };
}
