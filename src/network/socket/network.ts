import type { NodeName } from "../../protocol/ids.ts";
import type { Identity, Registry } from "../../keys/identity.ts";
import type { Timers } from "../../async/timers.ts";
import type { Carrier, Connect } from "../carrier.ts";
import { Link } from "../link.ts";
import type { Draw } from "../link-faults.ts";
import type { PeerAddress } from "./address.ts";
import { Dialler } from "./dialler.ts";
import type { SocketFact } from "./facts.ts";
import { Gate } from "./gate.ts";
import { type SocketLimits, socketLimits } from "./limits.ts";
import { requireDistinctKeys } from "./peer-key.ts";
import type { SocketStatus } from "./status.ts";

/** One node among those that it can reach. */
export interface SocketOptions {
  readonly name: NodeName;
  readonly identity: Identity;
  /** The public keys of all nodes, this one among them. */
  readonly registry: Registry<NodeName>;
  /** Where the others listen, each at one address or, with replicas, at several. A node without one can be heard, but not told anything. */
  readonly addresses: ReadonlyMap<NodeName, readonly PeerAddress[]>;
  /** With port 0, any that is free. */
  readonly listen: PeerAddress;
  readonly limits?: Partial<SocketLimits> | undefined;
}

interface SocketPorts {
  readonly timers: Timers;
  readonly onFact?: ((fact: SocketFact) => void) | undefined;
  /** Spreads the times at which nodes dial again. */
  readonly draw?: Draw | undefined;
}

/** The sockets of one node. */
export interface SocketNetwork {
  /** Takes the node in, and dials all others. It can come back after it has stopped. */
  readonly connect: Connect;
  /** On which it listens. */
  readonly port: number;
  readonly status: () => SocketStatus;
  /** When it resolves, the port is free, and no socket and no timer is left. */
  readonly stop: () => Promise<void>;
}

/** Resolves when it listens; peers are let in from `connect` on. Rejects with a `ListenError` if it cannot listen. */
export async function openSocketNetwork(
  options: SocketOptions,
  ports: SocketPorts,
): Promise<SocketNetwork> {
  requireDistinctKeys(options);
  const network = new Sockets(options, ports);
  const port = await network.start(options.listen);
  return {
    port,
    connect: (name, arrive) => network.connect(name, arrive),
    status: () => network.status(),
    stop: async () => {
      await network.stop();
    },
  };
}

class Sockets {
  readonly #name: NodeName;
  readonly #diallers: ReadonlyMap<NodeName, Dialler>;
  readonly #gate: Gate;
  /** What a node tells itself needs no socket. */
  readonly #self: Link;
  #arrive: ((wire: Uint8Array) => void) | undefined;
  #unaddressed = 0;

  constructor(options: SocketOptions, ports: SocketPorts) {
    const { name, registry } = options;
    const limits = { ...socketLimits, ...options.limits };
    const onFact = ports.onFact ?? (() => undefined);
    const draw = ports.draw ?? { fraction: () => Math.random() };
    const secureContext = options.identity.tls(name);
    const { timers } = ports;
    this.#name = name;
    this.#diallers = new Map(
      [...options.addresses]
        .filter(([peer]) => peer !== name)
        .map(([peer, addresses]) => {
          const key = registry.get(peer);
          if (key === undefined)
            throw new Error(`No public key is registered for ${peer}.`);
          return [
            peer,
            new Dialler(
              { peer, addresses, key, secureContext, limits },
              { timers, draw, onFact },
            ),
          ];
        }),
    );
    const arrive = (wire: Uint8Array): void => this.#arrive?.(wire);
    this.#gate = new Gate(
      { name, registry, secureContext, limits },
      {
        timers,
        arrive,
        onFact,
        onPeer: (peer) => {
          this.#diallers.get(peer)?.heard();
        },
      },
    );
    this.#self = new Link(
      { queueMax: limits.queued },
      { timers, draw, deliver: arrive, lose: () => undefined },
    );
  }

  async start(address: PeerAddress): Promise<number> {
    return await this.#gate.start(address);
  }

  connect(name: NodeName, arrive: (wire: Uint8Array) => void): Carrier {
    if (name !== this.#name)
      throw new Error(`These are the sockets of ${this.#name}, not ${name}.`);
    if (this.#arrive !== undefined)
      throw new Error(`A node with the name ${name} is connected already.`);
    this.#arrive = arrive;
    this.#gate.open();
    for (const dialler of this.#diallers.values()) dialler.start();
    return {
      carry: (to, wire) => {
        if (this.#arrive === arrive) this.#carry(to, wire);
      },
      stop: async () => {
        if (this.#arrive === arrive) await this.#leave();
      },
    };
  }

  status(): SocketStatus {
    const names = new Set([...this.#diallers.keys(), ...this.#gate.peers()]);
    return {
      peers: new Map(
        [...names].map((name) => [
          name,
          {
            ...(this.#diallers.get(name)?.status() ?? neverDialled),
            ...this.#gate.status(name),
          },
        ]),
      ),
      refused: this.#gate.refused(),
      unaddressed: this.#unaddressed,
    };
  }

  async stop(): Promise<void> {
    await this.#leave();
    await this.#gate.stop();
  }

  #carry(to: NodeName, wire: Uint8Array): void {
    const dialler = this.#diallers.get(to);
    if (to === this.#name) this.#self.carry(wire);
    else if (dialler !== undefined) dialler.carry(wire);
    else this.#unaddressed += 1;
  }

  async #leave(): Promise<void> {
    this.#arrive = undefined;
    this.#self.stop();
    this.#gate.close();
    await Promise.all(
      [...this.#diallers.values()].map(async (dialler) => {
        await dialler.stop();
      }),
    );
  }
}

const neverDialled = {
  isConnected: false,
  queued: 0,
  queuedBytes: 0,
  lost: {},
  outEnded: {},
};
