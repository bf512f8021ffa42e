import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";

import { openChainClient } from "../../../src/chain/client/open.ts";
import {
  identityFileName,
  loadIdentity,
} from "../../../src/keys/identity-file.ts";
import { encodePublicKey } from "../../../src/keys/identity.ts";
import { loadWallet, walletFileName } from "../../../src/keys/wallet-file.ts";
import { schemaOf } from "../../../src/plugin/database-config.ts";
import { PostgresServer } from "../../helpers/postgres.ts";
import { openTestLedger } from "../../helpers/runtime-ledger.ts";
import { Chain } from "../../torture/harness/chain/chain.ts";
import type { ProcessExit } from "../../torture/harness/evidence/evidence.ts";
import { Journal } from "../../torture/harness/evidence/journal.ts";
import { Links } from "../../torture/harness/network/links.ts";
import { PortFinder } from "../../torture/harness/network/ports.ts";
import { Proxy } from "../../torture/harness/network/proxy.ts";
import { Supervisor } from "../../torture/harness/processes/supervisor.ts";
import { accountsOf } from "../../torture/harness/settings.ts";
import { ServedReplica } from "./replica.ts";

/** The node with replicas, and the others. */
export const NODE = "alice";
const members = ["bob", "carol"] as const;
export const schema = schemaOf(NODE);

export interface WorldOptions {
  readonly outDir: string;
  /** Of replicas that can be started. None runs at first. */
  readonly replicas: readonly string[];
  readonly lease: {
    readonly leaseMs: number;
    readonly graceMs: number;
    readonly pollMs: number;
  };
  readonly blockMs: number;
  /** What all nodes have in their configuration, besides who they are. */
  readonly settings: object;
}

/** A member took note of another coordinator. */
export interface ChangeFact {
  readonly node: string;
  readonly from?: string;
  readonly to?: string;
  readonly takeover?: string;
}

/** A chain, a database, a node with replicas and two other members, all in processes of their own and all of them breakable. */
export interface ReplicaWorld {
  readonly options: WorldOptions;
  readonly chain: Chain;
  readonly server: PostgresServer;
  readonly links: Links;
  readonly replicas: ReadonlyMap<string, ServedReplica>;
  readonly members: ReadonlyMap<string, Supervisor>;
  readonly exits: Journal<ProcessExit>;
  /** What the members have logged of coordinators. */
  readonly changes: ChangeFact[];
  readonly outDir: string;
  readonly stop: () => Promise<void>;
}

