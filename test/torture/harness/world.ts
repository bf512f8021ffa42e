import { mkdirSync } from "node:fs";
import path from "node:path";

import { openChainClient } from "../../../src/chain/client/open.ts";
import { loadIdentity } from "../../../src/keys/identity-file.ts";
import { encodePublicKey } from "../../../src/keys/identity.ts";
import { openTestLedger } from "../../helpers/runtime-ledger.ts";
import { Chain } from "./chain/chain.ts";
import type { ProcessExit } from "./evidence/evidence.ts";
import { Journal } from "./evidence/journal.ts";
import type { LogFact } from "./measures.ts";
import { Links } from "./network/links.ts";
import { PortFinder } from "./network/ports.ts";
import { Supervisor } from "./processes/supervisor.ts";
import { BLOCK_MS, HEARTBEAT_MS, POLL_MS, accountsOf } from "./settings.ts";

export interface WorldOptions {
  readonly nodes: number;
  readonly outDir: string;
  readonly blockMs?: number;
  /** What nodes have in their configuration, besides who they are. */
  readonly settings?: object;
}

/** A chain, a network and nodes, all of them real and all of them breakable. */
export interface World {
  readonly chain: Chain;
  /** The address of the factory. */
  readonly factory: string;
  readonly links: Links;
  readonly nodes: ReadonlyMap<string, Supervisor>;
  readonly exits: Journal<ProcessExit>;
  readonly facts: Journal<LogFact>;
  /** Where everything is written. */
  readonly outDir: string;
  /** Where a node listens to others. */
  readonly portOf: (name: string) => number;
  /** Where a node keeps its data. */
  readonly folderOf: (name: string) => string;
  /** Ends all processes, however they are. */
  readonly stop: () => Promise<void>;
}

/** Starts everything, and resolves when all nodes answer. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { outDir } = options;
  const dataDir = path.join(outDir, "data");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folderOf = (name: string): string => path.join(dataDir, name);
  const accounts = accountsOf(options.nodes);
  const names = [...accounts.keys()];
  const ports = new Map<string, number>();
  const finder = new PortFinder();
  for (const name of names) ports.set(name, await finder.find());
  const portOf = (name: string): number => ports.get(name) ?? 0;
  const links = new Links({ names }, { portOf });
  const exits = new Journal<ProcessExit>(path.join(outDir, "exits.jsonl"));
  const facts = new Journal<LogFact>(path.join(outDir, "facts.jsonl"));
  const chain = new Chain({
    port: await finder.find(),
    names,
    blockMs: options.blockMs ?? BLOCK_MS,
    outDir,
  });
  const nodes = new Map<string, Supervisor>();
  const stop = async (): Promise<void> => {
    await Promise.all([...nodes.values()].map((node) => node.kill()));
    await chain.stop();
    await links.stop();
    await exits.close();
    await facts.close();
  };
  let factory: string;
  try {
    await chain.start();
    await links.start();
    factory = await deployFactory(chain);
    const keys = new Map(
      names.map((name) => {
        const directory = folderOf(name);
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        const { publicKey } = loadIdentity({ directory });
        return [name, encodePublicKey(publicKey)];
      }),
    );
    /** Every node sees itself where it is, and the others behind its own proxies. */
    const peersOf = (name: string): object =>
      Object.fromEntries(
        names.map((peer) => {
          const port =
            peer === name
              ? ports.get(name)
              : links.portFor({ from: name, to: peer });
          return [
            peer,
            {
              address: `127.0.0.1:${port ?? 0}`,
              key: keys.get(peer),
              endorser: accounts.get(peer)?.address,
            },
          ];
        }),
      );
    for (const name of names)
      nodes.set(
        name,
        new Supervisor(
          {
            name,
            dataDir,
            rpcPort: await finder.find(2),
            statusPort: await finder.find(),
            chainUrl: chain.urlFor(name),
            outDir,
            config: {
              // The role moves often, so that faults meet handovers.
              policy: "rotating",
              heartbeatMs: HEARTBEAT_MS,
              pollMs: POLL_MS,
              ...options.settings,
              networks: { torture: { factory } },
              peers: peersOf(name),
            },
          },
          {
            exits,
            onLine: (node, line) => {
              facts.add({ ...factOf(line), atMs: Date.now(), node });
            },
          },
        ),
      );
    await Promise.all(
      [...nodes.values()].map(async (node, index) => {
        // One of them as users do it, to know that it works.
        await node.start({ isByUser: index === 0 });
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    chain,
    factory,
    links,
    nodes,
    exits,
    facts,
    outDir,
    portOf,
    folderOf,
    stop,
  };
}

async function deployFactory(chain: Chain): Promise<string> {
  const client = openChainClient(chain.ownUrl);
  try {
    const { factory } = await openTestLedger(client);
    return factory;
  } finally {
    await client.close();
  }
}

/** What is no JSON is kept as it is. */
function factOf(line: string): { readonly event: string } {
  try {
    return { event: "unknown", ...(JSON.parse(line) as object) };
  } catch {
    return { event: `text: ${line}` };
  }
}
