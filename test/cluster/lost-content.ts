import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import { parseDigest, parseRequestKey } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import { openStore } from "../../src/store/store.ts";
import { Hub } from "../../src/network/in-process.ts";
import { balanceAt, createTestCluster, names } from "../helpers/cluster.ts";
import { CoinCluster } from "../helpers/coin-cluster.ts";
import { networkIdOf } from "../../src/network/network-id.ts";
import { speakFor } from "../helpers/impersonation.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";
import { nodeName } from "../helpers/stores.ts";

const ISSUE = "issue(string,uint256)";
const PAY = "pay(string,uint256)";
const carol = "till@carol";
const dave = "till@dave";
const witnesses = ["alice", "bob"] as const;
const GAS = "0xf00000";
/** More than a node remembers of one member in memory. */
const EMPTY_REQUESTS = 300;

/** A member asks others to endorse nothing at all, many times. */
function askForNothing(
  { address }: NodeGroup,
  options: Parameters<typeof speakFor>[1] & {
    readonly from: string;
    readonly to: readonly string[];
  },
): ReturnType<typeof speakFor> {
  const liar = speakFor(options.from, options);
  for (let number = 1; number <= EMPTY_REQUESTS; number++) {
    const digest = parseDigest(`0x${number.toString(16).padStart(64, "0")}`);
    const key = parseRequestKey(`${options.from}:99:${number}`);
    if (digest === undefined || key === undefined)
      throw new Error("The request is malformed.");
    for (const to of options.to)
      liar.say(to, {
        type: "message",
        group: address,
        message: {
          type: "EndorsementRequest",
          key,
          coordinator: nodeName(options.from),
          height: 1,
          bundle: { steps: [], places: [], validUntil: 1_000, digest },
          view: { created: [], spent: [] },
        },
      });
  }
  return liar;
}

