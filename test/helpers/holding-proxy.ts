import { once } from "node:events";
import {
  type AddressInfo,
  connect,
  createServer,
  type Server,
  type Socket,
} from "node:net";

/** A way to a server on which bytes can be held: nothing is closed, and nothing arrives until they are let go. */
export class HoldingProxy {
  readonly #server: Server;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #held: (() => void)[] | undefined;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  static async start(port: number): Promise<HoldingProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new HoldingProxy(
      server,
      (server.address() as AddressInfo).port,
    );
    server.on("connection", (socket) => {
      proxy.#join(socket, connect(port, "127.0.0.1"));
    });
    return proxy;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  hold(): void {
    this.#held ??= [];
  }

  /** What was held arrives, late. */
  letGo(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const pass of held) pass();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(one: Socket, other: Socket): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => undefined);
      from.on("data", (bytes) => {
        this.#pass(() => to.write(bytes));
      });
      from.on("close", () => {
        this.#pass(() => to.end());
      });
    }
  }

  #pass(act: () => void): void {
    if (this.#held === undefined) act();
    else this.#held.push(act);
  }
}
