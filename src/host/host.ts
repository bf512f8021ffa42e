import type { NodeName } from "../protocol/ids.ts";
import type { Api } from "../api/rpc/api.ts";
import { UserBook } from "../api/book.ts";
import type { Unavailable } from "../api/rpc/gate.ts";
import type { RpcOptions, RpcServer } from "../api/rpc/server.ts";
import type { Timers } from "../async/timers.ts";
import type { ChainClient, Faucet } from "../chain/ports.ts";
import { newSalt, SALT_BYTES } from "../domains/states/content.ts";
import type { Domain } from "../domains/domain.ts";
import type { Identity } from "../keys/identity.ts";
import type { Connect } from "../network/carrier.ts";
import { networkIdOf } from "../network/network-id.ts";
import type { Receive } from "../network/ports.ts";
import { createSealedTransport } from "../network/sealed-transport.ts";
import { createSession } from "../network/session.ts";
import { type Machine, thisMachine } from "../node/machine.ts";
import { Node, type NodeOptions } from "../node/node.ts";
import type { NodePorts } from "../node/ports.ts";
import { NodeRefusal } from "../node/service.ts";
import { openStore, type Store } from "../store/store.ts";
import { Parts } from "./parts.ts";
import { directoryOf, type KnownPeers, registryOf } from "./peers.ts";

/** What a node is, also while it is down. */
export interface HostOptions extends NodeOptions {
  /** Its database. */
  readonly file: string;
}

/** What a node is connected with. */
export interface HostPorts extends Pick<
  NodePorts,
  | "client"
  | "endorser"
  | "payers"
  | "wallet"
  | "onBatch"
  | "onEvent"
  | "onFact"
  /** Everything else is being closed. */
  | "onFatal"
> {
  /** Sees what peers say, before the node does. No task gives it; tests do. */
  readonly onHeard?: Receive | undefined;
  /** Without it, it runs on this one. */
  readonly machine?: Machine;
  readonly timers?: Timers | undefined;
  /** The network between the nodes. */
  readonly connect: Connect;
  /** With this one, users ask the chain. */
  readonly usersClient?: ChainClient | undefined;
  readonly identity: Identity;
  /** All nodes, this one among them. */
  readonly peers: KnownPeers;
  /** Without it, steps of peers are signed with their keys. */
  readonly isSignedBy?: NodePorts["directory"]["isSignedBy"];
  readonly domains: readonly Domain[];
  /** Gives users money; without it, they have what they have. */
  readonly faucet?: Faucet | undefined;
  /** Replaces the tables of users, who have no API then. */
  readonly createUsers?: (store: Store) => NodePorts["users"];
}

/** Where users reach a node, until it is closed. */
export interface Listening {
  readonly httpUrl: string;
  readonly webSocketUrl: string;
  readonly close: () => Promise<void>;
}

const noFaucet: Faucet = async () => await Promise.resolve(false);

/**
 * Runs one node: its store, the tables of its users, the node itself and what users reach it with are opened in this order, and
 * closed in reverse. It can start and stop any number of times, on the same disk.
 */
export class Host {
  readonly name: NodeName;
  readonly #options: HostOptions;
  readonly #ports: HostPorts;
  /** Since the last start. */
  #parts: Parts | undefined;
  #store: Store | undefined;
  #book: UserBook | undefined;
  #node: Node | undefined;

  constructor(options: HostOptions, ports: HostPorts) {
    this.name = options.name;
    this.#options = options;
    this.#ports = ports;
  }

  get isUp(): boolean {
    return this.#node !== undefined;
  }