/** Starts everything but the replicas. */
export async function openReplicaWorld(
  options: WorldOptions,
): Promise<ReplicaWorld> {
  const { outDir, blockMs } = options;
  const names = [...options.replicas, ...members];
  const finder = new PortFinder();
  const ports = await findPorts(finder, names);
  const portOf = (name: string): number => ports.get(name) ?? 0;
  const links = new Links({ names }, { portOf });
  mkdirSync(outDir, { recursive: true });
  const exits = new Journal<ProcessExit>(path.join(outDir, "exits.jsonl"));
  const port = await finder.find();
  const chain = new Chain({ port, names, blockMs, outDir });
  const server = await PostgresServer.start();
  const changes: ChangeFact[] = [];
  const closing: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing) await close();
    await chain.stop();
    await links.stop();
    await exits.close();
    await server.stop();
  };
  try {
    await chain.start();
    await links.start();
    const factory = await deployFactory(chain);
    const parts = { options, chain, server, links, finder, ports, factory };
    const replicas = await createReplicas(parts, closing);
    const others = await createMembers({ ...parts, exits, changes }, closing);
    await Promise.all(
      [...others.values()].map(async (one) => {
        await one.start();
      }),
    );
    return {
      options,
      chain,
      server,
      links,
      replicas,
      members: others,
      exits,
      changes,
      outDir,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findPorts(
  finder: PortFinder,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ports = new Map<string, number>();
  for (const name of names) ports.set(name, await finder.find());
  return ports;
}

interface Parts {
  readonly options: WorldOptions;
  readonly chain: Chain;
  readonly server: PostgresServer;
  readonly links: Links;
  readonly finder: PortFinder;
  readonly ports: ReadonlyMap<string, number>;
  readonly factory: string;
}

async function createReplicas(
  parts: Parts,
  closing: (() => Promise<void>)[],
): Promise<ReadonlyMap<string, ServedReplica>> {
  const { options, server, chain, finder, ports } = parts;
  const replicas = new Map<string, ServedReplica>();
  const [first] = options.replicas;
  for (const name of options.replicas) {
    const { port } = server;
    const database = new Proxy({ target: () => port });
    await database.start();
    const dataDir = path.join(options.outDir, "data", name);
    copyKeys(options, { from: first ?? name, to: name });
    const one = new ServedReplica(
      {
        name: NODE,
        dataDir,
        rpcPort: await finder.find(2),
        statusPort: await finder.find(),
        chainUrl: chain.urlFor(name),
        outDir: options.outDir,
        replica: { name, listen: `127.0.0.1:${ports.get(name) ?? 0}` },
        config: {
          ...configOf(name, parts),
          database: {
            url: `postgres://postgres@127.0.0.1:${database.port}/postgres`,
            ...options.lease,
            snapshotBytes: 1_048_576,
          },
        },
      },
      { database },
    );
    replicas.set(name, one);
    closing.push(async () => {
      await one.kill();
      await database.stop();
    });
  }
  return replicas;
}

/** All replicas are the same node. */
function copyKeys(
  options: WorldOptions,
  { from, to }: { readonly from: string; readonly to: string },
): void {
  const [source, target] = [from, to].map((name) => folderOf(options, name));
  if (source === undefined || target === undefined) return;
  mkdirSync(target, { recursive: true, mode: 0o700 });
  loadIdentity({ directory: source });
  loadWallet({ directory: source });
  if (source === target) return;
  for (const file of [identityFileName, walletFileName])
    copyFileSync(path.join(source, file), path.join(target, file));
}

async function createMembers(
  parts: Parts & Pick<ReplicaWorld, "exits" | "changes">,
  closing: (() => Promise<void>)[],
): Promise<ReadonlyMap<string, Supervisor>> {
  const { options, chain, finder, exits, changes } = parts;
  const created = new Map<string, Supervisor>();
  for (const name of members) {
    const one = new Supervisor(
      {
        name,
        dataDir: path.join(options.outDir, "data"),
        rpcPort: await finder.find(2),
        statusPort: await finder.find(),
        chainUrl: chain.urlFor(name),
        outDir: options.outDir,
        config: configOf(name, parts),
      },
      {
        exits,
        onLine: (node, line) => {
          if (line.includes('"coordinator-changed"'))
            changes.push({ ...(JSON.parse(line) as ChangeFact), node });
        },
      },
    );
    created.set(name, one);
    closing.push(async () => {
      await one.kill();
    });
  }
  return created;
}

/** Every process sees the nodes of others behind proxies of its own. */
function configOf(
  own: string,
  { options, links, ports, factory }: Parts,
): object {
  const isReplica = options.replicas.includes(own);
  const accounts = accountsOf(1 + members.length);
  const addressOf = (name: string): string => {
    const isSeen =
      name !== own && !(isReplica && options.replicas.includes(name));
    const port = isSeen
      ? links.portFor({ from: own, to: name })
      : ports.get(name);
    return `127.0.0.1:${port ?? 0}`;
  };
  const peers = [NODE, ...members].map((name) => {
    const directory = folderOf(
      options,
      name === NODE ? (options.replicas[0] ?? "") : name,
    );
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const address =
      name === NODE ? options.replicas.map(addressOf) : addressOf(name);
    const key = encodePublicKey(loadIdentity({ directory }).publicKey);
    return [name, { address, key, endorser: accounts.get(name)?.address }];
  });
  return {
    ...options.settings,
    networks: { torture: { factory } },
    peers: Object.fromEntries(peers) as object,
  };
}

/** Where a process keeps its data. */
function folderOf({ outDir, replicas }: WorldOptions, name: string): string {
  const data = path.join(outDir, "data", name);
  return replicas.includes(name) ? path.join(data, NODE) : data;
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
