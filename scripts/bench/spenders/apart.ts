import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";

import { toHex } from "../../../src/ledger/index.ts";
import { nodeNames } from "../../../src/plugin/cluster-config.ts";
import {
  type GroupAddress,
  type NodeName,
  parseNodeName,
} from "../../../src/protocol/ids.ts";
import { loadIdentity } from "../../../src/keys/identity-file.ts";
import { encodePublicKey } from "../../../src/keys/identity.ts";
import {
  defaultSettings,
  type NodeSettings,
} from "../../../src/node/settings.ts";
import { publishedAccount } from "../../../test/helpers/accounts.ts";
import { freePort } from "../../../test/plugin/helpers/processes.ts";
import { makeRich, openDataDir } from "../bench-cluster.ts";
import type { BenchChain } from "../chains.ts";
import { burn, callsToFill, OPEN_PER_NODE } from "../pot.ts";
import { ChildNode } from "./child-node.ts";
import type { RequestName, Requests } from "./requests.ts";
import type { Spenders } from "./spenders.ts";

const MEMBERS = 4;
const THRESHOLD = 3;

type Start = Requests["start"]["asks"];

/** Nodes in processes of their own, which talk over sockets. */
export async function openApart(
  chain: BenchChain & { readonly url: string },
  settings: Partial<NodeSettings>,
): Promise<Spenders> {
  const names = nodeNames(MEMBERS).flatMap((name) => parseNodeName(name) ?? []);
  await makeRich(chain.client, names.length);
  const dataDir = openDataDir();
  const failures: string[] = [];
  const nodes = names.map(
    () => new ChildNode({ onFailure: (failure) => failures.push(failure) }),
  );
  const leave = (): void => {
    for (const node of nodes) node.leave();
    dataDir.remove();
  };
  try {
    const own = await Promise.all(
      names.map(async (name, at) => await ownOf(name, at, dataDir.path)),
    );
    const shared = {
      peers: own.map(({ peer }) => peer),
      url: chain.url,
      chainId: chain.ledger.chainId,
      factory: chain.ledger.factory,
      settings: { ...defaultSettings, ...settings },
    };
    await Promise.all(
      own.map(async ({ node }, at) => {
        await nodes[at]?.ask("start", { ...node, ...shared });
      }),
    );
    const group = await createGroup(names, nodes);
    return spendersOf(group, nodes, { failures, leave });
  } catch (error) {
    leave();
    throw error;
  }
}

/** What a node alone knows of itself, and what all know of it. */
async function ownOf(
  name: NodeName,
  at: number,
  dataDir: string,
): Promise<{
  readonly node: Pick<Start, "name" | "directory" | "privateKey">;
  readonly peer: Start["peers"][number];
}> {
  const directory = path.join(dataDir, name);
  mkdirSync(directory, { mode: 0o700 });
  // The first account sends what is no node's.
  const { address, privateKey } = publishedAccount(at + 1);
  return {
    node: { name, directory, privateKey },
    peer: {
      name,
      address: { host: "127.0.0.1", port: await freePort() },
      publicKey: encodePublicKey(loadIdentity({ directory }).publicKey),
      endorser: address.toLowerCase(),
    },
  };
}

async function createGroup(
  members: readonly NodeName[],
  nodes: readonly ChildNode[],
): Promise<GroupAddress> {
  const group = await firstOf(nodes).ask("createGroup", {
    id: toHex(randomBytes(32)),
    name: "",
    domain: "group-token",
    members,
    threshold: THRESHOLD,
    configuration: {},
  });
  await askAll(nodes, "join", () => group);
  return group;
}

function spendersOf(
  group: GroupAddress,
  nodes: readonly ChildNode[],
  ports: { readonly failures: readonly string[]; readonly leave: () => void },
): Spenders {
  let content = 0;
  return {
    group,
    fill: async (intents) => {
      for (const call of callsToFill(content, intents))
        await firstOf(nodes).ask("send", { group, call, count: 1, openMax: 1 });
      content = Math.max(content, intents + 1);
    },
    spend: async (intents) => {
      content -= intents;
      const blocks = await askAll(nodes, "send", (at) => ({
        group,
        call: burn("1"),
        count: Math.ceil((intents - at) / nodes.length),
        openMax: OPEN_PER_NODE,
      }));
      await askAll(nodes, "see", () => Math.max(...blocks));
    },
    check: async () => {
      for (const held of await askAll(nodes, "look", () => group))
        if (held !== String(content))
          throw new Error(
            `A node thinks that the pot holds ${held}, not ${content}.`,
          );
    },
    failures: () => ports.failures,
    stop: async () => {
      await askAll(nodes, "stop", () => undefined);
      ports.leave();
    },
  };
}

async function askAll<Name extends RequestName>(
  nodes: readonly ChildNode[],
  name: Name,
  asks: (at: number) => Requests[Name]["asks"],
): Promise<readonly Requests[Name]["answers"][]> {
  return await Promise.all(
    nodes.map(async (node, at) => await node.ask(name, asks(at))),
  );
}

function firstOf(nodes: readonly ChildNode[]): ChildNode {
  const [first] = nodes;
  if (first === undefined) throw new Error("There are no nodes.");
  return first;
}
