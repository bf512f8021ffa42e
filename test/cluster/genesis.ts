import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import { parseNodeName } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { genesisIdOf } from "../../src/domains/genesis.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { createTestCluster, names } from "../helpers/cluster.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

describe("The beginning of a group", function () {
  this.timeout(60_000);
  let dataDir: string;
  let cluster: Cluster | undefined;

  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), "genesis-"));
  });

  after(async () => {
    await cluster?.stop();
    rmSync(dataDir, { recursive: true });
  });

  it("happens once, however often its creator asks, and before anything else", async () => {
    const { provider } = await hre.network.create();
    const client = openChainClient(provider);
    const { chainId, factory } = await openTestLedger(client);
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      settings: { tickMs: 20, requestMs: 60, pollMs: 20 },
    });
    cluster.start();
    const [alice, bob] = [cluster.member("alice"), cluster.member("bob")];
    const plan = {
      id: `0x${"5e".repeat(32)}`,
      name: "",
      domain: "private-contracts",
      members: names.flatMap((name) => parseNodeName(name) ?? []),
      threshold: 3,
      configuration: {},
    };
    const { address: group } = await alice.node.createGroup(plan);
    const again = await alice.node.createGroup(plan);
    expect(again.address).to.equal(group);
    // Whoever knows the group may ask at once. His intent waits.
    while (bob.node.group(group) === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    const id = await bob.send({
      group,
      function: "deploy(bytes)",
      args: { bytecode: "0x00" },
    });
    const deployed = await bob.receipt(group, id);
    const begun = await alice.receipt(group, genesisIdOf(again));
    if (begun.type !== "Confirmed" || deployed.type !== "Confirmed")
      throw new Error("It did not happen.");
    expect(begun.block).to.be.at.most(deployed.block);
    await client.close();
  });
});
