import { Common, Mainnet } from "@ethereumjs/common";
import { createEVM, type EVM } from "@ethereumjs/evm";
import { createAddressFromString } from "@ethereumjs/util";

import { parseHex, toBytes, toHex } from "../../../../ledger/index.ts";

/** What is to be executed. */
export interface PlainCall {
  readonly from: string;
  /** Undefined for a new contract. */
  readonly to: string | undefined;
  readonly data: Uint8Array;
}

/** An EVM with accounts and storage of its own, as its library makes it. It is loaded when it is needed: it is large. */
export class PlainEvm {
  readonly #evm: EVM;

  private constructor(evm: EVM) {
    this.#evm = evm;
  }

  static async open(): Promise<PlainEvm> {
    const common = new Common({ chain: Mainnet, hardfork: "shanghai" });
    return new PlainEvm(await createEVM({ common }));
  }

  /** Whether it succeeds. */
  async call({ from, to, data }: PlainCall): Promise<boolean> {
    const { execResult } = await this.#evm.runCall({
      caller: createAddressFromString(from),
      ...(to !== undefined && { to: createAddressFromString(to) }),
      data,
      gasLimit: 10_000_000n,
    });
    return execResult.exceptionError === undefined;
  }

  async account(address: string): Promise<{
    readonly nonce: bigint;
    readonly balance: bigint;
    readonly code: string;
  }> {
    const { stateManager } = this.#evm;
    const key = createAddressFromString(address);
    const account = await stateManager.getAccount(key);
    return {
      nonce: account?.nonce ?? 0n,
      balance: account?.balance ?? 0n,
      code: toHex(await stateManager.getCode(key)),
    };
  }

  async slot(address: string, slot: bigint): Promise<bigint> {
    const key = toBytes(parseHex(`0x${slot.toString(16).padStart(64, "0")}`));
    const value = await this.#evm.stateManager.getStorage(
      createAddressFromString(address),
      key,
    );
    return value.length === 0 ? 0n : BigInt(toHex(value));
  }
}
