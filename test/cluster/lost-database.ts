import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { IntentId } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { GroupStatus, NodeGroup } from "../../src/node/service.ts";
import { Hub } from "../../src/network/in-process.ts";
import { networkIdOf } from "../../src/network/network-id.ts";
import { balanceAt, createTestCluster, names } from "../helpers/cluster.ts";
import { changeCommittee } from "../helpers/committee-change.ts";
import { speakFor } from "../helpers/impersonation.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

const files = ["node.db", "node.db-wal", "node.db-shm"] as const;

describe("A node whose database is lost", function () {
  this.timeout(120_000);
  let client: ChainClient;
  let cluster: Cluster;
  let dataDir: string;
  let chainId: bigint;
  let factory: string;
  let hub: Hub;
  let facts: { readonly name: string; readonly fact: NodeFact }[];

  beforeEach(async () => {
    const { provider } = await hre.network.create();
    client = openChainClient(provider);
    dataDir = mkdtempSync(join(tmpdir(), "lost-"));
    facts = [];
    hub = new Hub();
    const ledger = await openTestLedger(client);
    ({ chainId, factory } = ledger);
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      ...ledger,
      dataDir,
      hub,
      settings: { tickMs: 20, heartbeatMs: 100, requestMs: 60, pollMs: 20 },
      onFact: (name, fact) => {
        facts.push({ name, fact });
      },
    });
    cluster.start();
  });

  afterEach(async () => {
    await cluster.stop();
    await client.close();
    rmSync(dataDir, { recursive: true });
  });

  /** The keys stay. */
  async function lose(name: string): Promise<void> {
    await cluster.member(name).crash();
    for (const file of files)
      rmSync(join(dataDir, name, file), { force: true });
  }

  /** Copies the database of a node that is down. */
  function copy(name: string, direction: "save" | "restore"): void {
    for (const file of files) {
      const own = join(dataDir, name, file);
      const saved = `${own}.saved`;
      const [from, to] = direction === "save" ? [own, saved] : [saved, own];
      rmSync(to, { force: true });
      if (existsSync(from)) copyFileSync(from, to);
    }
  }

  async function mint(name: string, group: NodeGroup): Promise<IntentId> {
    return await cluster.member(name).send({
      group: group.address,
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "1" },
    });
  }

  async function mintAt(
    group: NodeGroup,
    at: readonly string[],
  ): Promise<readonly IntentId[]> {
    return await Promise.all(
      at.map(async (name) => {
        const id = await mint(name, group);
        const receipt = await cluster.member(name).receipt(group.address, id);
        expect(receipt.type).to.equal("Confirmed");
        return id;
      }),
    );
  }

  const knows = (name: string, group: NodeGroup): boolean =>
    cluster.member(name).node.group(group.address) !== undefined;

  const statusAt = (name: string, group: NodeGroup): GroupStatus | undefined =>
    cluster
      .member(name)
      .node.status()
      .groups.find(({ address }) => address === group.address);

  const rejoiningAt = (name: string, group: NodeGroup): string | undefined =>
    cluster
      .member(name)
      .node.status()
      .rejoining.find((one) => one.group === group.address)?.why;

  async function untilInPot(
    group: NodeGroup,
    amount: number,
    at: readonly string[] = names,
  ): Promise<void> {
    for (const name of at)
      await until(
        async () => (await balanceAt(cluster, name, group, "pot")) === amount,
      );
  }

  /** Everybody must sign. */
  const createGroup = async (
    members: readonly string[] = names,
  ): Promise<NodeGroup> =>
    await cluster.createGroup({
      domain: "group-token",
      members,
      threshold: members.length,
    });

  it("rejoins all its groups by itself, and endorses and sends as before", async () => {
    const groups = [await createGroup(), await createGroup()];
    // Peers have heard it in several starts.
    for (const name of names) {
      await cluster.member("dave").crash();
      cluster.member("dave").start();
      for (const group of groups) await mintAt(group, ["dave", name]);
    }
    await lose("dave");
    cluster.member("dave").start();
    for (const group of groups) {
      await until(() => knows("dave", group));
      await mintAt(group, names);
      await untilInPot(group, 12);
    }
    await until(
      () => cluster.member("dave").node.status().rejoining.length === 0,
    );
  });

  it("rejoins a group that it was added to", async () => {
    const old = ["alice", "bob", "carol"];
    const group = await createGroup(old);
    await mintAt(group, old);
    await changeCommittee(client, {
      chainId,
      group: group.address,
      epoch: 0n,
      from: old,
      to: names,
      threshold: 4,
    });
    await until(() => statusAt("dave", group)?.epoch === "1");
    await mintAt(group, names);
    await lose("dave");
    cluster.member("dave").start();
    await until(() => knows("dave", group));
    await until(() => statusAt("dave", group)?.epoch === "1");
    await mintAt(group, names);
    await untilInPot(group, 11);
  });

  it("rejoins although it does not endorse, and sees again what it may see", async () => {
    const group = await cluster.createGroup({
      domain: "owned-coins",
      threshold: 2,
      configuration: { witnesses: "alice,bob", issuers: "mint@alice" },
    });
    const send = async (
      from: string,
      call: string,
      to: string,
    ): Promise<void> => {
      const [account = "", name = ""] = from.split("@");
      const member = cluster.member(name);
      const id = await member.send({
        group: group.address,
        function: `${call}(string,uint256)`,
        args: { to, amount: "5" },
        from: account,
      });
      const receipt = await member.receipt(group.address, id);
      expect(receipt.type).to.equal("Confirmed");
    };
    await send("mint@alice", "issue", "till@carol");
    await send("mint@alice", "issue", "till@dave");
    await lose("carol");
    cluster.member("carol").start();
    await until(() => knows("carol", group));
    await until(
      () => cluster.member("carol").node.states(group.address).length > 0,
    );
    const labels = (): readonly string[] =>
      cluster
        .member("carol")
        .node.states(group.address)
        .map(({ label }) => label);
    await until(() => statusAt("carol", group)?.missingStates === 0);
    expect(labels()).to.deep.equal(["till@carol"]);
    await send("till@carol", "pay", "till@dave");
    expect(labels()).not.to.include("till@carol");
  });

  it("says which group it is rejoining and whom it waits for, until somebody answers", async () => {
    const group = await createGroup();
    await mintAt(group, names);
    const others = ["alice", "bob", "carol"];
    for (const name of others) await cluster.member(name).crash();
    await lose("dave");
    cluster.member("dave").start();
    await until(() => rejoiningAt("dave", group) !== undefined);
    expect(rejoiningAt("dave", group)).to.match(
      /since block \d+, .* It waits for an answer of alice, bob, carol\.$/,
    );
    await until(() =>
      facts.some(
        ({ name, fact }) =>
          name === "dave" &&
          fact.type === "GroupMissing" &&
          fact.group === group.address,
      ),
    );
    for (const name of others) cluster.member(name).start();
    await until(() => knows("dave", group));
    await mintAt(group, names);
    expect(rejoiningAt("dave", group)).to.equal(undefined);
  });

  it("uses no intent id again, and no number of a transaction that is on its way", async () => {
    const group = await createGroup();
    const before = await mintAt(
      group,
      Array.from({ length: 5 }, () => "dave"),
    );
    await client.request("evm_setAutomine", [false]);
    const open = await mint("dave", group);
    await until(async () => (await pending(client)) > 0);
    await lose("dave");
    cluster.member("dave").start();
    await client.request("evm_setAutomine", [true]);
    await client.request("evm_mine", []);
    await until(() => knows("dave", group));
    const after = await mintAt(
      group,
      Array.from({ length: 5 }, () => "dave"),
    );
    expect(new Set([...before, open, ...after]).size).to.equal(11);
    // The one that it has forgotten happens at most once, and here it does.
    await untilInPot(group, 11);
  });

  it("joins on the word of the ledger alone, whatever one member says about the group", async () => {
    const group = await createGroup();
    await mintAt(group, names);
    const offered = {
      id: group.id,
      address: group.address,
      name: group.name,
      domain: "group-token",
      members: group.members,
      threshold: 4,
      policy: "sticky",
      configuration: group.configuration,
      createdBlock: 1,
    } as const;
    await cluster.member("alice").crash();
    await lose("dave");
    for (const name of ["bob", "carol"]) await cluster.member(name).crash();
    cluster.member("dave").start();
    await until(() => rejoiningAt("dave", group) !== undefined);
    const block = Number(
      /since block (\d+)/.exec(rejoiningAt("dave", group) ?? "")?.[1],
    );
    const network = networkIdOf({ chainId, factory });
    const liar = speakFor("alice", { hub, network, dataDir, names });
    const lies = [
      { ...offered, createdBlock: block, threshold: 1 },
      { ...offered, createdBlock: block, domain: "private-contracts" },
      { ...offered, createdBlock: block, members: offered.members.slice(1) },
      { ...offered, createdBlock: block + 1 },
      { ...offered, createdBlock: block, configuration: { a: "b" } },
    ];
    const refused = (): number =>
      facts.filter(({ fact }) => fact.type === "GroupRefused").length;
    // More groups than there are, in a circle, and more than fits.
    for (const groups of [
      [group.address],
      Array.from({ length: 1_000 }, () => group.address),
    ])
      for (const next of [group.address, undefined])
        liar.say("dave", { type: "groups-told", groups, next });
    for (const [index, offer] of lies.entries()) {
      liar.say("dave", { type: "offer", offer });
      await until(() => refused() > index);
    }
    expect(knows("dave", group)).to.equal(false);
    expect(rejoiningAt("dave", group)).to.contain(
      "refused the description by alice",
    );
    // It goes on lying while the others are asked.
    const lying = setInterval(() => {
      for (const offer of lies) liar.say("dave", { type: "offer", offer });
    }, 1);
    for (const name of ["bob", "carol"]) cluster.member(name).start();
    await until(() => knows("dave", group));
    clearInterval(lying);
    await liar.stop();
    await until(() => statusAt("dave", group)?.missingStates === 0);
    await untilInPot(group, 4, ["bob", "carol", "dave"]);
    expect(statusAt("dave", group)).to.include({ threshold: 4 });
  });

  it("goes on together with all others when everybody is set back to an older copy", async () => {
    const group = await createGroup();
    await mintAt(group, names);
    await untilInPot(group, 4);
    for (const name of names) {
      await cluster.member(name).crash();
      copy(name, "save");
      cluster.member(name).start();
      // The copies are of different times.
      await mintAt(group, names);
    }
    await untilInPot(group, 20);
    const later = await createGroup();
    for (const name of names) await cluster.member(name).crash();
    for (const name of names) {
      copy(name, "restore");
      cluster.member(name).start();
    }
    // Nobody has that group any more, and everything else goes on.
    await until(() =>
      names.every((name) => rejoiningAt(name, later) !== undefined),
    );
    await mintAt(group, names);
    // The copies have 16 coins between them. The content of 4 is lost for good, and delays only what would use it.
    await untilInPot(group, 20);
    for (const name of names)
      expect(statusAt(name, group)?.missingStates).to.equal(4);
    const payer = cluster.member("bob");
    const paid = await payer.send({
      group: group.address,
      function: "transfer(string,string,uint256)",
      args: { from: "pot", to: "shop", amount: "5" },
    });
    const { type } = await payer.receipt(group.address, paid);
    expect(type).to.equal("Confirmed");
    await until(
      () =>
        rejoiningAt("alice", later)?.includes(
          "none of them describes it: bob, carol, dave",
        ) === true,
    );
  });
});

async function pending(client: ChainClient): Promise<number> {
  const block = (await client.request("eth_getBlockByNumber", [
    "pending",
    false,
  ])) as { readonly transactions: readonly string[] };
  return block.transactions.length;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue()))
    await new Promise((resolve) => setTimeout(resolve, 10));
}
