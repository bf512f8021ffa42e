import { Cluster } from "../../src/cluster/cluster.ts";
import { builtInDomains } from "../../src/domains/built-in.ts";
import type { Domain } from "../../src/domains/domain.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import { defaultSettings, type NodeSettings } from "../../src/node/settings.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import type { Hub } from "../../src/network/in-process.ts";
import { publishedAccount } from "./accounts.ts";

export const names = ["alice", "bob", "carol", "dave"] as const;

/** The key with which a node endorses and pays. */
export function keyOf(name: string): string {
  const index = names.findIndex((other) => other === name);
  if (index === -1) throw new Error(`${name} has no key.`);
  // Tests send from the first account themselves.
  return publishedAccount(index + 1).privateKey;
}

/** Four nodes on a chain. */
export function createTestCluster(options: {
  readonly openClient: () => ChainClient;
  readonly chainId: bigint;
  readonly factory: string;
  readonly dataDir: string;
  readonly settings?: Partial<NodeSettings>;
  readonly onFact?: (name: string, fact: NodeFact) => void;
  readonly hub?: Hub;
  readonly restingMax?: number;
  /** More domains than the built-in ones. */
  readonly domains?: readonly Domain[];
}): Cluster {
  const { chainId, factory, dataDir, openClient, restingMax } = options;
  return new Cluster(
    {
      names,
      chainId,
      factory,
      dataDir,
      settings: { ...defaultSettings, ...options.settings },
      ...(restingMax !== undefined && { restingMax }),
    },
    {
      openClient,
      keys: names.map(keyOf),
      domains: [...builtInDomains, ...(options.domains ?? [])],
      ...(options.hub && { hub: options.hub }),
      onFact: options.onFact ?? (() => undefined),
      onFatal: (name, error) => {
        throw new Error(`${name} has stopped.`, { cause: error });
      },
    },
  );
}

/** Mints and pays from all nodes at once, always out of the same pot. Gives the receipts of the payments. */
export async function payFromOnePot(
  cluster: Cluster,
  group: NodeGroup,
  payments: number,
): Promise<readonly string[]> {
  const { address } = group;
  const minter = cluster.member("alice");
  const mint = await minter.send({
    group: address,
    function: "mint(string,uint256)",
    args: { to: "pot", amount: String(payments) },
  });
  const minted = await minter.receipt(address, mint);
  if (minted.type !== "Confirmed") throw new Error("Nothing was minted.");
  return await Promise.all(
    Array.from({ length: payments }, async (_, i) => {
      const member = cluster.member(names[i % names.length] ?? "alice");
      const id = await member.send({
        group: address,
        function: "transfer(string,string,uint256)",
        args: { from: "pot", to: `shop${i % 5}`, amount: "1" },
      });
      return (await member.receipt(address, id)).type;
    }),
  );
}

/** What a node thinks is in an account. */
export async function balanceAt(
  cluster: Cluster,
  name: string,
  group: NodeGroup,
  account: string,
): Promise<number> {
  const { balance } = await cluster.member(name).node.query(group.address, {
    from: name,
    signature: "balanceOf(string)",
    args: { account },
  });
  return Number(balance);
}
