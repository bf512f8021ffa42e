import { Cluster } from "../../src/runtime/cluster/cluster.ts";
import { builtInDomains } from "../../src/runtime/domains/built-in.ts";
import type { NodeFact } from "../../src/runtime/node/ports.ts";
import {
  defaultSettings,
  type NodeSettings,
} from "../../src/runtime/node/settings.ts";
import type { ChainClient } from "../../src/runtime/ports.ts";
import type { NodeGroup } from "../../src/runtime/service.ts";
import type { Hub } from "../../src/runtime/transport/in-process.ts";

/** The keys of the accounts that Hardhat's and Foundry's chains have from the beginning. Everybody knows them. */
const wellKnownKeys = [
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
  "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
  "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
] as const;

export const names = ["alice", "bob", "carol", "dave"] as const;

/** The key with which a node endorses and pays. */
export function keyOf(name: string): string {
  const key = wellKnownKeys[names.findIndex((other) => other === name)];
  if (key === undefined) throw new Error(`${name} has no key.`);
  return key;
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
}): Cluster {
  const { chainId, factory, dataDir, openClient } = options;
  return new Cluster(
    {
      names,
      chainId,
      factory,
      dataDir,
      settings: { ...defaultSettings, ...options.settings },
    },
    {
      openClient,
      endorserKey: keyOf,
      payerKeys: (name) => [keyOf(name)],
      domains: builtInDomains,
      ...(options.hub && { hub: options.hub }),
      createUsers: () => ({
        settle: () => undefined,
        unsettle: () => undefined,
      }),
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
