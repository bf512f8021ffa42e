import { createServer, type Server, type Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";

import type { NodeName } from "../../protocol/ids.ts";
import type { Registry } from "../../keys/identity.ts";
import type { Timers } from "../../async/timers.ts";
import { type PeerAddress, showAddress } from "./address.ts";
import { Alarm } from "./alarm.ts";
import type { RefusalReason } from "./facts.ts";
import type { SocketLimits } from "./limits.ts";
import { ListenError } from "./listen-error.ts";
import { ownerOf, provenKey } from "./peer-key.ts";

interface ListenerOptions {
  readonly name: NodeName;
  readonly registry: Registry<NodeName>;
  readonly secureContext: SecureContext;
  readonly limits: SocketLimits;
}

interface ListenerPorts {
  readonly timers: Timers;
  /** Whether there is anybody to let peers in to. */
  readonly isPresent: () => boolean;
  /** Nothing of what the peer says has been read. */
  readonly onPeer: (peer: NodeName, socket: TLSSocket) => void;
  readonly onRefused: (reason: RefusalReason) => void;
}

/** Lets peers in: those who prove in a handshake that they have a registered key. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #ports: ListenerPorts;
  readonly #server: Server;
  /** How to refuse those who have not proven yet who they are, oldest first. */
  readonly #unknown = new Set<(reason: RefusalReason) => void>();

  constructor(options: ListenerOptions, ports: ListenerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#meet(socket);
    });
  }

  /** The port that was taken. Rejects with a {@link ListenError}. */
  async start(address: PeerAddress): Promise<number> {
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: NodeJS.ErrnoException): void => {
        reject(new ListenError(showAddress(address), cause));
      };
      server.once("error", fail);
      server.listen(address.port, address.host, () => {
        server.off("error", fail);
        resolve();
      });
    });
    // A connection that cannot be accepted is tried again by whoever dialled.
    server.on("error", () => undefined);
    const bound = server.address();
    return typeof bound === "object" && bound !== null
      ? bound.port
      : address.port;
  }

  /** Those who have not proven who they are go. */
  clear(): void {
    for (const refuse of [...this.#unknown]) refuse("absent");
  }

  /** Resolves when the port is free, and all that came through it are gone; ending peers is up to who has them. */
  async stop(): Promise<void> {
    this.clear();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  #meet(raw: Socket): void {
    raw.on("error", () => undefined);
    if (!this.#ports.isPresent()) {
      raw.destroy();
      this.#ports.onRefused("absent");
      return;
    }
    // The oldest goes, not the newest: so many who only wait would keep everybody out.
    if (this.#unknown.size >= this.#options.limits.unknown)
      for (const refuse of this.#unknown) {
        refuse("crowded");
        break;
      }
    const socket = new TLSSocket(raw, {
      isServer: true,
      secureContext: this.#options.secureContext,
      requestCert: true,
      // The key is compared instead, below.
      rejectUnauthorized: false,
    });
    this.#shakeHands(socket);
  }

  #shakeHands(socket: TLSSocket): void {
    const alarm = new Alarm(this.#ports.timers);
    const leave = (): boolean => {
      alarm.clear();
      return this.#unknown.delete(refuse);
    };
    const refuse = (reason: RefusalReason): void => {
      if (!leave()) return;
      socket.destroy();
      this.#ports.onRefused(reason);
    };
    this.#unknown.add(refuse);
    alarm.set(this.#options.limits.handshakeMs, () => {
      refuse("timeout");
    });
    socket.on("error", () => {
      refuse("no-handshake");
    });
    socket.once("close", () => {
      refuse("no-handshake");
    });
    // What tls.Server waits for too: the handshake is over, and nothing has been read.
    socket.once("secure", () => {
      const peer = this.#identify(socket);
      if (!peer.isKnown) refuse(peer.reason);
      else if (leave()) this.#ports.onPeer(peer.name, socket);
    });
  }

  #identify(
    socket: TLSSocket,
  ):
    | { readonly isKnown: true; readonly name: NodeName }
    | { readonly isKnown: false; readonly reason: RefusalReason } {
    const key = provenKey(socket);
    if (key === undefined) return { isKnown: false, reason: "no-certificate" };
    const name = ownerOf(key, this.#options.registry);
    // Nobody else has this node's own key.
    return name === undefined || name === this.#options.name
      ? { isKnown: false, reason: "unknown-key" }
      : { isKnown: true, name };
  }
}
