import { setTimeout } from "node:timers/promises";

import { getAddress, toQuantity } from "ethers";
import type { NetworkConfig } from "hardhat/types/config";
import type { EthereumProvider } from "hardhat/types/providers";

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
  readonly provider: EthereumProvider;
  readonly networkConfig: Readonly<NetworkConfig>;
}

/** What a node is offered besides the base fee if it does not say what is usual: 1 gwei. */
const TIP_DEFAULT = 1_000_000_000n;

/** Reads a chain and sends it transactions, through whatever accounts Hardhat has for it. */
export class Chain {
  readonly #provider: EthereumProvider;
  readonly #networkConfig: Readonly<NetworkConfig>;

  constructor({ provider, networkConfig }: ChainConnection) {
    this.#provider = provider;
    this.#networkConfig = networkConfig;
  }

  async id(): Promise<bigint> {
    return await this.#number("eth_chainId");
  }

  /** The accounts that can send, with checksums. */
  async accounts(): Promise<readonly string[]> {
    const accounts = await this.#ask("eth_accounts");
    return Array.isArray(accounts)
      ? accounts.map((account) => getAddress(String(account)))
      : [];
  }

  async codeAt(address: string): Promise<string> {
    const code = await this.#ask("eth_getCode", address, "latest");
    return String(code).toLowerCase();
  }

  async balanceOf(address: string): Promise<bigint> {
    return await this.#number("eth_getBalance", address, "latest");
  }

  async nonceOf(address: string): Promise<number> {
    const count = "eth_getTransactionCount";
    return Number(await this.#number(count, address, "latest"));
  }

  /** Transactions of an account that wait to be mined. */
  async pendingOf(address: string): Promise<number> {
    const count = "eth_getTransactionCount";
    const all = Number(await this.#number(count, address, "pending"));
    return Math.max(0, all - (await this.nonceOf(address)));
  }

  async call(to: string, data: string): Promise<string> {
    return String(await this.#ask("eth_call", { to, data }, "latest"));
  }

  /** The fee that the network's configuration fixes, or the current one with room for the base fee to double. */
  async fees(): Promise<Fees> {
    const { gasPrice: fixed } = this.#networkConfig;
    if (fixed !== "auto") return { type: "legacy", gasPrice: fixed };
    const head = await this.#ask("eth_getBlockByNumber", "latest", false);
    const baseFee = quantityOf(Reflect.get(Object(head), "baseFeePerGas"));
    if (baseFee === undefined)
      return {
        type: "legacy",
        gasPrice: await this.#number("eth_gasPrice"),
      };
    const maxPriorityFeePerGas = await this.#tip();
    const maxFeePerGas = 2n * baseFee + maxPriorityFeePerGas;
    return { type: "eip1559", maxFeePerGas, maxPriorityFeePerGas };
  }

  /** Not all nodes know the method. */
  async #tip(): Promise<bigint> {
    try {
      return await this.#number("eth_maxPriorityFeePerGas");
    } catch {
      return TIP_DEFAULT;
    }
  }

  /** The gas that the network's configuration fixes, or what the chain says that this call needs. */
  async gasFor(from: string, call: Call): Promise<bigint> {
    const { gas } = this.#networkConfig;
    return gas === "auto"
      ? withMargin(
          await this.#number("eth_estimateGas", {
            from,
            to: call.to,
            data: call.data,
            value: toQuantity(call.value),
          }),
        )
      : gas;
  }

  /** Sends a transaction and gives its hash. */
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
      await this.#ask("eth_sendTransaction", {
        from,
        to,
        data,
        value,
        gas: toQuantity(gas),
        ...fee,
      }),
    );
  }

  async sendRaw(transaction: string): Promise<string> {
    return String(await this.#ask("eth_sendRawTransaction", transaction));
  }

  /** The receipt of a transaction, if there is one by now. The blocks on top of it are counted if more than one is wanted. */
  async receiptOf(hash: string, wanted: number): Promise<Receipt | undefined> {
    const receipt = await this.#ask("eth_getTransactionReceipt", hash);
    if (typeof receipt !== "object" || receipt === null) return undefined;
    const quantity = (name: string): bigint =>
      requireQuantity(Reflect.get(receipt, name), `${name} of a receipt`);
    const blockNumber = Number(quantity("blockNumber"));
    const head =
      wanted > 1 ? Number(await this.#number("eth_blockNumber")) : blockNumber;
    return {
      isSuccess: quantityOf(Reflect.get(receipt, "status")) !== 0n,
      gasUsed: quantity("gasUsed"),
      blockNumber,
      confirmations: Math.max(0, head - blockNumber + 1),
    };
  }

  async #ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return await this.#provider.request({ method, params: [...params] });
  }

  async #number(
    method: string,
    ...params: readonly unknown[]
  ): Promise<bigint> {
    return requireQuantity(await this.#ask(method, ...params), method);
  }
}

function quantityOf(value: unknown): bigint | undefined {
  return typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value)
    ? BigInt(value)
    : undefined;
}

function requireQuantity(value: unknown, what: string): bigint {
  const quantity = quantityOf(value);
  if (quantity === undefined)
    throw new Error(`The chain's answer to ${what} is not a number.`);
  return quantity;
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
