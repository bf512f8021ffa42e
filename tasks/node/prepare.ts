import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { ChainClient } from "../../src/chain/ports.ts";
import type { Parts } from "../../src/host/parts.ts";
import type { Identity } from "../../src/keys/identity.ts";
import type { PeerAddress } from "../../src/network/socket/address.ts";
import type { SocketNetwork } from "../../src/network/socket/network.ts";
import type { SequencerConfig } from "../../src/plugin/config.ts";
import {
  type ChainClients,
  chainClientsOf,
} from "../../src/plugin/chain-clients.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { NodeName } from "../../src/protocol/ids.ts";
import { askChain, connect, disconnect } from "../shared/chain.ts";
import { requireIdentity } from "../shared/node-identity.ts";
import type { NodeRequest } from "./options.ts";
import {
  type Peer,
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
import type { NodeReporter } from "./reporter.ts";
import { readServers, type ServerAccess } from "./servers.ts";
import { openSockets } from "./sockets.ts";

/** All that a node is connected with, checked and open, before it runs. */
export interface Prepared {
  readonly request: NodeRequest;
  readonly config: SequencerConfig;
  readonly network: string;
  readonly chainId: number;
  readonly factory: string;
  readonly peers: ReadonlyMap<NodeName, Peer>;
  readonly identity: Identity;
  readonly accounts: NodeAccounts;
  readonly listen: PeerAddress;
  readonly servers: ServerAccess;
  readonly clients: ChainClients;
  /** For users. */
  readonly usersClient: ChainClient;
  readonly sockets: SocketNetwork;
}

/** Checks what the node needs of the configuration, the chain and the disk, and begins to listen to peers. Nobody is let in yet. */
export async function prepare(
  request: NodeRequest,
  ports: {
    readonly hre: HardhatRuntimeEnvironment;
    readonly reporter: Pick<NodeReporter, "seePeer">;
    /** Gets everything that was opened. */
    readonly parts: Parts;
  },
): Promise<Prepared> {
  const { hre, parts, reporter } = ports;
  const { name } = request;
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
  const usersClient = clients.open();
  await parts.add(usersClient.close);
  const chain = await askChain(connection, usersClient);
  const accounts = await requireAccounts(connection, { name, own });
  const factory = await requireChain(request, {
    connection,
    chain,
    endorser: accounts.endorser,
    configured: config.networks[network]?.factory,
  });
  const sockets = await openSockets(
    { name, identity, peers, listen },
    { onFact: reporter.seePeer },
  );
  await parts.add(sockets.stop);
  const { chainId } = chain;
  return {
    ...{ request, config, network, chainId, factory, peers, identity },
    ...{ accounts, listen, servers, clients, usersClient, sockets },
  };
}
