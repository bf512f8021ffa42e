import hre from "hardhat";

import { type Hex, parseHex, revertDataOf } from "../../../src/ledger/index.ts";

/** What a call comes to. */
export type Twin =
  | {
      readonly type: "done";
      readonly returned: Hex;
      readonly logs: readonly TwinLog[];
      readonly gasUsed: bigint;
      readonly created: string | null;
    }
  | { readonly type: "failed"; readonly data: Hex };

export interface TwinLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** As much as a group has if it does not say. */
const GAS = `0x${(30_000_000).toString(16)}`;

interface TwinReceipt {
  readonly status: string;
  readonly gasUsed: string;
  readonly contractAddress: string | null;
  readonly logs: readonly TwinLog[];
}

/**
 * A real chain on which the private addresses of a group act, so that everything there has the same addresses as in the group.
 * What would fail is not sent, as in a group: it costs no nonce.
 */
export class TwinChain {
  readonly #request: (method: string, ...params: unknown[]) => Promise<unknown>;
  readonly #known = new Set<string>();

  private constructor(
    request: (method: string, ...params: unknown[]) => Promise<unknown>,
  ) {
    this.#request = request;
  }

  static async open(hardfork: string): Promise<TwinChain> {
    const { provider } = await hre.network.create({
      network: "default",
      override: {
        hardfork,
        blockGasLimit: 60_000_000n,
        initialBaseFeePerGas: 0n,
      },
    });
    return new TwinChain(async (method, ...params) => {
      const answer: unknown = await provider.request({ method, params });
      return answer;
    });
  }

  async call(call: {
    readonly from: string;
    readonly to: string | undefined;
    readonly data: string;
  }): Promise<Twin | { readonly type: "asked"; readonly returned: Hex }> {
    try {
      const returned = await this.#request(
        "eth_call",
        { ...call, gas: GAS, gasPrice: "0x0" },
        "latest",
      );
      return { type: "asked", returned: parseHex(returned) };
    } catch (error) {
      const data = revertDataOf(error);
      if (data === undefined) throw error;
      return { type: "failed", data };
    }
  }

  async send(call: {
    readonly from: string;
    readonly to: string | undefined;
    readonly data: string;
  }): Promise<Twin> {
    const asked = await this.call(call);
    if (asked.type !== "asked") return asked;
    await this.#know(call.from);
    const hash = await this.#request("eth_sendTransaction", {
      ...call,
      gas: GAS,
      gasPrice: "0x0",
    });
    const receipt = (await this.#request(
      "eth_getTransactionReceipt",
      hash,
    )) as TwinReceipt;
    if (receipt.status !== "0x1") throw new Error("It failed after all.");
    return {
      type: "done",
      returned: asked.returned,
      logs: receipt.logs.map(({ address, topics, data }) => ({
        address,
        topics,
        data,
      })),
      gasUsed: BigInt(receipt.gasUsed),
      created: receipt.contractAddress,
    };
  }

  async storageAt(address: string, slot: string): Promise<bigint> {
    const word = await this.#request(
      "eth_getStorageAt",
      address,
      slot,
      "latest",
    );
    return BigInt(word as string);
  }

  async #know(address: string): Promise<void> {
    if (this.#known.has(address)) return;
    this.#known.add(address);
    await this.#request("hardhat_impersonateAccount", address);
  }
}
