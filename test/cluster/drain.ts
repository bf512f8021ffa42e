import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import { openChainClient } from "../../src/chain/client/open.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { Member } from "../../src/cluster/member.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import {
  balanceAt,
  createTestCluster,
  names,
  payFromOnePot,
} from "../helpers/cluster.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

describe("A node that is drained while others pay", function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let group: NodeGroup;
  let dataDir: string;
  const facts: [string, NodeFact][] = [];
  const closers: (() => Promise<void>)[] = [];

  before(async () => {
    const { provider } = await hre.network.create();
    const client = openChainClient(provider);
    const { chainId, factory } = await openTestLedger(client);
    dataDir = mkdtempSync(join(tmpdir(), "drain-"));
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      settings: { tickMs: 20, pollMs: 20 },
      onFact: (name, fact) => facts.push([name, fact]),
    });
    closers.push(
      async () => {
        await cluster.stop();
      },
      async () => {
        await client.close();
      },
    );
    cluster.start();
    group = await cluster.createGroup({ domain: "group-token", threshold: 3 });
  });

  after(async () => {
    for (const close of closers) await close();
    rmSync(dataDir, { recursive: true });
  });

  /** The one that dispatches. */
  function coordinator(): Member | undefined {
    return cluster.members.find(({ node }) =>
      node.status().groups.some(({ coordinator: state }) => state === "Active"),
    );
  }

  async function until<Value>(look: () => Value | undefined): Promise<Value> {
    for (;;) {
      const value = look();
      if (value !== undefined) return value;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  it("hands the role over, says when it can be stopped, and loses nothing", async () => {
    const paid = payFromOnePot(cluster, group, 120);
    const first = await until(coordinator);
    first.node.drain(true);
    await until(() =>
      first.node.status().draining?.isDone === true ? true : undefined,
    );
    const seen = facts.length;
    const more = await payFromOnePot(cluster, group, 40);
    expect(new Set([...(await paid), ...more])).to.deep.equal(
      new Set(["Confirmed"]),
    );
    const dispatched = facts
      .slice(seen)
      .filter(([, { type }]) => type === "Dispatched")
      .map(([name]) => name);
    expect(dispatched).to.not.deep.equal([]);
    expect(dispatched).to.not.include(first.name);
    for (const name of names)
      expect(await balanceAt(cluster, name, group, "pot")).to.equal(0);
    expect(first.node.status().draining).to.deep.equal({
      isDone: true,
      reasons: [],
    });
  });

  it("goes on with its own intents meanwhile, and takes part again when it may", async () => {
    const [member] = cluster.members.filter(
      ({ node }) => node.status().draining !== undefined,
    );
    if (member === undefined) throw new Error("No node is drained.");
    const send = async (): Promise<string> => {
      const id = await member.send({
        group: group.address,
        function: "mint(string,uint256)",
        args: { to: "pot", amount: "1" },
      });
      return (await member.receipt(group.address, id)).type;
    };
    // Only who issues may mint: the answer matters less than that there is one.
    expect(await send()).to.be.oneOf(["Confirmed", "Reverted"]);
    member.node.drain(false);
    await until(() =>
      member.node.status().draining === undefined ? true : undefined,
    );
    expect(await send()).to.be.oneOf(["Confirmed", "Reverted"]);
  });
});