  /** The node; it must be up. */
  get node(): Node {
    if (this.#node === undefined) throw this.#isDown();
    return this.#node;
  }

  /** The store since the last start. It may be closed. */
  get store(): Store | undefined {
    return this.#store;
  }

  /** Throws a `PartError` if a part cannot be started. Everything is closed again then, at the latest when `stop` resolves. */
  start(): void {
    if (this.isUp) return;
    const parts = this.#newParts();
    try {
      this.#openNode(parts, this.#openStore(parts));
    } catch (error) {
      this.#close(parts);
      throw error;
    }
  }

  /**
   * The same where it takes a while until the opening of a store is durable, as with a log elsewhere. Peers must not hear of a start that may
   * turn out not to have been: they would refuse the next one if its number is lower.
   */
  async startDurably(): Promise<void> {
    if (this.isUp) return;
    const parts = this.#newParts();
    try {
      const store = this.#openStore(parts);
      await parts.open(
        this.#part("store"),
        async () => {
          await store.database.settled();
        },
        () => undefined,
      );
      this.#openNode(parts, store);
    } catch (error) {
      this.#close(parts);
      throw error;
    }
  }

  /** Resolves when nothing of it runs any more. What was accepted is on disk. */
  readonly stop = async (): Promise<void> => {
    this.#node = undefined;
    await this.#parts?.close();
  };

  /** Answers users over HTTP and WebSocket. */
  async listen(
    options: Omit<RpcOptions, "limits" | "methods" | "standing">,
    report: (error: unknown) => void,
  ): Promise<Listening> {
    const open = async (): Promise<Listening> => {
      const { RpcServer } = await import("../api/rpc/server.ts");
      const api = await this.#createApi(report);
      const server = new RpcServer(options, { report });
      server.serve(api);
      const urls = await server.start();
      let closing: Promise<void> | undefined;
      const close = async (): Promise<void> => {
        await (closing ??= server.stop());
      };
      return { ...urls, close };
    };
    return await this.#open("JSON-RPC", open, async ({ close }) => {
      await close();
    });
  }

  /**
   * Answers users through a server that listens for longer than this node runs. When the node stops, the server is paused first, and
   * tells users why.
   */
  async answerThrough(
    server: Pick<RpcServer, "serve" | "pause">,
    ports: {
      readonly why: () => Unavailable;
      readonly report: (error: unknown) => void;
    },
  ): Promise<void> {
    const open = async (): Promise<void> => {
      server.serve(await this.#createApi(ports.report));
    };
    await this.#open("JSON-RPC", open, () => {
      server.pause(ports.why());
    });
  }

  /** Answers users in this process. */
  async openApi(report: (error: unknown) => void): Promise<Api> {
    const open = async (): Promise<Api> => {
      const api = await this.#createApi(report);
      api.start();
      return api;
    };
    return await this.#open("API", open, (api) => {
      api.stop();
    });
  }

  #part(name: string): string {
    return `the ${name} of ${this.name}`;
  }

  async #open<Opened>(
    part: string,
    open: () => Promise<Opened>,
    close: (opened: Opened) => unknown,
  ): Promise<Opened> {
    if (!this.isUp || this.#parts === undefined) throw this.#isDown();
    return await this.#parts.open(this.#part(part), open, close);
  }

  #isDown(): NodeRefusal {
    return new NodeRefusal(`${this.name} is down. Start it again first.`);
  }

  /** Begins to close what is open. If that fails, those who wait for its end hear of it. */
  #close(parts: Parts): void {
    this.#node = undefined;
    parts.close().catch(() => undefined);
  }

  /** Many nodes have no users, so this is loaded only for those that have. */
  async #createApi(report: (error: unknown) => void): Promise<Api> {
    const { node: service } = this;
    const book = this.#book;
    if (book === undefined) throw new Error(`${this.name} has no users.`);
    const { createApi } = await import("../api/rpc/api.ts");
    return createApi({ service, book, chain: this.#ports.usersClient, report });
  }

  #newParts(): Parts {
    if (this.#parts?.isClosed === false)
      throw new NodeRefusal(
        `${this.name} is starting or stopping. Wait until it has.`,
      );
    this.#parts = new Parts();
    return this.#parts;
  }

  #openStore(parts: Parts): Store {
    const { machine = thisMachine } = this.#ports;
    const { wallMs: now, randomBytes, openDisk } = machine;
    const { file } = this.#options;
    const store = parts.openNow(
      this.#part("store"),
      () => openStore({ file }, { randomBytes, now, openDisk }),
      ({ close }) => {
        close();
      },
    );
    this.#store = store;
    return store;
  }

  #openNode(parts: Parts, store: Store): void {
    const { machine = thisMachine, createUsers } = this.#ports;
    const { wallMs: now } = machine;
    const { database } = store;
    const users = parts.attempt(
      this.#part("users"),
      () => createUsers?.(store) ?? new UserBook({ database, now }),
    );
    this.#book = users instanceof UserBook ? users : undefined;
    const node = parts.openNow(
      this.#part("node"),
      () => new Node(this.#options, this.#nodePorts(machine, store, users)),
      // Also if only half of it has started.
      async (opened) => {
        await opened.stop();
      },
    );
    this.#node = node;
    parts.attempt(this.#part("node"), () => {
      node.start();
    });
  }

  #nodePorts(
    machine: Machine,
    store: Store,
    users: NodePorts["users"],
  ): NodePorts {
    const { wallMs, randomBytes } = machine;
    const { identity, peers, connect, onFatal, onHeard } = this.#ports;
    const { timers = machine.timers, faucet = noFaucet } = this.#ports;
    const directory = directoryOf(peers);
    const { isSignedBy = directory.isSignedBy } = this.#ports;
    return {
      ...this.#ports,
      store,
      users,
      timers,
      faucet,
      newSalt:
        randomBytes === thisMachine.randomBytes
          ? newSalt
          : () => `0x${Buffer.from(randomBytes(SALT_BYTES)).toString("hex")}`,
      domains: new Map(this.#ports.domains.map((one) => [one.name, one])),
      directory: { ...directory, isSignedBy },
      sign: identity.sign,
      connect: (receive, onBoot) =>
        createSealedTransport(
          {
            name: this.name,
            network: networkIdOf(this.#options),
            boot: store.startedAt,
            identity,
            registry: registryOf(peers),
            boots: store.peers.list(),
            session: createSession(wallMs(), randomBytes),
            verify: machine.verifyEnvelope,
          },
          {
            connect,
            receive: (from, body) => {
              onHeard?.(from, body);
              receive(from, body);
            },
            onBoot,
            now: timers.now,
          },
        ),
      onFatal: (error) => {
        if (this.#parts !== undefined) this.#close(this.#parts);
        onFatal(error);
      },
    };
  }
}
