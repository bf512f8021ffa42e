import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { IntentId } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import { balanceAt, createTestCluster, names } from "../helpers/cluster.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

const GROUPS = 3;
const ROUNDS = 4;

describe("Nodes that keep no group in memory that has nothing to do", function () {
  this.timeout(120_000);
  let client: ChainClient;
  let cluster: Cluster;
  let dataDir: string;

  beforeEach(async () => {
    const { provider } = await hre.network.create();
    client = openChainClient(provider);
    dataDir = mkdtempSync(join(tmpdir(), "aside-"));
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      ...(await openTestLedger(client)),
      dataDir,
      restingMax: 0,
      // So that they come to rest soon.
      settings: { heartbeatMs: 100, tickMs: 20 },
    });
    cluster.start();
  });

  afterEach(async () => {
    await cluster.stop();
    await client.close();
    rmSync(dataDir, { recursive: true });
  });

  async function createGroups(): Promise<readonly NodeGroup[]> {
    return await Promise.all(
      Array.from(
        { length: GROUPS },
        async () =>
          await cluster.createGroup({ domain: "group-token", threshold: 3 }),
      ),
    );
  }

  /** Resolves when all groups of all nodes are only on the disk. */
  async function allAside(): Promise<void> {
    await until(() =>
      cluster.members.every(({ node }) => {
        const { groups, groupsAside } = node.status();
        return groups.length === 0 && groupsAside === GROUPS;
      }),
    );
  }

  async function mint(name: string, group: NodeGroup): Promise<IntentId> {
    return await cluster.member(name).send({
      group: group.address,
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "1" },
    });
  }

  async function expectPots(
    groups: readonly NodeGroup[],
    amount: number,
  ): Promise<void> {
    for (const group of groups)
      for (const name of names)
        expect(await balanceAt(cluster, name, group, "pot")).to.equal(amount);
  }

  it("take them up again, as often as there is something to do", async () => {
    const groups = await createGroups();
    for (let round = 0; round < ROUNDS; round++) {
      await allAside();
      // Whoever begins, the others hear of it while it is not in their memory.
      const name = names[round % names.length] ?? "alice";
      const types = await Promise.all(
        groups.map(async (group) => {
          const id = await mint(name, group);
          const { type } = await cluster
            .member(name)
            .receipt(group.address, id);
          return type;
        }),
      );
      expect(types).to.deep.equal(groups.map(() => "Confirmed"));
    }
    await allAside();
    await expectPots(groups, ROUNDS);
    const listed = cluster.member("bob").node.groups();
    expect(listed.map(({ address }) => address)).to.have.members(
      groups.map(({ address }) => address),
    );
  });

  it("take up what a block brought that never happened", async () => {
    const groups = await createGroups();
    await allAside();
    const snapshot = await client.request("evm_snapshot", []);
    const [group] = groups;
    if (group === undefined) throw new Error("There is no group.");
    const carol = cluster.member("carol");
    const id = await mint("carol", group);
    expect(await carol.receipt(group.address, id)).to.include({
      type: "Confirmed",
    });
    await allAside();
    await client.request("evm_revert", [snapshot]);
    // Another chain that is longer: what is open goes on by itself.
    for (let i = 0; i < 10; i++) await client.request("evm_mine", []);
    await until(
      async () => (await balanceAt(cluster, "dave", group, "pot")) === 1,
    );
    await allAside();
    await expectPots([group], 1);
    expect(await carol.receipt(group.address, id)).to.include({
      type: "Confirmed",
    });
  });

  it("know them after a restart", async () => {
    const groups = await createGroups();
    await allAside();
    const bob = cluster.member("bob");
    await bob.crash();
    bob.start();
    await allAside();
    const [group] = groups;
    if (group === undefined) throw new Error("There is no group.");
    const id = await mint("bob", group);
    expect(await bob.receipt(group.address, id)).to.include({
      type: "Confirmed",
    });
  });
});

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue()))
    await new Promise((resolve) => setTimeout(resolve, 10));
}
