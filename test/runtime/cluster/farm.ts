import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { Cluster } from "../../../src/runtime/cluster/cluster.ts";
import { openChainClient } from "../../../src/runtime/ledger/client/open.ts";
import type { ChainClient } from "../../../src/runtime/ports.ts";
import type { NodeGroup } from "../../../src/runtime/service.ts";
import { ChainFarm } from "../../helpers/chain-farm/farm.ts";
import { ChainRecord } from "../../helpers/chain-farm/record.ts";
import { balanceAt, createTestCluster, names } from "../../helpers/cluster.ts";
import { noUsers } from "../../helpers/no-users.ts";
import { type Random, randomFrom } from "../../helpers/random.ts";
import { openTestLedger } from "../../helpers/runtime-ledger.ts";

/** More of them: FARM_SEEDS=500 npx mocha test/runtime/cluster/farm.ts */
const SEEDS = Number(process.env["FARM_SEEDS"] ?? 3);
const FIRST_SEED = Number(process.env["FARM_FIRST_SEED"] ?? 1);
const ROUNDS = 3;

/** What the users of one node were told, as a listener would hear it. */
class Heard {
  readonly settled = new Map<string, string>();
  readonly wrong: string[] = [];
  readonly reverts: number[] = [];

  readonly users = {
    ...noUsers,
    settle: ({
      intentId,
      outcome,
    }: Parameters<typeof noUsers.settle>[0]): void => {
      if (this.settled.has(intentId)) this.wrong.push(`twice: ${intentId}`);
      this.settled.set(intentId, outcome.type);
    },
    unsettle: ({ intentIds }: Parameters<typeof noUsers.unsettle>[0]): void => {
      for (const id of intentIds) this.settled.delete(id);
    },
  };
}

/** Four nodes, each behind a farm of its own, in front of one chain. */
class Scene {
  readonly heard = new Map<string, Heard>(
    names.map((name) => [name, new Heard()]),
  );
  readonly farms: ChainFarm[] = [];
  readonly forks: number[] = [];
  readonly client: ChainClient;
  readonly #random: Random;
  readonly #dataDir = mkdtempSync(join(tmpdir(), "farm-"));
  #cluster: Cluster | undefined;

  constructor(client: ChainClient, seed: number) {
    this.client = client;
    this.#random = randomFrom(seed);
  }

  static async open(seed: number): Promise<Scene> {
    const { provider } = await hre.network.create();
    const scene = new Scene(openChainClient(provider), seed);
    const { chainId, factory } = await openTestLedger(scene.client);
    const record = new ChainRecord(scene.client);
    scene.#cluster = createTestCluster({
      chainId,
      factory,
      dataDir: scene.#dataDir,
      settings: { pollMs: 5 },
      openClient: () => {
        const farm = new ChainFarm(
          {
            backends: 3,
            lagMax: 3,
            faults: {
              hideLogs: 0.2,
              loseReceipts: 0.1,
              loseBlocks: 0.03,
              rateLimit: 0.02,
              hang: 0.01,
            },
          },
          { record, random: randomFrom(seed * 10 + scene.farms.length) },
        );
        scene.farms.push(farm);
        return farm;
      },
      createUsers: (name) => scene.heardBy(name).users,
      onFact: (name, fact) => {
        if (fact.type === "BlocksReverted")
          scene.heardBy(name).reverts.push(fact.height);
      },
    });
    scene.disturb(false);
    scene.cluster.start();
    return scene;
  }

  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error("There is no cluster.");
    return this.#cluster;
  }

  heardBy(name: string): Heard {
    const heard = this.heard.get(name);
    if (heard === undefined) throw new Error(`There is no ${name}.`);
    return heard;
  }

  /** Whether the farms are late and faulty. */
  disturb(isOn: boolean): void {
    for (const farm of this.farms) {
      farm.hasFaults = isOn;
      farm.isLate = isOn;
    }
  }

  async height(): Promise<number> {
    return Number(await this.client.request("eth_blockNumber", []));
  }

  /** Sends from all nodes; the chain may take back what became of it, once all receipts are there. */
  async round(group: NodeGroup): Promise<number> {
    const isTakenBack = this.#random.chance(0.5);
    await this.#automine(false);
    const snapshot = await this.client.request("evm_snapshot", []);
    const fork = await this.height();
    await this.#automine(true);
    const { address } = group;
    const receipts = names.map(async (name) => {
      const member = this.cluster.member(name);
      const id = await member.send({
        group: address,
        function: "mint(string,uint256)",
        args: { to: "pot", amount: "1" },
      });
      return (await member.receipt(address, id)).type;
    });
    expect(new Set(await Promise.all(receipts))).to.deep.equal(
      new Set(["Confirmed"]),
    );
    if (isTakenBack) await this.#reorganise(snapshot, fork);
    return receipts.length;
  }

  /** Another branch, one block higher. */
  async #reorganise(snapshot: unknown, fork: number): Promise<void> {
    await this.#automine(false);
    const height = await this.height();
    await this.client.request("evm_revert", [snapshot]);
    await this.client.request("hardhat_setPrevRandao", [
      this.#random.bytes32(),
    ]);
    for (let block = fork; block <= height; block++)
      await this.client.request("evm_mine", []);
    this.forks.push(fork);
    await this.#automine(true);
  }

  /** While it is off, nodes make no blocks by what they send. */
  async #automine(isOn: boolean): Promise<void> {
    await this.client.request("evm_setAutomine", [isOn]);
    // Sent meanwhile, and nobody else would mine it.
    if (isOn) await this.client.request("evm_mine", []);
  }

  /** Resolves when all nodes have seen all of the chain, and it holds what they sent. */
  async settle(group: NodeGroup, minted: number): Promise<void> {
    for (;;) {
      await this.client.request("evm_mine", []);
      const height = await this.height();
      const isDone = await Promise.all(
        names.map(async (name) => {
          const { node } = this.cluster.member(name);
          while (node.height() < height)
            await new Promise((resolve) => setTimeout(resolve, 2));
          const balance = await balanceAt(this.cluster, name, group, "pot");
          return (
            balance === minted &&
            this.heardBy(name).settled.size === minted / names.length
          );
        }),
      );
      if (isDone.every(Boolean)) return;
    }
  }

  async close(): Promise<void> {
    await this.cluster.stop();
    rmSync(this.#dataDir, { recursive: true });
  }
}

describe("A cluster behind farms of backends", function () {
  this.timeout(60_000);

  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
    it(`tells the truth in the end, and nothing twice (seed ${seed})`, async () => {
      const scene = await Scene.open(seed);
      try {
        // A group is not created through late backends: that is refused, and up to the user to try again.
        const group = await scene.cluster.createGroup({
          domain: "group-token",
          threshold: 3,
        });
        scene.disturb(true);
        let minted = 0;
        for (let round = 0; round < ROUNDS; round++)
          minted += await scene.round(group);
        scene.disturb(false);
        await scene.settle(group, minted);
        for (const { settled, wrong, reverts } of scene.heard.values()) {
          expect(wrong).to.deep.equal([]);
          expect(new Set(settled.values())).to.deep.equal(
            new Set(["Confirmed"]),
          );
          // A node that was late has nothing to take back; no node takes back anything else.
          expect(scene.forks, `of ${reverts.join()}`).to.include.members(
            reverts,
          );
          expect(new Set(reverts).size, `of ${reverts.join()}`).to.equal(
            reverts.length,
          );
        }
      } finally {
        await scene.close();
      }
    });
});
