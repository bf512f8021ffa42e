import { once } from "node:events";
import {
  type AddressInfo,
  connect,
  createServer,
  type Server,
  type Socket,
} from "node:net";

/** The type of a message, in front of its length. */
const TYPE_BYTES = 1;
const READY = "Z";
const PROTOCOL = 196_608;

/** Cuts what comes into messages of PostgreSQL. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);

  /** @param offset Where the length is. */
  take(chunk: Buffer, offset = TYPE_BYTES): readonly Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      if (this.#rest.length < offset + 4) return messages;
      const size = offset + this.#rest.readInt32BE(offset);
      if (this.#rest.length < size) return messages;
      messages.push(this.#rest.subarray(0, size));
      this.#rest = this.#rest.subarray(size);
    }
  }
}

interface Backend {
  readonly socket: Socket;
  hear: (message: Buffer) => void;
}

/** A pool that divides the sessions of a server among transactions, as PgBouncer does: the session that was free last is used first. */
export class PoolingProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #free: Backend[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
  }

  static async start(target: number): Promise<PoolingProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new PoolingProxy(server, target);
    server.on("connection", (socket) => {
      proxy.#join(socket);
    });
    return proxy;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket): void {
    this.#sockets.add(client);
    client.on("error", () => undefined);
    const messages = new Messages();
    let isStarted = false;
    let backend: Promise<Backend> | undefined;
    client.on("data", (chunk: Buffer) => {
      const offset = isStarted ? TYPE_BYTES : 0;
      for (const message of messages.take(chunk, offset)) {
        if (isStarted) {
          backend ??= this.#lend(client, () => (backend = undefined));
          void backend.then(({ socket }) => socket.write(message));
        } else client.write(Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"));
        isStarted = true;
      }
    });
  }

  async #lend(client: Socket, onReturn: () => void): Promise<Backend> {
    const backend = this.#free.pop() ?? (await this.#open());
    backend.hear = (message) => {
      client.write(message);
      const isOver = message.toString("latin1", 0, 1) === READY;
      if (!isOver || message.toString("latin1", 5) !== "I") return;
      onReturn();
      this.#free.push(backend);
    };
    return backend;
  }

  async #open(): Promise<Backend> {
    const socket = connect(this.#target, "127.0.0.1");
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    const words = Buffer.from("user\0postgres\0database\0postgres\0\0");
    const head = Buffer.alloc(8);
    head.writeInt32BE(head.length + words.length);
    head.writeInt32BE(PROTOCOL, 4);
    const messages = new Messages();
    const backend: Backend = { socket, hear: () => undefined };
    const ready = new Promise<Backend>((resolve) => {
      backend.hear = (message) => {
        if (message.toString("latin1", 0, 1) === READY) resolve(backend);
      };
    });
    socket.on("data", (chunk: Buffer) => {
      for (const message of messages.take(chunk)) backend.hear(message);
    });
    socket.write(Buffer.concat([head, words]));
    return await ready;
  }
}
