import { join } from "node:path";

import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import {
  type ChainClients,
  chainClientsOf,
} from "../../src/plugin/chain-clients.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import { faucetOf } from "../../src/plugin/faucet.ts";
import type { NodeName } from "../../src/protocol/ids.ts";
import { Member, directoryOf } from "../../src/runtime/cluster/member.ts";
import { builtInDomains } from "../../src/runtime/domains/built-in.ts";
import type { Identity } from "../../src/runtime/keys/identity.ts";
import {
  createEndorser,
  createPayer,
} from "../../src/runtime/keys/secp256k1.ts";
import { loadWallet } from "../../src/runtime/keys/wallet-file.ts";
import { stopThenClose } from "../../src/runtime/ledger/client/stop.ts";
import { databaseBytes } from "../../src/runtime/monitor/database-size.ts";
import { Monitor } from "../../src/runtime/monitor/monitor.ts";
import type { NodePorts } from "../../src/runtime/node/ports.ts";
import type { Database } from "../../src/runtime/store/database.ts";
import type { SocketNetwork } from "../../src/runtime/transport/socket/network.ts";
import { machineTimers } from "../../src/runtime/timers.ts";
import { UserBook } from "../../src/runtime/users/book.ts";
import { askChain, connect, disconnect } from "../shared/chain.ts";
import type { Closers } from "../shared/closers.ts";
import { dataDirErrorOf } from "../shared/data-dir-error.ts";
import { requireIdentity } from "../shared/node-identity.ts";
import { RpcServers } from "../shared/rpc-servers.ts";
import { joinConfiguredGroups } from "./configured-groups.ts";
import type { NodeRequest } from "./options.ts";
import { type Peer, readPeers, requireOwn, requireOwnKey } from "./peers.ts";
import {
  type NodeAccounts,
  requireAccounts,
  requireChain,
} from "./preconditions.ts";
import type { NodeReporter, Reachable } from "./reporter.ts";
import { peersOf, openSockets } from "./sockets.ts";
import { openStatusServer } from "./status-server.ts";

/** What serving needs of the world. */
export interface ServePorts {
  readonly hre: HardhatRuntimeEnvironment;
  readonly reporter: NodeReporter;
  /** The node cannot go on. */
  readonly onFatal: (error: unknown) => void;
  /** Gets everything that was opened. */
  readonly closers: Closers;
  readonly onTurn?: NodePorts["onTurn"];
}

/** Starts one node, between its peers, the chain and its users. What was on its disk goes on. */
export async function serve(
  request: NodeRequest,
  ports: ServePorts,
): Promise<Reachable> {
  const { hre, closers, reporter } = ports;
  const { name, directory } = request;
  const { sequencer: config } = hre.config;
  const peers = readPeers(config.peers);
  const own = requireOwn(peers, name);
  const identity = requireIdentity(request);
  requireOwnKey(own, identity, request);

  const connection = await connect(hre);
  await closers.add(async () => {
    await disconnect(connection);
  });
  const { networkName: network } = connection;
  if (connection.networkConfig.type !== "http")
    throw new SequencerError("NETWORK_TEMPORARY", { network });
  const clients = await chainClientsOf(connection, config.networks[network]);
  // For users, and for all that is asked before the node runs.
  const client = clients.open();
  await closers.add(client.close);
  const chain = await askChain(connection, client);
  const accounts = await requireAccounts(connection, { name, own });
  const { endorser, payer } = accounts;
  const factory = await requireChain(request, {
    connection,
    chain,
    endorser,
    configured: config.networks[network]?.factory,
  });

  const listen = request.listen ?? own.address;
  const sockets = await openSockets(
    { name, identity, peers, listen },
    { onFact: reporter.seePeer },
  );
  await closers.add(sockets.stop);
  const { member, monitor, book } = await startMember(
    {
      request,
      chainId: chain.chainId,
      factory,
      settings: config.settings,
      accounts,
    },
    { ...ports, clients, sockets, identity, peers },
  );
  await closers.add(
    joinConfiguredGroups(
      { network, groups: config.networks[network]?.groups ?? {} },
      {
        service: member.node,
        timers: machineTimers,
        report: reporter.report,
      },
    ),
  );
  const status = await openStatusServer(
    { node: name, port: request.statusPort },
    { monitor, report: reporter.report },
  );
  await closers.add(status.close);
  const rpcServers = new RpcServers({ port: request.rpcPort }, reporter);
  await closers.add(async () => {
    await stopThenClose(rpcServers.close, [client]);
  });
  const urls = await rpcServers.open(0, {
    service: member.node,
    book,
    client,
  });
  // Whoever asks whether it is ready hears at once that it is not any more.
  await closers.add(monitor.stop);
  return {
    network,
    chainId: chain.chainId,
    factory,
    directory,
    account: endorser.address,
    payer: payer.address,
    address: { host: listen.host, port: sockets.port },
    statusUrl: status.url,
    ...urls,
  };
}

