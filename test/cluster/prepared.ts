import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { balanceAt, createTestCluster } from "../helpers/cluster.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

describe("A prepared intent", function () {
  this.timeout(60_000);
  let dataDir: string;
  let cluster: Cluster | undefined;

  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), "prepared-"));
  });

  after(async () => {
    await cluster?.stop();
    rmSync(dataDir, { recursive: true });
  });

  it("happens when its user submits it, and not before", async () => {
    const { provider } = await hre.network.create();
    const client = openChainClient(provider);
    const { chainId, factory, account } = await openTestLedger(client);
    let onPrepared = (): void => undefined;
    const prepared = new Promise<void>((resolve) => {
      onPrepared = resolve;
    });
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      onFact: (_, { type }) => {
        if (type === "Prepared") onPrepared();
      },
    });
    cluster.start();
    const group = await cluster.createGroup({ domain: "group-token" });
    const alice = cluster.member("alice");
    const { node } = alice;
    const { id, laneSalt } = node.newIntentId(group.address);
    const { payload, touches } = group.domain.check({
      group,
      node: alice.name,
      from: "alice",
      signature: "mint(string,uint256)",
      args: { to: "pot", amount: "7" },
    });
    const intent = { group: group.address, id, laneSalt, payload, touches };
    const prepare = { ...intent, dependsOn: [], isPrepareOnly: true };
    await node.submit(
      { intents: [prepare], transactions: [] },
      () => undefined,
    );
    await prepared;
    const call = node.preparedOf(group.address, id);
    expect(call?.effect.confirmed.map(({ data }) => data)).to.deep.equal([
      { account: "pot", amount: "7" },
    ]);
    expect(await balanceAt(cluster, "alice", group, "pot")).to.equal(0);

    await client.request("eth_sendTransaction", [
      { from: account, to: call?.to, data: call?.data, gas: "0xf00000" },
    ]);
    const receipt = await alice.receipt(group.address, id);
    expect(receipt.type).to.equal("Confirmed");
    expect(await balanceAt(cluster, "alice", group, "pot")).to.equal(7);
    await client.close();
  });
});
