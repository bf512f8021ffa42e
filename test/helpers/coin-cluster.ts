import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import hre from "hardhat";

import type { IntentId } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { type NetworkId, networkIdOf } from "../../src/network/network-id.ts";
import type { Json } from "../../src/domains/domain.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import { balanceAt, createTestCluster } from "./cluster.ts";
import { RecordingHub } from "./recording-hub.ts";
import { openTestLedger } from "./runtime-ledger.ts";

/** Few, so that a test sees what happens afterwards. */
export const VALID_FOR_BLOCKS = 30;

/** Owned coins on four nodes: alice and bob are witnesses, carol and dave are owners. Alice issues. */
export class CoinCluster {
  readonly cluster: Cluster;
  readonly group: NodeGroup;
  readonly client: ChainClient;
  /** An account of the chain that no node uses. */
  readonly account: string;
  readonly hub: RecordingHub;
  readonly facts: readonly { readonly node: string; readonly fact: NodeFact }[];
  readonly dataDir: string;
  readonly network: NetworkId;

  private constructor(
    parts: Pick<
      CoinCluster,
      | "cluster"
      | "group"
      | "client"
      | "account"
      | "hub"
      | "facts"
      | "dataDir"
      | "network"
    >,
  ) {
    this.cluster = parts.cluster;
    this.group = parts.group;
    this.client = parts.client;
    this.account = parts.account;
    this.hub = parts.hub;
    this.facts = parts.facts;
    this.dataDir = parts.dataDir;
    this.network = parts.network;
  }

  static async start(): Promise<CoinCluster> {
    const { provider } = await hre.network.create();
    const client = openChainClient(provider);
    const { chainId, factory, account } = await openTestLedger(client);
    const dataDir = mkdtempSync(join(tmpdir(), "coins-"));
    const hub = new RecordingHub();
    const facts: { node: string; fact: NodeFact }[] = [];
    const cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      hub,
      settings: {
        tickMs: 20,
        requestMs: 60,
        pollMs: 20,
        validForBlocks: VALID_FOR_BLOCKS,
      },
      onFact: (node, fact) => facts.push({ node, fact }),
    });
    cluster.start();
    const group = await cluster.createGroup({
      domain: "owned-coins",
      threshold: 2,
      configuration: { witnesses: "alice,bob", issuers: "mint@alice" },
    });
    return new CoinCluster({
      cluster,
      group,
      client,
      account,
      hub,
      facts,
      dataDir,
      network: networkIdOf({ chainId, factory }),
    });
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.client.close();
    rmSync(this.dataDir, { recursive: true });
  }

  /** Resolves when an intent of an account is confirmed, and everybody has seen it. */
  async do(
    account: string,
    functionName: string,
    args: Readonly<Record<string, Json>>,
  ): Promise<void> {
    const [from = "", node = ""] = account.split("@");
    const member = this.cluster.member(node);
    const { address } = this.group;
    const id = await member.send({
      group: address,
      function: functionName,
      args,
      from,
    });
    const receipt = await member.receipt(address, id);
    if (receipt.type !== "Confirmed")
      throw new Error(`${functionName} of ${account} is ${receipt.type}.`);
    await this.seen();
  }

  /** Resolves when every node that is up has seen the last block, and knows what it may know. */
  async seen(): Promise<void> {
    const head = Number(await this.client.request("eth_blockNumber", []));
    await this.until(() =>
      this.cluster.members.every((member) => {
        if (!member.isUp) return true;
        const { height, groups } = member.node.status();
        return (
          height >= head &&
          groups.every(({ missingStates }) => missingStates === 0)
        );
      }),
    );
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Asks for a payment that is endorsed, but left to its user to submit. */
  async prepare(account: string, to: string, amount: number): Promise<string> {
    const [from = "", name = ""] = account.split("@");
    const { node, name: self } = this.cluster.member(name);
    const { group } = this;
    const { id, laneSalt } = node.newIntentId(group.address);
    const { payload, touches } = group.domain.check({
      group,
      node: self,
      from,
      signature: "pay(string,uint256)",
      args: { to, amount: String(amount) },
    });
    await node.submit(
      {
        intents: [
          {
            group: group.address,
            id,
            laneSalt,
            payload,
            touches,
            dependsOn: [],
            isPrepareOnly: true,
          },
        ],
        transactions: [],
      },
      () => undefined,
    );
    await this.until(() => this.#isPrepared(id));
    return node.preparedOf(group.address, id)?.data ?? "";
  }

  async balanceOf(account: string, at: string): Promise<number> {
    return await balanceAt(this.cluster, at, this.group, account);
  }

  #isPrepared(id: IntentId): boolean {
    return this.facts.some(
      ({ fact }) => fact.type === "Prepared" && fact.id === id,
    );
  }
}