async function startMember(
  options: {
    readonly request: NodeRequest;
    readonly chainId: number;
    readonly factory: string;
    readonly settings: HardhatRuntimeEnvironment["config"]["sequencer"]["settings"];
    readonly accounts: NodeAccounts;
  },
  ports: ServePorts & {
    readonly clients: ChainClients;
    readonly sockets: SocketNetwork;
    readonly identity: Identity;
    readonly peers: ReadonlyMap<NodeName, Peer>;
  },
): Promise<{
  readonly member: Member;
  readonly monitor: Monitor;
  readonly book: UserBook;
}> {
  const { request, settings, accounts } = options;
  const { name, directory } = request;
  const { clients, sockets, identity, peers, reporter, closers } = ports;
  const file = join(directory, "node.db");
  const client = clients.open();
  let opened:
    { readonly database: Database; readonly book: UserBook } | undefined;
  const monitor = new Monitor(
    {},
    {
      status: () => member.node.status(),
      load: () => member.node.load(),
      peers: () => peersOf(sockets),
      databaseBytes: () => databaseBytes(file),
      isStoreOpen: () => opened?.database.isOpen === true,
      logLinesLost: reporter.linesLost,
      chainRequests: () => ({
        sent: clients.requests(),
        rateLimited: clients.rateLimited(),
      }),
    },
  );
  const member = new Member(
    {
      name,
      chainId: BigInt(options.chainId),
      factory: options.factory.toLowerCase(),
      settings,
      file,
    },
    {
      connect: sockets.connect,
      client,
      identity,
      registry: new Map(
        [...peers].map(([peer, { publicKey }]) => [peer, publicKey]),
      ),
      directory: directoryOf(peers),
      endorser: createEndorser(accounts.endorser.privateKey),
      wallet: loadWallet({ directory }),
      domains: new Map(builtInDomains.map((domain) => [domain.name, domain])),
      payers: [createPayer(accounts.payer.privateKey)],
      faucet: faucetOf(client),
      createUsers: ({ database }) => {
        const book = new UserBook({ database, now: () => Date.now() });
        opened = { database, book };
        return book;
      },
      onTurn: ports.onTurn,
      onFact: (_name, fact) => {
        monitor.see(fact);
        reporter.see(fact);
      },
      onFatal: (_name, error) => {
        monitor.fail(error);
        ports.onFatal(failureOf(name, error));
      },
    },
  );
  try {
    member.start();
  } catch (error) {
    await client.close();
    throw dataDirErrorOf(error, directory);
  }
  await closers.add(async () => {
    await stopThenClose(async () => {
      await member.stop();
    }, [client]);
  });
  if (opened === undefined) throw new Error(`${name} has no book.`);
  return { member, monitor, book: opened.book };
}

function failureOf(node: string, error: unknown): Error {
  const cause = error instanceof Error ? error : new Error(String(error));
  return new SequencerError(
    "NODE_FAILED",
    { node, reason: cause.message },
    cause,
  );
}
