import { SequencerError } from "../../src/plugin/errors.ts";
import type { NodeName } from "../../src/protocol/ids.ts";
import type { Identity } from "../../src/keys/identity.ts";
import type { PeerStatus } from "../../src/monitor/ports.ts";
import { registryOf } from "../../src/host/peers.ts";
import { machineTimers } from "../../src/async/timers.ts";
import {
  type PeerAddress,
  showAddress,
} from "../../src/network/socket/address.ts";
import type { SocketFact } from "../../src/network/socket/facts.ts";
import { ListenError } from "../../src/network/socket/listen-error.ts";
import {
  openSocketNetwork,
  type SocketNetwork,
} from "../../src/network/socket/network.ts";
import type { Peer } from "./peers.ts";

/** Listens to the other nodes of the configuration. */
export async function openSockets(
  options: {
    readonly name: NodeName;
    readonly identity: Identity;
    readonly peers: ReadonlyMap<NodeName, Peer>;
    readonly listen: PeerAddress;
  },
  ports: { readonly onFact: (fact: SocketFact) => void },
): Promise<SocketNetwork> {
  const { name, identity, listen } = options;
  const peers = [...options.peers];
  try {
    return await openSocketNetwork(
      {
        name,
        identity,
        registry: registryOf(options.peers),
        addresses: new Map(
          peers.map(([peer, { addresses }]) => [peer, addresses]),
        ),
        listen,
      },
      { timers: machineTimers, onFact: ports.onFact },
    );
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    throw new SequencerError(
      "LISTEN_REFUSED",
      { node: name, address: showAddress(listen), reason: error.code },
      error,
    );
  }
}

/** How a node gets on with the others, in short. */
export function peersOf({ status }: SocketNetwork): readonly PeerStatus[] {
  return [...status().peers].map(([name, { isConnected, queued, lost }]) => ({
    name,
    isConnected,
    queued,
    lost: Object.values(lost).reduce((sum, count) => sum + count, 0),
  }));
}
