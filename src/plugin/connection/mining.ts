import type { EdrNetworkMiningConfig } from "hardhat/types/config";

/** Asks a chain. */
export type Ask = (method: string, ...params: unknown[]) => Promise<unknown>;

/**
 * When a simulated chain makes blocks. It does so for every transaction, and a cluster needs blocks also when there are
 * none: ranges are counted in blocks, and so is the time in which a bundle is valid.
 */
export class Mining {
  readonly #ask: Ask;
  /** As configured: what is left behind in the end. */
  readonly #configured: EdrNetworkMiningConfig;
  readonly #blockMs: number;
  #isAutomatic = true;
  #isPaused = false;

  constructor(
    options: {
      readonly configured: EdrNetworkMiningConfig;
      readonly blockMs: number;
    },
    ports: { readonly ask: Ask },
  ) {
    this.#configured = options.configured;
    this.#blockMs = options.blockMs;
    this.#ask = ports.ask;
  }

  async start(): Promise<void> {
    await this.#ask("evm_setIntervalMining", this.#interval());
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  async pause(): Promise<void> {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#isAutomatic = (await this.#ask("hardhat_getAutomine")) === true;
    await this.#ask("evm_setAutomine", false);
    await this.#ask("evm_setIntervalMining", 0);
  }

  /** Mines what waits, and goes on as before. */
  async resume(): Promise<void> {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    await this.#ask("evm_setAutomine", this.#isAutomatic);
    await this.#ask("evm_setIntervalMining", this.#interval());
    await this.#ask("evm_mine");
  }

  /** As if there had been no cluster. */
  async restore(): Promise<void> {
    if (this.#isPaused) await this.#ask("evm_setAutomine", this.#isAutomatic);
    this.#isPaused = false;
    await this.#ask("evm_setIntervalMining", this.#configured.interval);
  }

  /** Runs something while no block is made but by itself. */
  async whilePaused<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#isPaused) return await run();
    await this.pause();
    try {
      return await run();
    } finally {
      await this.resume();
    }
  }

  #interval(): number | [number, number] {
    const { interval } = this.#configured;
    return interval === 0 && this.#blockMs > 0 ? this.#blockMs : interval;
  }
}
