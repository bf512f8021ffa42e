import path from "node:path";

import { ask } from "../network/rpc.ts";
import { Proxy } from "../network/proxy.ts";
import { Child } from "../processes/child.ts";
import { leanCommand } from "../processes/hardhat.ts";
import { until } from "../processes/until.ts";

/** Blocks that were replaced: those above `ancestor`, up to `from`. */
export interface Reorganisation {
  readonly ancestor: number;
  readonly from: number;
  readonly atMs: number;
}

export interface ChainOptions {
  readonly port: number;
  /** Nodes that look at it. */
  readonly names: readonly string[];
  readonly blockMs: number;
  readonly outDir: string;
}

const START_MS = 180_000;
/** Only a machine that has much else to do needs so long. */
const ANSWER_MS = 60_000;

/**
 * Hardhat's chain in a process of its own, behind a proxy for every node. It has no disk: a chain that is stopped and started again would be
 * another one. So it stays, and for nodes it is gone while the proxy is cut.
 */
export class Chain {
  readonly #options: ChainOptions;
  readonly #child: Child;
  readonly #proxies: ReadonlyMap<string, Proxy>;
  readonly reorganisations: Reorganisation[] = [];
  /** Faults that keep blocks from coming. */
  #pauses = 0;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.#child = new Child(
      {
        ...leanCommand({ task: "node", args: { port: options.port } }),
        output: path.join(options.outDir, "chain"),
      },
      { onLine: () => undefined },
    );
    this.#proxies = new Map(
      options.names.map((name) => [
        name,
        new Proxy({ target: () => options.port }),
      ]),
    );
  }

  async start(): Promise<void> {
    await until(
      { what: "the chain answers", deadlineMs: START_MS },
      async () => {
        await this.request("eth_chainId");
        return true;
      },
    );
    // Only time makes blocks, as on a real chain; otherwise no pause would stop them.
    await this.request("evm_setAutomine", false);
    await this.#setMining();
    for (const proxy of this.#proxies.values()) await proxy.start();
  }

  /** Where a node finds it. */
  urlFor(name: string): string {
    return `http://127.0.0.1:${this.#proxyOf(name).port}`;
  }

  /** Where the harness finds it, whatever nodes see. */
  get ownUrl(): string {
    return `http://127.0.0.1:${this.#options.port}`;
  }

  async request<Result = unknown>(
    method: string,
    ...params: readonly unknown[]
  ): Promise<Result> {
    return await ask<Result>(this.ownUrl, { method, params }, ANSWER_MS);
  }

  async height(): Promise<number> {
    return Number(await this.request("eth_blockNumber"));
  }

  /** Nodes get resets instead of answers. */
  cut(): () => void {
    const heals = [...this.#proxies.values()].map((proxy) =>
      proxy.impose({ type: "cut" }),
    );
    return () => {
      for (const heal of heals) heal();
    };
  }

  /** One node sees no new blocks: what it asks is answered when this is over. */
  holdBack(name: string): () => void {
    return this.#proxyOf(name).impose({ type: "hold", direction: "back" });
  }

  /** It takes connections, and answers nothing. */
  freeze(): () => void {
    this.#child.signal("SIGSTOP");
    return () => {
      this.#child.signal("SIGCONT");
    };
  }

  async pauseMining(): Promise<() => Promise<void>> {
    this.#pauses += 1;
    await this.#setMining();
    return async () => {
      this.#pauses -= 1;
      await this.#setMining();
    };
  }

  /** Makes blocks without a wait until there are as many. */
  async mineTo(height: number): Promise<void> {
    // `hardhat_mine` makes blocks that do not name the one before: they are only there when somebody looks at them.
    const count = height - (await this.height());
    for (let mined = 0; mined < count; mined += 1)
      await this.request("evm_mine");
  }

  /** Replaces the next blocks, as many as asked for, once they are there; their transactions are gone. */
  async reorganise(depth: number, deadlineMs: number): Promise<Reorganisation> {
    const snapshot = await this.request("evm_snapshot");
    const ancestor = await this.height();
    await until(
      { what: `${depth} blocks to replace`, deadlineMs },
      async () => (await this.height()) >= ancestor + depth || undefined,
    );
    const resume = await this.pauseMining();
    try {
      const from = await this.height();
      const reorganisation = { ancestor, from, atMs: Date.now() };
      if ((await this.request("evm_revert", snapshot)) !== true)
        throw new Error("The chain does not go back.");
      this.reorganisations.push(reorganisation);
      // Without this, a block without transactions would be the same again, to the last bit.
      const random = BigInt(from).toString(16).padStart(64, "0");
      await this.request("hardhat_setPrevRandao", `0x${random}`);
      // One more than before: a chain that is not longer convinces nobody.
      for (let block = ancestor; block <= from; block += 1)
        await this.request("evm_mine");
      return reorganisation;
    } finally {
      await resume();
    }
  }

  async stop(): Promise<void> {
    for (const proxy of this.#proxies.values()) await proxy.stop();
    await this.#child.kill();
  }

  #proxyOf(name: string): Proxy {
    const proxy = this.#proxies.get(name);
    if (proxy === undefined) throw new Error(`There is no node ${name}.`);
    return proxy;
  }

  async #setMining(): Promise<void> {
    const { blockMs } = this.#options;
    await this.request("evm_setIntervalMining", this.#pauses > 0 ? 0 : blockMs);
  }
}
