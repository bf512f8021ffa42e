import hre from "hardhat";

import { Member } from "../../src/cluster/member.ts";
import type { HostPorts } from "../../src/host/host.ts";
import { groupToken } from "../../src/domains/group-token.ts";
import { createEndorser, createPayer } from "../../src/keys/secp256k1.ts";
import { createWallet } from "../../src/keys/wallet.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import { defaultSettings } from "../../src/node/settings.ts";
import { NodeRefusal, type NodeGroup } from "../../src/node/service.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { Hub } from "../../src/network/in-process.ts";
import { keyOf } from "./cluster.ts";
import { Members } from "./members.ts";
import { randomFrom } from "./random.ts";
import { openTestLedger } from "./runtime-ledger.ts";
import { nodeName } from "./stores.ts";

/** Nodes on a chain of their own, in memory, put together by hand so that a test can replace parts of them. */
export interface HandmadeNodes {
  readonly hub: Hub;
  readonly keys: Members;
  readonly chainId: bigint;
  readonly factory: string;
  readonly client: ChainClient;
  readonly facts: (readonly [node: string, fact: NodeFact])[];
  readonly member: (name: string) => Member;
  /** Resolves when something holds, which is looked at whenever a node tells something. */
  readonly until: (holds: () => boolean) => Promise<void>;
  /** A group of all of them, unless other members are named; all nodes must endorse, unless a threshold is given. */
  readonly createGroup: (options?: {
    readonly members?: readonly string[];
    readonly threshold?: number;
  }) => Promise<NodeGroup>;
  readonly stop: () => Promise<void>;
}

/** Starts nodes. `outsiders` are known to all, and a test speaks for them. */
export async function startHandmade(
  names: readonly string[],
  {
    outsiders = [],
    replace = () => ({}),
    wrapClient = (client) => client,
  }: {
    readonly outsiders?: readonly string[];
    readonly replace?: (name: string) => Partial<HostPorts>;
    readonly wrapClient?: (client: ChainClient) => ChainClient;
  } = {},
): Promise<HandmadeNodes> {
  const { provider } = await hre.network.create();
  const openClient = () => openChainClient(provider);
  const { chainId, factory } = await openTestLedger(openClient());
  const keys = new Members(...names, ...outsiders);
  const hub = new Hub();
  const peers = new Map(
    [...keys.registry].map(([name, publicKey]) => [
      name,
      { publicKey, endorser: createEndorser(keyOf(name)).address },
    ]),
  );
  const facts: (readonly [string, NodeFact])[] = [];
  const listeners = new Set<() => void>();
  const members = names.map(
    (name) =>
      new Member(
        {
          name: nodeName(name),
          chainId,
          factory,
          file: ":memory:",
          settings: { ...defaultSettings, tickMs: 20, pollMs: 20 },
        },
        {
          connect: (self, arrive) => hub.connect(self, arrive),
          client: wrapClient(openClient()),
          identity: keys.member(name).identity,
          peers,
          endorser: createEndorser(keyOf(name)),
          wallet: createWallet(),
          domains: [groupToken],
          payers: [createPayer(keyOf(name))],
          onFact: (fact) => {
            facts.push([name, fact]);
            for (const listener of [...listeners]) listener();
          },
          onFatal: (error) => {
            throw new Error(`${name} has stopped.`, { cause: error });
          },
          ...replace(name),
        },
      ),
  );
  const member = (name: string): Member => {
    const found = members.find((one) => one.name === name);
    if (found === undefined) throw new NodeRefusal(`There is no ${name}.`);
    return found;
  };
  const until = async (holds: () => boolean): Promise<void> => {
    if (holds()) return;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
    });
  };
  for (const one of members) one.start();
  const random = randomFrom(1);
  return {
    hub,
    keys,
    chainId,
    factory,
    client: openClient(),
    facts,
    member,
    until,
    createGroup: async (options = {}) => {
      const group = await member(names[0] ?? "").node.createGroup({
        id: random.bytes32(),
        name: "",
        domain: groupToken.name,
        members: (options.members ?? names).map(nodeName),
        threshold: options.threshold ?? names.length,
        configuration: {},
      });
      await until(() =>
        members.every(({ node }) => node.group(group.address) !== undefined),
      );
      return group;
    },
    stop: async () => {
      await Promise.all(members.map((one) => one.stop()));
      hub.stop();
    },
  };
}
