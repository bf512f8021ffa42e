import { randomBytes } from "node:crypto";

import type { ChainClient } from "../../chain/ports.ts";
import { SequencerError } from "../errors.ts";
import type { Ask } from "./mining.ts";
import type { Reorganisation } from "./types.ts";

/** More than any test takes back. */
const SNAPSHOTS_MAX = 4_096;

/** A snapshot of the chain. */
export interface Snapshot {
  readonly id: string;
  /** The chain was at most this high. */
  readonly height: number;
}

/** Remembers how a simulated chain was after each block, so that it can be taken back. */
export class History {
  readonly #ask: Ask;
  #snapshots: Snapshot[] = [];
  #client: ChainClient | undefined;
  /** Snapshots are taken one after the other; blocks that come meanwhile share the next. */
  #taking = Promise.resolve();
  #isWanted = false;
  #isBusy = true;

  constructor(ports: { readonly ask: Ask }) {
    this.#ask = ports.ask;
  }

  /** The client is closed in the end. */
  async start(client: ChainClient): Promise<void> {
    await this.#take();
    this.#isBusy = false;
    this.#client = client;
    client.onHead(() => {
      this.#want();
    });
  }

  async stop(): Promise<void> {
    this.#isBusy = true;
    await this.#client?.close();
    await this.#taking;
  }

  /** From now on, the chain cannot be taken back behind where it is. */
  async forget(): Promise<void> {
    await this.#alone(async () => {
      this.#snapshots = [];
      await this.#take();
    });
  }

  /** Replaces all blocks above a height, given the head, or more. Nobody else may mine meanwhile. */
  async replace(above: (head: number) => number): Promise<Reorganisation> {
    return await this.#alone(async () => {
      const from = await this.#height();
      const oldest = this.#snapshots[0]?.height ?? from;
      const height = above(from);
      if (height >= from)
        throw new SequencerError("REORGANISATION_TOO_HIGH", {
          block: height + 1,
          head: from,
        });
      if (!(await this.#goBack(height)))
        throw new SequencerError("REORGANISATION_TOO_DEEP", {
          depth: from - height,
          max: from - oldest,
        });
      const ancestor = await this.#height();
      // Without this, a block without transactions would be the same again, to the last bit.
      const random = `0x${randomBytes(32).toString("hex")}`;
      await this.#ask("hardhat_setPrevRandao", random);
      for (let block = ancestor; block <= from; block += 1)
        await this.#ask("evm_mine");
      await this.#take();
      return { ancestor, from, to: await this.#height() };
    });
  }

  /** From now on, the chain can be taken back to where it is. */
  async add(): Promise<void> {
    await this.#alone(async () => {
      await this.#take();
    });
  }

  /** What can be gone back to now, for {@link restore}. */
  remembered(): readonly Snapshot[] {
    return [...this.#snapshots];
  }

  /** Lets somebody else take the chain back to a moment, with what was remembered then. False if that failed. */
  async restore(
    remembered: readonly Snapshot[],
    goBack: () => Promise<boolean>,
  ): Promise<boolean> {
    return await this.#alone(async () => {
      const isBack = await goBack();
      if (isBack) {
        this.#snapshots = [...remembered];
        await this.#take();
      }
      return isBack;
    });
  }

  /** A snapshot that is taken while the chain goes back would have the wrong height. */
  async #alone<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#isBusy = true;
    try {
      await this.#taking;
      return await run();
    } finally {
      this.#isBusy = false;
    }
  }

  async #goBack(height: number): Promise<boolean> {
    for (;;) {
      const at = this.#snapshots.findLastIndex(
        (snapshot) => snapshot.height <= height,
      );
      const snapshot = this.#snapshots[at];
      if (snapshot === undefined) return false;
      this.#snapshots = this.#snapshots.slice(0, at);
      // Somebody who went back himself has used up all later ones.
      const isBack = (await this.#ask("evm_revert", snapshot.id)) === true;
      if (!isBack) continue;
      await this.#take();
      return true;
    }
  }

  #want(): void {
    if (this.#isWanted || this.#isBusy) return;
    this.#isWanted = true;
    this.#taking = this.#taking.then(async () => {
      this.#isWanted = false;
      // A chain that is being closed has no past to remember.
      if (!this.#isBusy) await this.#take().catch(() => undefined);
    });
  }

  async #take(): Promise<void> {
    const id = String(await this.#ask("evm_snapshot"));
    this.#snapshots.push({ id, height: await this.#height() });
    if (this.#snapshots.length > SNAPSHOTS_MAX) this.#snapshots.shift();
  }

  async #height(): Promise<number> {
    return Number(await this.#ask("eth_blockNumber"));
  }
}
