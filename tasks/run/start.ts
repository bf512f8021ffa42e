import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { type Account, accountsFor } from "../../src/plugin/accounts.ts";
import { chainClientsOf } from "../../src/plugin/chain-clients.ts";
import { nodeNames } from "../../src/plugin/cluster-config.ts";
import { ensureFactory } from "../../src/plugin/deployment/ensure-factory.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import { faucetOf } from "../../src/plugin/faucet.ts";
import type { GroupAddress } from "../../src/protocol/ids.ts";
import { parseGroupAddress } from "../../src/protocol/ids.ts";
import { Cluster } from "../../src/runtime/cluster/cluster.ts";
import { builtInDomains } from "../../src/runtime/domains/built-in.ts";
import { groupToken } from "../../src/runtime/domains/group-token.ts";
import { stopThenClose } from "../../src/runtime/ledger/client/stop.ts";
import type { NodeSettings } from "../../src/runtime/node/settings.ts";
import type { ChainClient, Faucet } from "../../src/runtime/ports.ts";
import type { NodeGroup } from "../../src/runtime/service.ts";
import { UserBook } from "../../src/runtime/users/book.ts";
import { type RunFact, runFactOf } from "../../src/view/facts.ts";
import { askChain, connect, disconnect } from "../shared/chain.ts";
import type { Closers } from "../shared/closers.ts";
import { dataDirErrorOf } from "../shared/data-dir-error.ts";
import {
  type DataDir,
  openDataDir,
  type SavedRun,
} from "../shared/data-dir.ts";
import { requireFunded } from "../shared/funds.ts";
import { requireSameAccounts, requireSameChain } from "../shared/resume.ts";
import { RpcServers } from "../shared/rpc-servers.ts";
import { keepMining } from "./mining.ts";
import { type RunRequest, thresholdFor } from "./options.ts";
import { requireSameOptions } from "./same-options.ts";

/** What starting nodes needs of the world. */
export interface StartPorts {
  readonly hre: HardhatRuntimeEnvironment;
  readonly tell: (fact: RunFact) => void;
  /** A node cannot go on. */
  readonly onFatal: (error: unknown) => void;
  /** Gets errors that users of nodes are not told. */
  readonly report: (error: unknown) => void;
  /** Gets everything that was opened. */
  readonly closers: Closers;
}

/** Connects with the chain, sees to it that the ledger is there, and starts nodes that share a group. */
export async function startNodes(
  request: RunRequest,
  ports: StartPorts,
): Promise<{
  readonly cluster: Cluster;
  readonly client: ChainClient;
  readonly group: GroupAddress;
  /** Takes no more requests. */
  readonly closeRpc: () => Promise<void>;
}> {
  const { hre, tell, closers } = ports;
  const dataDir = openDataDir(request.dataDir);
  await closers.add(dataDir.close);
  const { saved, path } = dataDir;
  if (saved !== undefined) requireSameOptions(saved, request, path);
  const { sequencer: config } = hre.config;
  const names =
    saved?.nodes.map(({ name }) => name) ??
    namesFor(request.nodes, config.nodes);
  const count = names.length;
  const threshold =
    saved?.group?.threshold ??
    thresholdFor(request.threshold ?? config.threshold, count);

  const connection = await connect(hre);
  await closers.add(async () => {
    await disconnect(connection);
  });
  const { networkName: network } = connection;
  const clients = await chainClientsOf(connection, config.networks[network]);
  // For all that is not a node's own: the users' JSON-RPC, the faucet, and counting in the end.
  const client = clients.open();
  await closers.add(client.close);
  const chain = await askChain(connection, client);
  if (saved !== undefined)
    await requireSameChain(saved, chain, { directory: path, connection });
  const accounts = await accountsFor(connection, count);
  if (saved !== undefined) requireSameAccounts(saved, accounts, path);
  await requireFunded(connection, names, accounts);
  const factory =
    saved?.factory ??
    (await ensureFactory(
      connection,
      config.networks[network]?.factory,
      () => undefined,
    ));
  tell({
    type: "network",
    network,
    chainId: chain.chainId,
    factory,
    isTemporary: connection.networkConfig.type === "edr-simulated",
    dataDir: dataDir.isTemporary ? null : path,
  });
  const run: SavedRun = saved ?? {
    version: 1,
    ...chain,
    factory,
    nodes: names.map((name, i) => ({
      name,
      address: accounts[i]?.address ?? "",
    })),
  };
  dataDir.save(run);
  await keepMining(connection, {
    asked: request.blockTimeMs,
    usual: config.blockMs,
  });

  const { policy, rangeSizeBlocks, heartbeatMs } = config.settings;
  const settings: NodeSettings = {
    ...config.settings,
    policy: saved?.group?.policy ?? request.policy ?? policy,
    rangeSizeBlocks: request.rangeSizeBlocks ?? rangeSizeBlocks,
    heartbeatMs: request.heartbeatMs ?? heartbeatMs,
  };
  const books = new Map<string, UserBook>();
  const cluster = await startCluster(
    { run, chainId: chain.chainId, accounts, settings, directory: path },
    { ...ports, openClient: clients.open, faucet: faucetOf(client), books },
  );
  const group = await findGroup(cluster, { run, threshold, settings, dataDir });
  const isNew = parseGroupAddress(run.group?.address) !== group.address;
  const { address, id, name, domain, members } = group;
  tell({
    type: "group",
    group: address,
    id,
    name,
    domain: domain.name,
    members,
    threshold: group.threshold,
    policy: settings.policy,
    isNew,
  });
  const rpcServers = new RpcServers({ port: request.rpcPort }, ports);
  await closers.add(async () => {
    await stopThenClose(rpcServers.close, [client]);
  });
  for (const [i, { name: node, node: service }] of cluster.members.entries()) {
    const book = books.get(node);
    if (book === undefined) throw new Error(`${node} has no book.`);
    const urls = await rpcServers.open(i, {
      service,
      book,
      client,
    });
    const account = accounts[i]?.address ?? "";
    tell({ type: "node", node, account, ...urls });
  }
  return {
    cluster,
    client,
    group: address,
    closeRpc: rpcServers.close,
  };
}

