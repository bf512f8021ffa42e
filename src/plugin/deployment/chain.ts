import { setTimeout } from "node:timers/promises";

import type { HardhatEthers } from "@nomicfoundation/hardhat-ethers/types";
import { toQuantity } from "ethers";
import type { NetworkConfig } from "hardhat/types/config";

import { withMargin } from "./costs.ts";
import type { Fees } from "./costs.ts";

/** A transaction to be signed by the sender. */
export interface Call {
  readonly to: string;
  readonly data: string;
  readonly value: bigint;
}

/** What became of a transaction. */
export interface Receipt {
  readonly isSuccess: boolean;
  readonly gasUsed: bigint;
  readonly blockNumber: number;
  /** Blocks with it and on top of it, as far as they were asked for. */
  readonly confirmations: number;
}

/** The part of a Hardhat connection that deployment uses. */
export interface ChainConnection {
  readonly ethers: HardhatEthers;
  readonly networkConfig: Readonly<NetworkConfig>;
}

/** Reads a chain and sends it transactions, through whatever accounts Hardhat has for it. */
export class Chain {
  readonly #provider: HardhatEthers["provider"];
  readonly #networkConfig: Readonly<NetworkConfig>;

  constructor({ ethers, networkConfig }: ChainConnection) {
    this.#provider = ethers.provider;
    this.#networkConfig = networkConfig;
  }

  async id(): Promise<bigint> {
    return (await this.#provider.getNetwork()).chainId;
  }

  async codeAt(address: string): Promise<string> {
    return (await this.#provider.getCode(address)).toLowerCase();
  }

  async balanceOf(address: string): Promise<bigint> {
    return await this.#provider.getBalance(address);
  }

  async nonceOf(address: string): Promise<number> {
    return await this.#provider.getTransactionCount(address, "latest");
  }

  /** Transactions of an account that wait to be mined. */
  async pendingOf(address: string): Promise<number> {
    const all = await this.#provider.getTransactionCount(address, "pending");
    return Math.max(0, all - (await this.nonceOf(address)));
  }

  async call(to: string, data: string): Promise<string> {
    return await this.#provider.call({ to, data });
  }

  /** The fee that the network's configuration fixes, or the current one. */
  async fees(): Promise<Fees> {
    const { gasPrice: fixed } = this.#networkConfig;
    if (fixed !== "auto") return { type: "legacy", gasPrice: fixed };
    const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } =
      await this.#provider.getFeeData();
    return maxFeePerGas === null || maxPriorityFeePerGas === null
      ? { type: "legacy", gasPrice: gasPrice ?? 0n }
      : { type: "eip1559", maxFeePerGas, maxPriorityFeePerGas };
  }

  /** The gas that the network's configuration fixes, or what the chain says that this call needs. */
  async gasFor(from: string, call: Call): Promise<bigint> {
    const { gas } = this.#networkConfig;
    return gas === "auto"
      ? withMargin(await this.#provider.estimateGas({ ...call, from }))
      : gas;
  }

  /**
   * Sends a transaction and gives its hash. This is what ethers signers do, without their wait for the node to know
   * the transaction, which has no end.
   */
  async send(
    from: string,
    call: Call,
    { gas, fees }: { gas: bigint; fees: Fees },
  ): Promise<string> {
    const fee =
      fees.type === "legacy"
        ? { gasPrice: toQuantity(fees.gasPrice) }
        : {
            maxFeePerGas: toQuantity(fees.maxFeePerGas),
            maxPriorityFeePerGas: toQuantity(fees.maxPriorityFeePerGas),
          };
    const { to, data } = call;
    const value = toQuantity(call.value);
    return String(
      await this.#provider.send("eth_sendTransaction", [
        { from, to, data, value, gas: toQuantity(gas), ...fee },
      ]),
    );
  }

  async sendRaw(transaction: string): Promise<string> {
    return String(
      await this.#provider.send("eth_sendRawTransaction", [transaction]),
    );
  }

  /** The receipt of a transaction, if there is one by now. The blocks on top of it are counted if more than one is wanted. */
  async receiptOf(hash: string, wanted: number): Promise<Receipt | undefined> {
    const receipt = await this.#provider.getTransactionReceipt(hash);
    if (receipt === null) return undefined;
    const { blockNumber, gasUsed } = receipt;
    const head =
      wanted > 1 ? await this.#provider.getBlockNumber() : blockNumber;
    return {
      isSuccess: receipt.status !== 0,
      gasUsed,
      blockNumber,
      confirmations: Math.max(0, head - blockNumber + 1),
    };
  }
}

/**
 * Asks until there is an answer or the time is up. The first answers are expected soon, on local chains at once, so
 * the pauses start short and grow.
 */
export async function poll<T>(
  timeoutMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, 2000)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return undefined;
    await setTimeout(Math.min(pauseMs, leftMs));
  }
}
