import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { GroupAddress } from "../../protocol/ids.ts";
import { parseGroupAddress } from "../../protocol/ids.ts";
import { Cluster } from "../../runtime/cluster/cluster.ts";
import { groupToken } from "../../runtime/domains/group-token.ts";
import { KeyError } from "../../runtime/keys/key-error.ts";
import { openChainClient } from "../../runtime/ledger/client/open.ts";
import {
  defaultSettings,
  type NodeSettings,
} from "../../runtime/node/settings.ts";
import type { NodeGroup } from "../../runtime/service.ts";
import { StoreError } from "../../runtime/store/store-error.ts";
import { type RunFact, runFactOf } from "../../view/facts.ts";
import { ensureFactory } from "../deployment/ensure-factory.ts";
import { SequencerError } from "../errors.ts";
import { type Account, accountsFor } from "./accounts.ts";
import { askChain, connect, type Connection } from "./chain.ts";
import type { Closers } from "./closers.ts";
import { type DataDir, openDataDir, type SavedRun } from "./data-dir.ts";
import { requireFunded } from "./funds.ts";
import { namesOf } from "./names.ts";
import { nodesDefault, type RunRequest, thresholdFor } from "./options.ts";
import {
  requireSameAccounts,
  requireSameChain,
  requireSameOptions,
} from "./resume.ts";

/** What starting nodes needs of the world. */
export interface StartPorts {
  readonly hre: HardhatRuntimeEnvironment;
  readonly tell: (fact: RunFact) => void;
  /** A node cannot go on. */
  readonly onFatal: (error: unknown) => void;
  /** Gets everything that was opened. */
  readonly closers: Closers;
}

/** Connects with the chain, sees to it that the ledger is there, and starts nodes that share a group. */
export async function startNodes(
  request: RunRequest,
  ports: StartPorts,
): Promise<{
  readonly cluster: Cluster;
  readonly connection: Connection;
  readonly group: GroupAddress;
  readonly closeDoors: () => Promise<void>;
}> {
  const { hre, tell, closers } = ports;
  const dataDir = openDataDir(request.dataDir);
  await closers.add(dataDir.close);
  const { saved, path } = dataDir;
  if (saved !== undefined) requireSameOptions(saved, request, path);
  const count = saved?.nodes.length ?? request.nodes ?? nodesDefault;
  const threshold =
    saved?.group?.threshold ?? thresholdFor(request.threshold, count);

  const connection = await connect(hre, request);
  await closers.add(async () => {
    await connection.close();
  });
  const chain = await askChain(connection);
  if (saved !== undefined)
    await requireSameChain(saved, chain, { directory: path, connection });
  const accounts = await accountsFor(connection, count);
  if (saved !== undefined) requireSameAccounts(saved, accounts, path);
  const names = saved?.nodes.map(({ name }) => name) ?? namesOf(count);
  await requireFunded(connection, names, accounts);
  const network = connection.networkName;
  const factory =
    saved?.factory ??
    (await ensureFactory(
      connection,
      hre.config.sequencer.networks[network]?.factory,
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

  const settings: NodeSettings = {
    ...defaultSettings,
    policy: saved?.group?.policy ?? request.policy ?? defaultSettings.policy,
    rangeSizeBlocks: request.rangeSizeBlocks ?? defaultSettings.rangeSizeBlocks,
    heartbeatMs: request.heartbeatMs ?? defaultSettings.heartbeatMs,
  };
  const cluster = await startCluster(
    { run, chainId: chain.chainId, accounts, settings, directory: path },
    { ...ports, connection },
  );
  const group = await findGroup(cluster, { run, threshold, settings, dataDir });
  const isNew = run.group === undefined;
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
  return {
    cluster,
    connection,
    group: address,
    closeDoors: async () => {
      await Promise.resolve();
    },
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
  ports: StartPorts & { readonly connection: Connection },
): Promise<Cluster> {
  const { run, accounts, settings, directory } = options;
  const { connection, tell, onFatal, closers } = ports;
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
        openClient: () => openChainClient(connection.provider),
        endorserKey: (name) => keys.get(name) ?? "",
        domains: [groupToken],
        payerKeys: (name) => [keys.get(name) ?? ""],
        createUsers: () => ({
          settle: () => undefined,
          unsettle: () => undefined,
        }),
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
    if (error instanceof StoreError && error.code === "LOCKED")
      throw new SequencerError("DATA_DIR_LOCKED", { directory }, error);
    if (error instanceof StoreError || error instanceof KeyError)
      throw new SequencerError(
        "DATA_DIR_DAMAGED",
        { reason: error.message },
        error,
      );
    throw error;
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
    saved === undefined ? undefined : cluster.members[0]?.node.group(saved);
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
