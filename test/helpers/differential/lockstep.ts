import assert from "node:assert/strict";

import {
  type Address,
  type Hex,
  parseHex,
  privacyGroupInterface,
} from "../../../src/ledger/index.ts";
import { readArtifact } from "../../../src/plugin/deployment/artifacts.ts";
import { verdictOf } from "../../../src/chain/submitter/verdict.ts";
import { ChainError } from "../../../src/chain/ports.ts";
import type { Scene } from "./scene.ts";
import {
  aTestAccount,
  type ChainUnderTest,
  type TestAccount,
} from "../ports/chain-under-test.ts";

/** Fields that only one of the chains has, or that no model can foretell: hashes of blocks, gas, and money. */
const INCOMPARABLE = new Set([
  ...["blockHash", "hash", "parentHash", "timestamp", "blockTimestamp"],
  ...["gasUsed", "cumulativeGasUsed", "effectiveGasPrice", "gasPrice"],
  ...["baseFeePerGas", "gasLimit", "size", "stateRoot", "receiptsRoot"],
  ...["transactionsRoot", "withdrawalsRoot", "withdrawals", "sha3Uncles"],
  ...["totalDifficulty", "difficulty", "miner", "mixHash", "extraData"],
  ...["blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot", "requestsHash"],
  ...["nonce", "uncles", "yParity", "chainId"],
]);

/** Two chains that get the same transactions, and must give the same answers. */
export class Lockstep {
  readonly accounts: readonly TestAccount[];
  readonly #chains: readonly [ChainUnderTest, ChainUnderTest];
  /** What the next transaction of each account has as its nonce. */
  readonly #nonces = new Map<Address, number>();

  constructor(chains: readonly [ChainUnderTest, ChainUnderTest]) {
    this.#chains = chains;
    this.accounts = [0, 1, 2].map(aTestAccount);
  }

  /** Puts the factory on both chains. */
  async deploy(): Promise<void> {
    const data = parseHex(readArtifact("PrivacyGroupFactory").bytecode);
    await this.send(0, { to: undefined, data, gasLimit: 16_000_000n });
    await this.mine();
  }

  async close(): Promise<void> {
    for (const { client } of this.#chains) await client.close();
  }

  /** Asks both, and gives what both answer. */
  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const [real, simulated] = await Promise.all(
      this.#chains.map(async ({ client }) => {
        try {
          return comparable(await client.request(method, params));
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          const { kind, data } = error;
          const verdict =
            method === "eth_sendRawTransaction" ? verdictOf(error) : undefined;
          return { refused: kind, data, verdict };
        }
      }),
    );
    assert.deepEqual(simulated, real, `${method} ${JSON.stringify(params)}`);
    return real;
  }

  /** Sends a transaction of an account to both. */
  async send(
    account: number,
    parts: {
      readonly to: Address | undefined;
      readonly data: Hex;
      readonly value?: bigint;
      readonly gasLimit?: bigint;
      readonly legacy?: boolean;
    },
  ): Promise<void> {
    const sender = this.accounts[account];
    if (sender === undefined) throw new Error("There is no such account.");
    const { address } = sender;
    const nonce = this.#nonces.get(address) ?? 0;
    const raw = await sender.sign({ nonce, ...parts });
    const answer = await this.ask("eth_sendRawTransaction", raw);
    assert.equal(typeof answer, "string", JSON.stringify(answer));
    this.#nonces.set(address, nonce + 1);
  }

  /** Makes a block on both, and compares all of it. */
  async mine(): Promise<number> {
    for (const chain of this.#chains) await chain.mine();
    const head = String(await this.ask("eth_blockNumber"));
    const block = await this.ask("eth_getBlockByNumber", head, false);
    await this.ask("eth_getBlockByNumber", head, true);
    const hashes: unknown = Reflect.get(Object(block), "transactions");
    assert(Array.isArray(hashes));
    for (const hash of hashes as unknown[])
      await this.ask("eth_getTransactionReceipt", hash);
    for (const { address } of this.accounts)
      for (const tag of ["latest", "pending", "0x1"])
        await this.ask("eth_getTransactionCount", address, tag);
    return Number(head);
  }

  /** Remembers both chains; what comes back takes both there again, once. */
  async mark(): Promise<() => Promise<void>> {
    const back = await Promise.all(
      this.#chains.map(async (chain) => await chain.mark()),
    );
    const nonces = new Map(this.#nonces);
    return async () => {
      for (const goBack of back) await goBack();
      this.#nonces.clear();
      for (const [address, nonce] of nonces) this.#nonces.set(address, nonce);
    };
  }

  /** Compares all logs, and what groups say about themselves and about everything that ever occurred in them. */
  async compare(scenes: readonly Scene[]): Promise<void> {
    await this.ask("eth_getLogs", { fromBlock: "0x0", toBlock: "latest" });
    for (const { model, intents, states } of scenes) {
      const { group } = model.domain;
      await this.ask("eth_getLogs", { fromBlock: "0x0", address: [group] });
      await this.ask("eth_getCode", group, "latest");
      const call = async (name: string, ...values: string[]): Promise<void> => {
        const data = privacyGroupInterface.encodeFunctionData(name, values);
        await this.ask("eth_call", { to: group, data }, "latest");
      };
      await call("committee");
      await call("allowsExternalCalls");
      for (const id of intents) await call("isFulfilled", id);
      for (const id of [...states, ...model.unspent])
        await call("isUnspent", id);
    }
  }
}

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null)
    return typeof value === "string" ? value.toLowerCase() : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !INCOMPARABLE.has(name))
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, comparable(field)]),
  );
}
