import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { type Account, accountsFor } from "../../src/plugin/accounts.ts";
import { chainClientsOf } from "../../src/plugin/chain-clients.ts";
import { nodeNames } from "../../src/plugin/cluster-config.ts";
import { ensureFactory } from "../../src/plugin/deployment/ensure-factory.ts";
import { faucetOf } from "../../src/plugin/faucet.ts";
import type { GroupAddress } from "../../src/protocol/ids.ts";
import { parseGroupAddress } from "../../src/protocol/ids.ts";
import { Cluster } from "../../src/cluster/cluster.ts";
import { builtInDomains } from "../../src/domains/built-in.ts";
import { groupToken } from "../../src/domains/group-token.ts";
import type { Listening } from "../../src/host/host.ts";
import { stopThenClose } from "../../src/chain/client/stop.ts";
import type { NodeSettings } from "../../src/node/settings.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import { type RunFact, runFactOf } from "../../src/view/facts.ts";
import { askChain, connect, disconnect } from "../shared/chain.ts";
import type { Parts } from "../../src/host/parts.ts";
import { dataDirErrorOf } from "../shared/data-dir-error.ts";
import { failureOf } from "../shared/failure.ts";
import {
  type DataDir,
  openDataDir,
  type SavedRun,
} from "../shared/data-dir.ts";
import { requireFunded } from "../shared/funds.ts";
import { requireSameAccounts, requireSameChain } from "../shared/resume.ts";
import { openRpc } from "../shared/rpc-servers.ts";
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
  readonly parts: Parts;
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
  const { hre, tell, parts } = ports;
  const dataDir = openDataDir(request.dataDir);
  await parts.add(dataDir.close);
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
  await parts.add(async () => {
    await disconnect(connection);
  });
  const { networkName: network } = connection;
  const clients = await chainClientsOf(connection, config.networks[network]);
  // For all that is not a node's own: the users' JSON-RPC, the faucet, and counting in the end.
  const client = clients.open();
  await parts.add(client.close);
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
  const cluster = startCluster(
    { run, chainId: chain.chainId, accounts, settings, directory: path },
    { ...ports, openClient: clients.open, usersClient: client },
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
  const rpcs: Listening[] = [];
  const closeRpc = async (): Promise<void> => {
    await Promise.all(rpcs.splice(0).map(({ close }) => close()));
  };
  await parts.add(async () => {
    await stopThenClose(closeRpc, [client]);
  });
  for (const [index, { host }] of cluster.members.entries()) {
    const rpc = await openRpc(host, { port: request.rpcPort, index }, ports);
    rpcs.push(rpc);
    const { httpUrl: url, webSocketUrl } = rpc;
    const account = accounts[index]?.address ?? "";
    tell({ type: "node", node: host.name, account, url, webSocketUrl });
  }
  return {
    cluster,
    client,
    group: address,
    closeRpc,
  };
}

function startCluster(
  options: {
    readonly run: SavedRun;
    readonly chainId: number;
    readonly accounts: readonly Account[];
    readonly settings: NodeSettings;
    readonly directory: string;
  },
  ports: StartPorts & {
    readonly openClient: () => ChainClient;
    readonly usersClient: ChainClient;
  },
): Cluster {
  const { run, accounts, settings, directory } = options;
  const { openClient, usersClient, tell, onFatal, parts } = ports;
  const open = (): Cluster =>
    new Cluster(
      {
        names: run.nodes.map(({ name }) => name),
        chainId: BigInt(options.chainId),
        factory: run.factory.toLowerCase(),
        settings,
        dataDir: directory,
      },
      {
        openClient,
        usersClient,
        keys: accounts.map(({ privateKey }) => privateKey),
        domains: builtInDomains,
        faucet: faucetOf(usersClient),
        onFact: (node, fact) => {
          const seen = runFactOf(node, fact);
          if (seen !== undefined) tell(seen);
        },
        onFatal: (node, error) => {
          onFatal(failureOf(node, error));
        },
      },
    );
  try {
    const cluster = parts.openNow("the nodes", open, ({ stop }) => stop());
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
