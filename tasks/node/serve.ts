import { join } from "node:path";

import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import {
  type ChainClients,
  chainClientsOf,
} from "../../src/plugin/chain-clients.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import { faucetOf } from "../../src/plugin/faucet.ts";
import { builtInDomains } from "../../src/domains/built-in.ts";
import { createEndorser, createPayer } from "../../src/keys/secp256k1.ts";
import { loadWallet } from "../../src/keys/wallet-file.ts";
import { stopThenClose } from "../../src/chain/client/stop.ts";
import { Host, type HostOptions, type HostPorts } from "../../src/host/host.ts";
import { databaseBytes } from "../../src/monitor/database-size.ts";
import { Monitor } from "../../src/monitor/monitor.ts";
import type { NodePorts } from "../../src/node/ports.ts";
import type { SocketNetwork } from "../../src/network/socket/network.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { askChain, connect, disconnect } from "../shared/chain.ts";
import type { Parts } from "../../src/host/parts.ts";
import { dataDirErrorOf } from "../shared/data-dir-error.ts";
import { failureOf } from "../shared/failure.ts";
import { requireIdentity } from "../shared/node-identity.ts";
import { openRpc } from "../shared/rpc-servers.ts";
import { joinConfiguredGroups } from "./configured-groups.ts";
import type { NodeRequest } from "./options.ts";
import {
  readPeers,
  requireListen,
  requireOwn,
  requireOwnKey,
} from "./peers.ts";
import {
  type NodeAccounts,
  requireAccounts,
  requireChain,
} from "./preconditions.ts";
import type { NodeReporter, Reachable } from "./reporter.ts";
import { readServers } from "./servers.ts";
import { peersOf, openSockets } from "./sockets.ts";
import { openStatusServer } from "./status-server.ts";

/** What serving needs of the world. */
export interface ServePorts {
  readonly hre: HardhatRuntimeEnvironment;
  readonly reporter: NodeReporter;
  /** The node cannot go on. */
  readonly onFatal: (error: unknown) => void;
  /** Gets everything that was opened. */
  readonly parts: Parts;
  readonly onBatch?: NodePorts["onBatch"];
}

/** Starts one node, between its peers, the chain and its users. What was on its disk goes on. */
export async function serve(
  request: NodeRequest,
  ports: ServePorts,
): Promise<Reachable> {
  const { hre, parts, reporter } = ports;
  const { name, directory } = request;
  const { sequencer: config } = hre.config;
  const servers = await readServers(config.servers, request);
  const peers = readPeers(config.peers);
  const own = requireOwn(peers, name);
  const identity = requireIdentity(request);
  requireOwnKey(own, identity, request);
  const listen = requireListen(own, request);

  const connection = await connect(hre);
  await parts.add(async () => {
    await disconnect(connection);
  });
  const { networkName: network } = connection;
  if (connection.networkConfig.type !== "http")
    throw new SequencerError("NETWORK_TEMPORARY", { network });
  const clients = await chainClientsOf(connection, config.networks[network]);
  // For users, and for all that is asked before the node runs.
  const client = clients.open();
  await parts.add(client.close);
  const chain = await askChain(connection, client);
  const accounts = await requireAccounts(connection, { name, own });
  const { endorser, payer } = accounts;
  const factory = await requireChain(request, {
    connection,
    chain,
    endorser,
    configured: config.networks[network]?.factory,
  });

  const sockets = await openSockets(
    { name, identity, peers, listen },
    { onFact: reporter.seePeer },
  );
  await parts.add(sockets.stop);
  const { host, monitor } = startHost(
    {
      request,
      accounts,
      chainId: BigInt(chain.chainId),
      factory: factory.toLowerCase(),
      settings: config.settings,
    },
    { ...ports, clients, usersClient: client, sockets, identity, peers },
  );
  await parts.add(
    joinConfiguredGroups(
      { network, groups: config.networks[network]?.groups ?? {} },
      {
        service: host.node,
        timers: machineTimers,
        report: reporter.report,
      },
    ),
  );
  const status = await openStatusServer(
    { node: name, port: request.statusPort, ...servers.status },
    { monitor, report: reporter.report },
  );
  await parts.add(status.close);
  const { close, httpUrl, webSocketUrl } = await openRpc(
    host,
    { port: request.rpcPort, index: 0, access: servers.rpc },
    reporter,
  );
  await parts.add(async () => {
    await stopThenClose(close, [client]);
  });
  // Whoever asks whether it is ready hears at once that it is not any more.
  await parts.add(monitor.stop);
  return {
    network,
    chainId: chain.chainId,
    factory,
    directory,
    account: endorser.address,
    payer: payer.address,
    address: { host: listen.host, port: sockets.port },
    statusUrl: status.url,
    url: httpUrl,
    webSocketUrl,
  };
}

function startHost(
  options: {
    readonly request: NodeRequest;
    readonly accounts: NodeAccounts;
  } & Pick<HostOptions, "chainId" | "factory" | "settings">,
  ports: ServePorts & {
    readonly clients: ChainClients;
    readonly sockets: SocketNetwork;
  } & Pick<HostPorts, "usersClient" | "identity" | "peers">,
): { readonly host: Host; readonly monitor: Monitor } {
  const { request, accounts, ...rest } = options;
  const { name, directory } = request;
  const { clients, sockets, reporter, parts } = ports;
  const file = join(directory, "node.db");
  const client = clients.open();
  const monitor = new Monitor(
    {},
    {
      status: () => host.node.status(),
      load: () => host.node.load(),
      peers: () => peersOf(sockets),
      databaseBytes: () => databaseBytes(file),
      isStoreOpen: () => host.store?.database.isOpen === true,
      logLinesLost: reporter.linesLost,
      chainRequests: () => ({
        sent: clients.requests(),
        rateLimited: clients.rateLimited(),
      }),
    },
  );
  const host = new Host(
    { ...rest, name, file },
    {
      ...ports,
      connect: sockets.connect,
      client,
      endorser: createEndorser(accounts.endorser.privateKey),
      wallet: loadWallet({ directory }),
      domains: builtInDomains,
      payers: [createPayer(accounts.payer.privateKey)],
      faucet: faucetOf(client),
      onFact: (fact) => {
        monitor.see(fact);
        reporter.see(fact);
      },
      onFatal: (error) => {
        monitor.fail(error);
        ports.onFatal(failureOf(name, error));
      },
    },
  );
  parts.openNow(
    name,
    () => host,
    async ({ stop }) => {
      await stopThenClose(stop, [client]);
    },
  );
  try {
    host.start();
  } catch (error) {
    throw dataDirErrorOf(error, directory);
  }
  return { host, monitor };
}