async function startCluster(
  options: {
    readonly run: SavedRun;
    readonly chainId: number;
    readonly accounts: readonly Account[];
    readonly settings: NodeSettings;
    readonly directory: string;
  },
  ports: StartPorts & {
    readonly openClient: () => ChainClient;
    readonly faucet: Faucet;
    /** Gets the book of every node. */
    readonly books: Map<string, UserBook>;
  },
): Promise<Cluster> {
  const { run, accounts, settings, directory } = options;
  const { openClient, faucet, books, tell, onFatal, closers } = ports;
  const factory = run.factory.toLowerCase();
  const keys = new Map(
    run.nodes.map(({ name }, i) => [name, accounts[i]?.privateKey ?? ""]),
  );
  try {
    const cluster = new Cluster(
      {
        names: run.nodes.map(({ name }) => name),
        chainId: BigInt(options.chainId),
        factory,
        settings,
        dataDir: directory,
      },
      {
        openClient,
        endorserKey: (name) => keys.get(name) ?? "",
        domains: builtInDomains,
        payerKeys: (name) => [keys.get(name) ?? ""],
        faucet,
        createUsers: (store, name) => {
          const { database } = store;
          const book = new UserBook({ database, now: () => Date.now() });
          books.set(name, book);
          return book;
        },
        onFact: (node, fact) => {
          const seen = runFactOf(node, fact);
          if (seen !== undefined) tell(seen);
        },
        onFatal: (node, error) => {
          onFatal(failureOf(node, error));
        },
      },
    );
    await closers.add(async () => {
      await cluster.stop();
    });
    cluster.start();
    return cluster;
  } catch (error) {
    throw dataDirErrorOf(error, directory);
  }
}

/** The group of an earlier run, or a new one of all nodes. */
async function findGroup(
  cluster: Cluster,
  {
    run,
    threshold,
    settings,
    dataDir,
  }: {
    readonly run: SavedRun;
    readonly threshold: number;
    readonly settings: NodeSettings;
    readonly dataDir: DataDir;
  },
): Promise<NodeGroup> {
  const saved = parseGroupAddress(run.group?.address);
  const known =
    saved === undefined ? undefined : await cluster.findGroup(saved);
  if (known !== undefined) return known;
  const group = await cluster.createGroup({
    domain: groupToken.name,
    name: "main",
    threshold,
  });
  const { policy } = settings;
  dataDir.save({
    ...run,
    group: { address: group.address, threshold, policy },
  });
  return group;
}

function failureOf(node: string, error: unknown): Error {
  const cause = error instanceof Error ? error : new Error(String(error));
  return new SequencerError(
    "NODE_FAILED",
    { node, reason: cause.message },
    cause,
  );
}

/** So many as the user wants, by the names of the configuration as far as they go. */
function namesFor(
  count: number | undefined,
  configured: readonly string[],
): readonly string[] {
  if (count === undefined || count === configured.length) return configured;
  return count < configured.length
    ? configured.slice(0, count)
    : nodeNames(count);
}
