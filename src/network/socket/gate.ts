import type { SecureContext, TLSSocket } from "node:tls";

import type { NodeName } from "../../protocol/ids.ts";
import type { Registry } from "../../keys/identity.ts";
import type { Timers } from "../../async/timers.ts";
import type { PeerAddress } from "./address.ts";
import type { EndReason, RefusalReason, SocketFact } from "./facts.ts";
import { Inbound } from "./inbound.ts";
import type { SocketLimits } from "./limits.ts";
import { Listener } from "./listener.ts";
import { countIn, type Counts, type Tally } from "./tally.ts";

interface GateOptions {
  readonly name: NodeName;
  readonly registry: Registry<NodeName>;
  readonly secureContext: SecureContext;
  readonly limits: SocketLimits;
}

interface GatePorts {
  readonly timers: Timers;
  readonly arrive: (wire: Uint8Array) => void;
  /** A peer has a new connection to here. */
  readonly onPeer: (peer: NodeName) => void;
  readonly onFact: (fact: SocketFact) => void;
}

/** The connections from peers, one from each at most. */
export class Gate {
  readonly #limits: SocketLimits;
  readonly #ports: GatePorts;
  readonly #listener: Listener;
  readonly #inbounds = new Map<NodeName, Inbound>();
  readonly #ended = new Map<NodeName, Tally<EndReason>>();
  readonly #refused: Tally<RefusalReason> = new Map();
  #isOpen = false;

  constructor(options: GateOptions, ports: GatePorts) {
    this.#limits = options.limits;
    this.#ports = ports;
    this.#listener = new Listener(options, {
      timers: ports.timers,
      isPresent: () => this.#isOpen,
      onPeer: (peer, socket) => {
        this.#admit(peer, socket);
      },
      onRefused: (reason) => {
        countIn(this.#refused, reason);
        ports.onFact({ type: "refused", reason });
      },
    });
  }

  async start(address: PeerAddress): Promise<number> {
    return await this.#listener.start(address);
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Everybody goes, and nobody is let in. */
  close(): void {
    this.#isOpen = false;
    this.#listener.clear();
    for (const inbound of [...this.#inbounds.values()]) inbound.end("stopped");
  }

  async stop(): Promise<void> {
    this.close();
    await this.#listener.stop();
  }

  /** All that were ever let in. */
  peers(): Iterable<NodeName> {
    return this.#ended.keys();
  }

  status(peer: NodeName): {
    readonly isHeard: boolean;
    readonly inEnded: Counts<EndReason>;
  } {
    return {
      isHeard: this.#inbounds.has(peer),
      inEnded: Object.fromEntries(this.#ended.get(peer) ?? []),
    };
  }

  refused(): Counts<RefusalReason> {
    return Object.fromEntries(this.#refused);
  }

  #admit(peer: NodeName, socket: TLSSocket): void {
    // A peer that comes again has lost the old one, even if nobody told us.
    this.#inbounds.get(peer)?.end("replaced");
    const ended = this.#ended.get(peer) ?? new Map<EndReason, number>();
    this.#ended.set(peer, ended);
    const inbound = new Inbound(
      { socket, limits: this.#limits },
      {
        timers: this.#ports.timers,
        arrive: this.#ports.arrive,
        onEnd: (reason) => {
          this.#inbounds.delete(peer);
          countIn(ended, reason);
          this.#ports.onFact({ type: "lost", peer, way: "in", reason });
        },
      },
    );
    this.#inbounds.set(peer, inbound);
    this.#ports.onFact({ type: "connected", peer, way: "in" });
    this.#ports.onPeer(peer);
  }
}