describe("Owned coins, when content gets lost", function () {
  this.timeout(120_000);
  let coins: CoinCluster;

  /** Carol and dave have one coin each. */
  beforeEach(async () => {
    coins = await CoinCluster.start();
    for (const to of [carol, dave])
      await coins.do("mint@alice", ISSUE, { to, amount: "10" });
  });

  afterEach(async () => {
    await coins.stop();
  });

  async function restart(...restarted: readonly string[]): Promise<void> {
    for (const name of restarted) await coins.cluster.member(name).crash();
    for (const name of restarted) coins.cluster.member(name).start();
  }

  async function execute(data: string): Promise<void> {
    const { client, account: from, group } = coins;
    await client.request("eth_sendTransaction", [
      { from, to: group.address, data, gas: GAS },
    ]);
  }

  async function expectPaid(): Promise<void> {
    for (const at of witnesses) {
      expect(await coins.balanceOf(carol, at)).to.equal(6);
      expect(await coins.balanceOf(dave, at)).to.equal(14);
    }
  }

  it("go on when both witnesses restart between their signatures and the block", async () => {
    const { client, group, cluster } = coins;
    await client.request("evm_setAutomine", [false]);
    const id = await cluster.member("carol").send({
      group: group.address,
      function: PAY,
      args: { to: dave, amount: "4" },
      from: "till",
    });
    await untilPending();
    await restart(...witnesses);
    await client.request("evm_mine", []);
    await client.request("evm_setAutomine", [true]);
    const receipt = await cluster.member("carol").receipt(group.address, id);
    expect(receipt.type).to.equal("Confirmed");
    await coins.seen();
    await expectPaid();
    await coins.do(dave, PAY, { to: "savings@dave", amount: "14" });
  });

  async function untilPending(): Promise<void> {
    for (;;) {
      const block = (await coins.client.request("eth_getBlockByNumber", [
        "pending",
        false,
      ])) as { readonly transactions: readonly string[] };
      if (block.transactions.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  it("go on when an owner executes what was prepared after the witnesses restarted, and is silent", async () => {
    const data = await coins.prepare(carol, dave, 4);
    await coins.cluster.member("carol").crash();
    await restart(...witnesses);
    await execute(data);
    await coins.seen();
    await expectPaid();
    await coins.do(dave, PAY, { to: "savings@dave", amount: "14" });
  });

  it("go on when an owner floods the witnesses, executes what was prepared, and is silent", async () => {
    const data = await coins.prepare(carol, dave, 4);
    await coins.cluster.member("carol").crash();
    const liar = askForNothing(coins.group, {
      hub: coins.hub,
      network: coins.network,
      dataDir: coins.dataDir,
      names,
      from: "carol",
      to: witnesses,
    });
    // Whatever carol said came before this.
    await coins.do("mint@alice", ISSUE, { to: "other@dave", amount: "1" });
    await execute(data);
    await coins.seen();
    await expectPaid();
    await coins.do(dave, PAY, { to: "savings@dave", amount: "14" });
    await liar.stop();
  });

  it("are known to an owner who restarts before the block, without anybody's help", async () => {
    const { cluster } = coins;
    const data = await coins.prepare(carol, dave, 4);
    await restart("carol");
    for (const name of witnesses) await cluster.member(name).crash();
    await execute(data);
    await coins.until(() => {
      const { height } = cluster.member("carol").node.status();
      return height >= cluster.member("dave").node.height();
    });
    while ((await coins.balanceOf(carol, "carol")) !== 6)
      await new Promise((resolve) => setTimeout(resolve, 5));
    for (const name of witnesses) cluster.member(name).start();
    await coins.seen();
    await expectPaid();
  });

  it("delay only what needs a state whose content nobody provides (L21)", async () => {
    const { cluster, dataDir, group } = coins;
    await cluster.member("carol").crash();
    for (const name of witnesses) {
      await cluster.member(name).crash();
      forgetCoinsOf(carol, join(dataDir, name, "node.db"));
      cluster.member(name).start();
    }
    const missing = (): number =>
      cluster.member("alice").node.status().groups[0]?.missingStates ?? 0;
    expect(missing()).to.equal(1);
    const pay = async (
      from: string,
      args: Readonly<Record<string, string>>,
    ): Promise<string> => {
      const member = cluster.member(from);
      const id = await member.send({
        group: group.address,
        function: PAY,
        args,
        from: "till",
      });
      return (await member.receipt(group.address, id)).type;
    };
    const paid = await pay("dave", { to: "savings@dave", amount: "7" });
    expect(paid).to.equal("Confirmed");
    expect(missing()).to.equal(1);

    // Whoever spends it has it, and is asked.
    cluster.member("carol").start();
    const spent = await pay("carol", { to: dave, amount: "4" });
    expect(spent).to.equal("Confirmed");
    await coins.seen();
    expect(await coins.balanceOf(carol, "bob")).to.equal(6);
  });
});

/** A disk that lost the content of an account's coins. */
function forgetCoinsOf(account: string, file: string): void {
  const { database, write, close } = openStore({ file });
  write(() => {
    database.run(
      "UPDATE states SET has_content = 0 WHERE ledger_id IN (SELECT ledger_id FROM contents WHERE label = ?)",
      account,
    );
    database.run("DELETE FROM contents WHERE label = ?", account);
  });
  close();
}

describe("A group token, when one member of four withholds content", function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let dataDir: string;

  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), "withheld-"));
  });

  after(async () => {
    await cluster.stop();
    rmSync(dataDir, { recursive: true });
  });

  it("goes on", async () => {
    const { provider } = await hre.network.create();
    const client = openChainClient(provider);
    const { chainId, factory, account } = await openTestLedger(client);
    const hub = new Hub();
    const facts: NodeFact[] = [];
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      hub,
      settings: {
        tickMs: 20,
        heartbeatMs: 100,
        requestMs: 60,
        stateMs: 1_000,
        pollMs: 20,
      },
      onFact: (_, fact) => facts.push(fact),
    });
    cluster.start();
    const group = await cluster.createGroup({
      domain: "group-token",
      threshold: 3,
    });
    const { address } = group;
    // The first in the order coordinates its own intent.
    const [ranked = "alice"] =
      cluster.member("alice").node.status().groups[0]?.ranking ?? [];
    const liar = cluster.member(ranked);
    const honest = names.filter((name) => name !== ranked);
    const { id, laneSalt } = liar.node.newIntentId(address);
    const { payload, touches } = group.domain.check({
      group,
      node: liar.name,
      from: ranked,
      signature: "mint(string,uint256)",
      args: { to: "pot", amount: "7" },
    });
    const wish = { id, laneSalt, payload, touches, dependsOn: [] };
    const intent = { group: address, ...wish };
    await liar.node.submit(
      { intents: [{ ...intent, isPrepareOnly: true }], transactions: [] },
      () => undefined,
    );
    while (!facts.some(({ type }) => type === "Prepared"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const data = liar.node.preparedOf(address, id)?.data;
    await liar.crash();
    const mouth = askForNothing(group, {
      hub,
      network: networkIdOf({ chainId, factory }),
      dataDir,
      names,
      from: ranked,
      to: honest,
    });
    const mint = async (name: string): Promise<string> => {
      const member = cluster.member(name);
      const minted = await member.send({
        group: address,
        function: "mint(string,uint256)",
        args: { to: "pot", amount: "1" },
      });
      return (await member.receipt(address, minted)).type;
    };
    for (const name of honest) expect(await mint(name)).to.equal("Confirmed");
    await client.request("eth_sendTransaction", [
      { from: account, to: address, data, gas: GAS },
    ]);
    for (const name of honest) expect(await mint(name)).to.equal("Confirmed");
    const head = Number(await client.request("eth_blockNumber", []));
    while (
      honest.some((name) => {
        const { height, groups } = cluster.member(name).node.status();
        const isMissing = groups.some(({ missingStates }) => missingStates > 0);
        return isMissing || height < head;
      })
    )
      await new Promise((resolve) => setTimeout(resolve, 5));
    for (const name of honest)
      expect(await balanceAt(cluster, name, group, "pot")).to.equal(13);
    await mouth.stop();
    await client.close();
  });
});
