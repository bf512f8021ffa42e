import { keccak_256 } from "@noble/hashes/sha3.js";

import {
  type Hex,
  outputStateIds,
  parseHex,
  type StateId,
  toBytes,
  toHex,
} from "../../src/ledger/index.ts";
import { createPayer } from "../../src/keys/secp256k1.ts";
import { Chain } from "../../src/chain/chain.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { publishedAccount } from "../../test/helpers/accounts.ts";
import type { BenchChain } from "./chains.ts";
import { takeCensus } from "./census.ts";

/** Requests under way at a time: enough to hide the way there and back. */
const WINDOW = 64;
const ENDORSERS = 3;
/** Transitions with one input and one output need less. */
const GAS = 120_000n;
/** More than a base fee that rises over full blocks comes to, and less than an account has. */
const FEE_MAX = 10n ** 14n;
/** No node pays with this account. */
const ACCOUNT = 0;
/** How often to look whether all is mined. */
const LOOK_MS = 2;
/** If nothing more is mined for so long, the next call is lost: Anvil takes one in some thousands, and does not keep it. */
const LOST_MS = 500;

/** Pushes prepared calls at a chain. */
export interface Ceiling {
  /** How many calls with one input and one output the chain takes in a second, if nobody else wants anything of it. */
  readonly callsPerSecond: (calls: number) => Promise<number>;
}

/** A group whose transitions are assembled, endorsed and signed beforehand, each on top of the last. */
export async function openCeiling(chain: BenchChain): Promise<Ceiling> {
  const { client, ledger } = chain;
  const asked = new Chain(client);
  const { address, privateKey } = publishedAccount(ACCOUNT);
  const payer = createPayer(privateKey);
  const group = await ledger.createGroup(ENDORSERS);
  let nonce = await asked.transactionCount(address, "latest");
  let last: StateId | undefined;

  const prepare = async (): Promise<Hex> => {
    const { transition, data } = group.endorse(
      last === undefined ? {} : { inputs: [last] },
    );
    [last] = outputStateIds(transition);
    return await payer.signTransaction({
      chainId: ledger.chainId,
      nonce: nonce++,
      to: group.to,
      data,
      value: 0n,
      gasLimit: GAS,
      maxFeePerGas: FEE_MAX,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
  };
  /** Gives the block of the last one. */
  const push = async (calls: readonly Hex[]): Promise<number> => {
    const first = nonce - calls.length;
    await sendAll(client, calls);
    const hash = toHex(keccak_256(toBytes(calls.at(-1) ?? parseHex("0x"))));
    let [mined, since] = [first, performance.now()];
    for (;;) {
      const receipt = await asked.receiptOf(hash);
      if (receipt !== undefined) return receipt.blockNumber;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (performance.now() - since < LOST_MS) continue;
      const count = await asked.transactionCount(address, "latest");
      const next = calls[count - first];
      if (count === mined && next !== undefined) await sendAgain(client, next);
      [mined, since] = [count, performance.now()];
    }
  };
  await push([await prepare()]);
  return {
    callsPerSecond: async (count) => {
      const calls: Hex[] = [];
      for (let i = 0; i < count; i++) calls.push(await prepare());
      const before = await chain.height();
      const start = performance.now();
      const after = await push(calls);
      const seconds = (performance.now() - start) / 1_000;
      const { transactions, reverts } = await takeCensus(
        client,
        group.address,
        [before + 1, after],
      );
      if (transactions !== count || reverts > 0)
        throw new Error(
          `Of ${count} prepared calls ${transactions} are mined, and ${reverts} of them reverted.`,
        );
      return count / seconds;
    },
  };
}

/** Sends all, in order as far as several requests at a time have one: chains keep what comes too early. */
async function sendAll(
  client: ChainClient,
  calls: readonly Hex[],
): Promise<void> {
  let next = 0;
  const send = async (): Promise<void> => {
    for (let call = calls[next++]; call !== undefined; call = calls[next++])
      await client.request("eth_sendRawTransaction", [call]);
  };
  await Promise.all(Array.from({ length: WINDOW }, send));
}

/** The chain may have it after all. */
async function sendAgain(client: ChainClient, call: Hex): Promise<void> {
  await client
    .request("eth_sendRawTransaction", [call])
    .catch((error: unknown) => {
      if (!(error instanceof ChainError) || error.kind !== "refused")
        throw error;
    });
}
