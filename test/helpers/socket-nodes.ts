import { once } from "node:events";
import { connect as connectPlainly, createServer, type Socket } from "node:net";
import { connect, TLSSocket } from "node:tls";

import type { NodeName } from "../../src/protocol/ids.ts";
import type { Identity } from "../../src/keys/identity.ts";
import { machineTimers, type Timers } from "../../src/async/timers.ts";
import {
  createSealedTransport,
  type SealedTransport,
} from "../../src/network/sealed-transport.ts";
import type { PeerAddress } from "../../src/network/socket/address.ts";
import type { SocketFact } from "../../src/network/socket/facts.ts";
import {
  openSocketNetwork,
  type SocketNetwork,
  type SocketOptions,
} from "../../src/network/socket/network.ts";
import type { PeerStatus } from "../../src/network/socket/status.ts";
import { Members } from "./members.ts";
import { nodeName } from "./stores.ts";

const host = "127.0.0.1";

/** A node that only sends and receives, over sockets of this machine. */
export interface SocketNode {
  readonly network: SocketNetwork;
  readonly transport: SealedTransport;
  /** What came, as "from: body". */
  readonly received: string[];
  readonly facts: SocketFact[];
  readonly peer: (name: string) => PeerStatus;
  /** Resolves when something holds, which is looked at whenever something comes or is told. */
  readonly until: (holds: () => boolean) => Promise<void>;
  /** Resolves when this is told, from now on or before. */
  readonly told: (fact: Partial<FactFields>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface FactFields {
  readonly type: SocketFact["type"];
  readonly peer: string;
  readonly way: string;
  readonly reason: string;
  readonly address: string;
}

/** Nodes that know each other's keys and addresses. */
export class SocketNodes {
  readonly members: Members;
  readonly #names: readonly string[];
  readonly #ports = new Map<string, number>();
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(...names: readonly string[]) {
    this.#names = names;
    this.members = new Members(...names);
  }

  /** A node that listens, and is not connected before `start`. */
  async open(
    name: string,
    changes: Partial<SocketOptions> & {
      readonly timers?: Timers;
      readonly boot?: number;
    } = {},
  ): Promise<() => SocketNode> {
    const facts: SocketFact[] = [];
    const received: string[] = [];
    const looks = new Set<() => void>();
    const look = (): void => {
      for (const one of [...looks]) one();
    };
    const { timers = machineTimers, boot = 1, ...options } = changes;
    const member = this.members.own(name, {
      boot,
      ...(options.identity && { identity: options.identity }),
    });
    const network = await openSocketNetwork(
      {
        ...member,
        addresses: this.addresses(),
        listen: { host, port: this.#ports.get(name) ?? 0 },
        ...options,
      },
      {
        timers,
        onFact: (fact) => {
          facts.push(fact);
          look();
        },
      },
    );
    this.#ports.set(name, network.port);
    const stop = async (): Promise<void> => {
      await network.stop();
    };
    this.#stops.push(stop);
    return () => {
      const transport = createSealedTransport(member, {
        connect: network.connect,
        receive: (from, body) => {
          received.push(`${from}: ${body}`);
          look();
        },
      });
      const until = async (holds: () => boolean): Promise<void> => {
        while (!holds())
          await new Promise<void>((resolve) => {
            const wake = (): void => {
              looks.delete(wake);
              resolve();
            };
            looks.add(wake);
          });
      };
      return {
        network,
        transport,
        received,
        facts,
        until,
        stop,
        peer: (other) => {
          const status = network.status().peers.get(nodeName(other));
          if (status === undefined) throw new Error(`${other} is no peer.`);
          return status;
        },
        told: async (wanted) => {
          await until(() => facts.some((fact) => isLike(fact, wanted)));
        },
      };
    };
  }

  /** A node that is connected. */
  async start(
    name: string,
    changes: Parameters<SocketNodes["open"]>[1] = {},
  ): Promise<SocketNode> {
    return (await this.open(name, changes))();
  }

  /** Where all of them listen, as far as it is known when somebody dials. */
  addresses(): ReadonlyMap<NodeName, readonly PeerAddress[]> {
    const ports = this.#ports;
    return new Map(
      this.#names.map((name) => [
        nodeName(name),
        [
          {
            host,
            get port() {
              return ports.get(name) ?? 1;
            },
          },
        ],
      ]),
    );
  }

  /** Where the last one with this name listens. */
  portOf(name: string): number {
    const port = this.#ports.get(name);
    if (port === undefined) throw new Error(`${name} was never opened.`);
    return port;
  }

  /** Makes others dial somebody else. */
  redirect(name: string, port: number): void {
    this.#ports.set(name, port);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
  }
}

function isLike(fact: SocketFact, wanted: Partial<FactFields>): boolean {
  return Object.entries(wanted).every(
    ([key, value]) =>
      Object.entries(fact).find(([k]) => k === key)?.[1] === value,
  );
}

/**
 * A connection to a node by hand, with the key of an identity or none, when the handshake is over on this side. The
 * certificate says that it is alice's, whoever's it is.
 */
export async function dialByHand(
  port: number,
  identity?: Identity,
): Promise<TLSSocket> {
  const socket = connect({
    host,
    port,
    rejectUnauthorized: false,
    ...(identity && { secureContext: identity.tls("alice") }),
  });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

/** Bytes and nothing else. */
export async function dialPlainly(port: number): Promise<Socket> {
  const socket = connectPlainly({ host, port });
  await once(socket, "connect");
  socket.on("error", () => undefined);
  return socket;
}

/** Resolves when the other side has closed it; whatever came before is not looked at. */
export async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (socket.closed) return;
  await new Promise((resolve) => socket.once("close", resolve));
}

/** Listens with the key of an identity, and leaves all the rest to a test. */
export async function listenByHand(
  identity: Identity,
  onSocket: (socket: TLSSocket) => void,
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const secureContext = identity.tls("bob");
  const sockets = new Set<TLSSocket>();
  const server = createServer((raw) => {
    const socket = new TLSSocket(raw, {
      isServer: true,
      secureContext,
      requestCert: true,
      rejectUnauthorized: false,
    });
    sockets.add(socket);
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Lets the machine do what is due; for what a node does not tell, such as that it took a connection. */
export async function untilTurn(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
