import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { IntentId } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import {
  type GroupStatus,
  type NodeGroup,
  NodeRefusal,
} from "../../src/node/service.ts";
import { balanceAt, createTestCluster, names } from "../helpers/cluster.ts";
import { changeCommittee, type Signer } from "../helpers/committee-change.ts";
import { CoinCluster } from "../helpers/coin-cluster.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

describe("Nodes whose group gets another committee", function () {
  this.timeout(120_000);
  let client: ChainClient;
  let cluster: Cluster;
  let dataDir: string;
  let chainId: bigint;
  let facts: { readonly name: string; readonly fact: NodeFact }[];

  beforeEach(async () => {
    const { provider } = await hre.network.create();
    client = openChainClient(provider);
    dataDir = mkdtempSync(join(tmpdir(), "committee-"));
    facts = [];
    const ledger = await openTestLedger(client);
    ({ chainId } = ledger);
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      ...ledger,
      dataDir,
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

  async function change(
    { address: group }: NodeGroup,
    parts: {
      readonly from: readonly Signer[];
      readonly to: readonly Signer[];
      readonly threshold: number;
      readonly epoch?: bigint;
    },
  ): Promise<void> {
    await changeCommittee(client, { epoch: 0n, ...parts, chainId, group });
  }

  async function mint(name: string, group: NodeGroup): Promise<IntentId> {
    return await cluster.member(name).send({
      group: group.address,
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "1" },
    });
  }

  /** Mints at all of these at once, and gives how it ended. */
  async function mintAt(
    group: NodeGroup,
    at: readonly string[],
  ): Promise<readonly string[]> {
    return await Promise.all(
      at.map(async (name) => {
        const id = await mint(name, group);
        const receipt = await cluster.member(name).receipt(group.address, id);
        return receipt.type;
      }),
    );
  }

  function statusAt(name: string, group: NodeGroup): GroupStatus | undefined {
    const { groups } = cluster.member(name).node.status();
    return groups.find(({ address }) => address === group.address);
  }

  async function untilEpoch(
    group: NodeGroup,
    epoch: string,
    at: readonly string[],
  ): Promise<void> {
    await until(() =>
      at.every((name) => statusAt(name, group)?.epoch === epoch),
    );
  }

  /** Nodes see the last block one after the other. */
  async function untilInPot(
    group: NodeGroup,
    amount: number,
    at: readonly string[],
  ): Promise<void> {
    for (const name of at)
      await until(
        async () => (await balanceAt(cluster, name, group, "pot")) === amount,
      );
  }

  const confirmed = (count: number): readonly string[] =>
    Array.from({ length: count }, () => "Confirmed");

  it("endorse under the new threshold", async () => {
    const group = await cluster.createGroup({
      domain: "group-token",
      threshold: 2,
    });
    expect(await mintAt(group, names)).to.deep.equal(confirmed(4));
    await change(group, { from: names, to: names, threshold: 4 });
    await untilEpoch(group, "1", names);
    expect(await mintAt(group, names)).to.deep.equal(confirmed(4));
    for (const name of names)
      expect(statusAt(name, group)).to.include({
        threshold: 4,
        isMember: true,
        trouble: undefined,
      });
    await untilInPot(group, 8, names);
  });

  it("endorse again what was in flight", async () => {
    const group = await cluster.createGroup({
      domain: "group-token",
      threshold: 3,
    });
    const rounds = Array.from({ length: 5 }, () => names).flat();
    const first = mintAt(group, rounds);
    await change(group, { from: names, to: names, threshold: 2 });
    const second = mintAt(group, rounds);
    await change(group, { from: names, to: names, threshold: 4, epoch: 1n });
    expect(await first).to.deep.equal(confirmed(20));
    expect(await second).to.deep.equal(confirmed(20));
    await untilEpoch(group, "2", names);
    await untilInPot(group, 40, names);
  });

  it("go on when somebody answers again without whom the threshold is not reached", async () => {
    const group = await cluster.createGroup({
      domain: "group-token",
      threshold: 3,
    });
    const dave = cluster.member("dave");
    await dave.crash();
    await change(group, { from: names, to: names, threshold: 4 });
    await untilEpoch(group, "1", ["alice", "bob", "carol"]);
    const minted = mintAt(group, ["alice", "bob", "carol"]);
    dave.start();
    expect(await minted).to.deep.equal(confirmed(3));
    await untilEpoch(group, "1", ["dave"]);
    expect(await mintAt(group, ["dave"])).to.deep.equal(confirmed(1));
  });

  it("stop serving a group that they are no members of any more", async () => {
    const group = await cluster.createGroup({
      domain: "group-token",
      threshold: 3,
    });
    const others = ["alice", "bob", "carol"];
    expect(await mintAt(group, names)).to.deep.equal(confirmed(4));
    // What nobody hears of is open when the committee changes.
    cluster.partition(others);
    const dave = cluster.member("dave");
    const open = await mint("dave", group);
    await change(group, { from: names, to: others, threshold: 2 });
    await untilEpoch(group, "1", names);
    cluster.heal();
    // It may have signed a step of it, which could happen if the change were taken back.
    await client.request("hardhat_mine", ["0x100"]);
    expect(await dave.receipt(group.address, open)).to.deep.equal({
      type: "Reverted",
      id: open,
      reason: "This node is no longer a member of the group",
    });
    expect(await mintAt(group, others)).to.deep.equal(confirmed(3));
    await expectRefusal(mint("dave", group), "no longer a member");
    await expectRefusal(
      balanceAt(cluster, "dave", group, "pot"),
      "not a member",
    );
    expect(statusAt("dave", group)?.isMember).to.equal(false);
    expect(statusAt("dave", group)?.trouble).to.contain("not a member");
    expect(statusAt("alice", group)?.ranking).to.have.members(others);
    const told = facts.filter(({ fact }) => fact.type === "CommitteeChanged");
    expect(told.find(({ name }) => name === "dave")?.fact).to.include({
      isMember: false,
      members: 3,
      threshold: 2,
    });
    await untilInPot(group, 7, others);
  });

  it("join a group that they were added to, and get to know what happened there", async () => {
    const old = ["alice", "bob", "carol"];
    const group = await cluster.createGroup({
      domain: "group-token",
      members: old,
      threshold: 2,
    });
    expect(await mintAt(group, old)).to.deep.equal(confirmed(3));
    await change(group, { from: old, to: names, threshold: 4 });
    const dave = cluster.member("dave");
    await until(() => dave.node.group(group.address) !== undefined);
    await untilEpoch(group, "1", names);
    // It takes the signature of the new member too.
    expect(await mintAt(group, names)).to.deep.equal(confirmed(4));
    await untilInPot(group, 7, ["dave"]);
  });

  it("join a group in which only one of the first members is left", async () => {
    const old = ["alice", "bob", "carol"];
    const group = await cluster.createGroup({
      domain: "group-token",
      members: old,
      threshold: 3,
    });
    expect(await mintAt(group, old)).to.deep.equal(confirmed(3));
    const left = ["carol", "dave"];
    await change(group, { from: old, to: left, threshold: 2 });
    const dave = cluster.member("dave");
    await until(() => dave.node.group(group.address) !== undefined);
    await untilEpoch(group, "1", names);
    expect(await mintAt(group, left)).to.deep.equal(confirmed(2));
    await untilInPot(group, 5, ["dave"]);
    await expectRefusal(mint("alice", group), "no longer a member");
    // Whoever was a member once can become one again.
    await change(group, { from: left, to: names, threshold: 3, epoch: 1n });
    await untilEpoch(group, "2", names);
    expect(await mintAt(group, names)).to.deep.equal(confirmed(4));
    await untilInPot(group, 9, names);
  });

  it("go back to the committee before when a reorganisation takes the change back", async () => {
    const old = ["alice", "bob", "carol"];
    const group = await cluster.createGroup({
      domain: "group-token",
      members: old,
      threshold: 2,
    });
    expect(await mintAt(group, old)).to.deep.equal(confirmed(3));
    const snapshot = await client.request("evm_snapshot", []);
    const next = ["bob", "carol", "dave"];
    await change(group, { from: old, to: next, threshold: 3 });
    await until(
      () => cluster.member("dave").node.group(group.address) !== undefined,
    );
    await untilEpoch(group, "1", names);
    const id = await mint("bob", group);
    const bob = cluster.member("bob");
    expect((await bob.receipt(group.address, id)).type).to.equal("Confirmed");
    await client.request("evm_revert", [snapshot]);
    for (let i = 0; i < 20; i++) await client.request("evm_mine", []);
    await untilEpoch(group, "0", names);
    expect(await mintAt(group, old)).to.deep.equal(confirmed(3));
    await untilInPot(group, 7, ["alice"]);
    await expectRefusal(mint("dave", group), "no longer a member");
    // The same change happens after all.
    await change(group, { from: old, to: next, threshold: 3 });
    await untilEpoch(group, "1", names);
    expect(await mintAt(group, next)).to.deep.equal(confirmed(3));
    await untilInPot(group, 10, ["dave"]);
  });

  it("follow a change that they slept through, and remember it after a restart", async () => {
    const old = ["alice", "bob", "carol"];
    const group = await cluster.createGroup({
      domain: "group-token",
      members: old,
      threshold: 2,
    });
    expect(await mintAt(group, old)).to.deep.equal(confirmed(3));
    cluster.partition(["alice"], ["carol"]);
    const bob = cluster.member("bob");
    const open = await mint("bob", group);
    await bob.crash();
    await change(group, {
      from: old,
      to: ["bob", "carol", "dave"],
      threshold: 3,
    });
    await untilEpoch(group, "1", ["alice", "carol"]);
    // Those who know of the change stop before dave hears of the group.
    for (const name of ["alice", "carol"]) await cluster.member(name).crash();
    cluster.heal();
    for (const name of old) cluster.member(name).start();
    expect((await bob.receipt(group.address, open)).type).to.equal("Confirmed");
    await untilEpoch(group, "1", names);
    for (const name of names) {
      await cluster.member(name).crash();
      cluster.member(name).start();
    }
    expect(await mintAt(group, ["bob", "carol", "dave"])).to.deep.equal(
      confirmed(3),
    );
    await expectRefusal(mint("alice", group), "no longer a member");
    await untilInPot(group, 7, ["dave"]);
  });

  it("say so when they know too few of those who must endorse", async () => {
    const group = await cluster.createGroup({
      domain: "group-token",
      threshold: 3,
    });
    const some = ["alice", "bob", 1, 2] as const;
    await change(group, { from: names, to: some, threshold: 3 });
    await untilEpoch(group, "1", names);
    expect(statusAt("alice", group)?.trouble).to.match(
      /^3 of 4 members must endorse, and this node knows the nodes of 2\./,
    );
    const open = await mint("alice", group);
    // Two of those who are known are enough again.
    await change(group, { from: some, to: some, threshold: 2, epoch: 1n });
    const { type } = await cluster.member("alice").receipt(group.address, open);
    expect(type).to.equal("Confirmed");
    expect(statusAt("alice", group)?.trouble).to.equal(undefined);
  });

  it("see everything once they are notaries, and no more than others when they are not", async () => {
    const configuration = { notaries: "alice,bob" };
    const group = await cluster.createGroup({
      domain: "notarised-token",
      members: ["alice", "bob", "carol"],
      threshold: 2,
      configuration,
    });
    const pay = async (name: string, to: string): Promise<string> => {
      const member = cluster.member(name);
      const id = await member.send({
        group: group.address,
        function: "mint(string,uint256,bytes)",
        args: { to, amount: "5", data: "0x" },
        from: "teller",
      });
      return (await member.receipt(group.address, id)).type;
    };
    expect(await pay("alice", "ann@alice")).to.equal("Confirmed");
    await change(group, {
      from: ["alice", "bob"],
      to: ["bob", "carol"],
      threshold: 2,
    });
    const members = ["alice", "bob", "carol"];
    await untilEpoch(group, "1", members);
    expect(await pay("carol", "cat@carol")).to.equal("Confirmed");
    const known = (name: string): number =>
      cluster.member(name).node.states(group.address).length;
    await until(() => known("carol") === known("bob"));
    expect(statusAt("alice", group)).to.include({ isMember: true });
    expect(statusAt("alice", group)?.endorsers).to.have.members([
      "bob",
      "carol",
    ]);
    await until(() => statusAt("alice", group)?.missingStates === 0);
    expect(known("alice")).to.be.below(known("bob"));
  });
});

describe("Owners whose witnesses change", function () {
  this.timeout(120_000);
  let coins: CoinCluster;

  beforeEach(async () => {
    coins = await CoinCluster.start();
  });

  afterEach(async () => {
    await coins.stop();
  });

  async function send(
    account: string,
    name: string,
    call: "issue" | "pay",
    to: string,
  ): Promise<string> {
    const { address } = coins.group;
    const member = coins.cluster.member(name);
    const id = await member.send({
      group: address,
      function: `${call}(string,uint256)`,
      args: { to, amount: "5" },
      from: account,
    });
    return (await member.receipt(address, id)).type;
  }

  it("are served by the new ones, and the old ones stay owners", async () => {
    const { client, group } = coins;
    expect(await send("mint", "alice", "issue", "ann@alice")).to.equal(
      "Confirmed",
    );
    expect(await send("mint", "alice", "issue", "cat@carol")).to.equal(
      "Confirmed",
    );
    await changeCommittee(client, {
      chainId: BigInt((await client.request("eth_chainId", [])) as string),
      group: group.address,
      epoch: 0n,
      from: ["alice", "bob"],
      to: ["carol", "dave"],
      threshold: 2,
    });
    expect(await send("cat", "carol", "pay", "dan@dave")).to.equal("Confirmed");
    expect(await send("ann", "alice", "pay", "bea@bob")).to.equal("Confirmed");
    expect(await send("mint", "alice", "issue", "dan@dave")).to.equal(
      "Confirmed",
    );
    expect(await send("bea", "bob", "pay", "cat@carol")).to.equal("Confirmed");
  });
});

async function expectRefusal(
  refused: Promise<unknown>,
  words: string,
): Promise<void> {
  const error: unknown = await refused.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(NodeRefusal);
  expect(error).to.have.property("message").that.contains(words);
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue()))
    await new Promise((resolve) => setTimeout(resolve, 10));
}
