import { computeAddress } from "ethers";

import { groupToken } from "../../../src/domains/group-token.ts";
import { keyOf, names } from "../cluster.ts";
import { type Random, randomFrom } from "../random.ts";
import { RpcFailure } from "../rpc/client.ts";
import { Listening } from "../rpc/listening.ts";
import { aTill } from "../till.ts";
import { type FarmNodes, openFarmNodes } from "./farm-nodes.ts";
import { receiptOf } from "./truth.ts";

/** A transaction that a user sent. */
export interface Sent {
  readonly node: string;
  readonly id: string;
  readonly kind: "mint" | "add" | "take";
}

const LISTENER = "everything";
const BLOCK_MS = 60;
/** Deeper reorganisations are no ordinary ones, and take long to be believed. */
const DEPTH_MAX = 100;
const ALREADY_USED = -32001;

/** Users of nodes behind farms send private and public transactions, listen to all receipts, and suffer accidents. */
export class FarmScene {
  readonly parts: FarmNodes;
  readonly sent: Sent[] = [];
  /** Reorganisations: the last block that stayed, and whether every node must have noticed. */
  readonly forks: { readonly height: number; readonly isSeen: boolean }[] = [];
  readonly listenings = new Map<string, Listening>();
  readonly #random: Random;
  #keys = 0;

  private constructor(parts: FarmNodes, random: Random) {
    this.parts = parts;
    this.#random = random;
  }

  static async open(seed: number): Promise<FarmScene> {
    const random = randomFrom(seed);
    const scene = new FarmScene(await openFarmNodes(seed), random);
    const { nodes } = scene.parts;
    for (const name of names) {
      await nodes.ask(name, "ptx_createReceiptListener", { name: LISTENER });
      const listening = new Listening({ mustCut: () => random.chance(0.2) });
      listening.start(nodes.urlsOf(name).webSocketUrl, LISTENER);
      scene.listenings.set(name, listening);
    }
    return scene;
  }

  /** Whether the farms are late and faulty. */
  disturb(isOn: boolean): void {
    for (const farm of this.parts.farms) {
      farm.hasFaults = isOn;
      farm.isLate = isOn;
      farm.elsewhere = undefined;
      farm.isHanging = false;
    }
  }

  async height(): Promise<number> {
    return Number(await this.parts.nodes.client.request("eth_blockNumber", []));
  }

  /** Makes blocks now and then, until something holds. */
  async until(
    holds: () => Promise<boolean> | boolean,
    { blocks = 1 } = {},
  ): Promise<void> {
    while (!(await holds())) {
      for (let block = 0; block < blocks; block++)
        await this.parts.nodes.client.request("evm_mine", []);
      await new Promise((resolve) => setTimeout(resolve, BLOCK_MS));
    }
  }

  /** Something from a user of every node, and something that goes wrong meanwhile. */
  async round(): Promise<void> {
    const isEarly = this.#random.chance(0.3);
    const snapshot = await this.parts.nodes.client.request("evm_snapshot", []);
    const height = await this.height();
    const sent = (await Promise.all(names.map(this.#sendFrom))).flat();
    this.sent.push(...sent);
    await this.#accident(5 + this.#random.below(10));
    if (!isEarly) await this.until(async () => await this.#haveEnded(sent));
    const isShallow = (await this.height()) - height < DEPTH_MAX;
    if (!this.#random.chance(0.5) || !isShallow) return;
    await this.#reorganise(snapshot, height);
    this.forks.push({ height, isSeen: !isEarly });
  }

  async close(): Promise<void> {
    await Promise.all([...this.listenings.values()].map((one) => one.stop()));
    await this.parts.nodes.stop();
    await this.parts.stranger.close();
  }

  /** Lets one thing go wrong, for as long as it takes to make some blocks. */
  async #accident(blocks: number): Promise<void> {
    const farms = this.parts.farms.filter(() => this.#random.chance(0.4));
    const kind = this.#random.below(5);
    if (kind === 0) {
      const node = this.#random.pick(names);
      await this.parts.nodes.crash(node);
      await this.parts.nodes.restart(node);
      this.disturb(true);
      const { webSocketUrl } = this.parts.nodes.urlsOf(node);
      await this.listenings.get(node)?.stop();
      this.listenings.get(node)?.start(webSocketUrl, LISTENER);
    }
    for (const farm of farms) {
      if (kind === 1) farm.elsewhere = this.parts.stranger;
      if (kind === 2) farm.isHanging = true;
    }
    const height = await this.height();
    await this.until(async () => (await this.height()) >= height + blocks);
    for (const farm of farms) {
      farm.elsewhere = undefined;
      farm.isHanging = false;
    }
  }

  /** Another branch, one block higher. */
  async #reorganise(snapshot: unknown, fork: number): Promise<void> {
    const { client } = this.parts.nodes;
    const height = await this.height();
    await client.request("evm_revert", [snapshot]);
    await client.request("hardhat_setPrevRandao", [this.#random.bytes32()]);
    for (let block = fork; block <= height; block++)
      await client.request("evm_mine", []);
  }

  readonly #sendFrom = async (node: string): Promise<readonly Sent[]> => {
    const { abi } = aTill();
    const isTake = this.#random.chance(0.15);
    const payer = `eth_address:${computeAddress(keyOf(node)).toLowerCase()}`;
    const from = this.#random.pick(["ann", "ben", payer]);
    const gas = isTake || this.#random.chance(0.5) ? { gas: 300_000 } : {};
    const mint = {
      type: "private",
      from: "ann",
      to: this.parts.group.address,
      abi: groupToken.abi,
      function: "mint",
      data: ["pot", 1],
    };
    const change = {
      type: "public",
      from,
      to: this.parts.till,
      abi,
      function: isTake ? "take" : "add",
      data: isTake ? [1_000_000] : [1, ""],
      ...gas,
    };
    return [
      { node, kind: "mint", id: await this.#send(node, mint) },
      {
        node,
        kind: isTake ? "take" : "add",
        id: await this.#send(node, change),
      },
    ];
  };

  /** Again and again, as users do who have an idempotency key. */
  async #send(node: string, input: object): Promise<string> {
    const idempotencyKey = `key-${this.#keys++}`;
    for (;;)
      try {
        return await this.parts.nodes.ask<string>(node, "ptx_sendTransaction", {
          ...input,
          idempotencyKey,
        });
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        if (error.code === ALREADY_USED)
          throw new Error("A refused transaction was taken.", { cause: error });
      }
  }

  async #haveEnded(sent: readonly Sent[]): Promise<boolean> {
    for (const { node, id } of sent)
      if ((await receiptOf(this.parts, { node, id })) === null) return false;
    return true;
  }
}
