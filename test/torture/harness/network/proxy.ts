import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

import { Flow, freely, type Pace } from "./flow.ts";

/** What stands between two ends. Several can, at the same time. */
export type Hindrance =
  /** Connections are reset, also new ones. */
  | { readonly type: "cut" }
  /** Bytes in one direction wait: "forth" is from who dials to who listens. */
  | { readonly type: "hold"; readonly direction: "forth" | "back" }
  | {
      readonly type: "slow";
      readonly delayMs: number;
      readonly bytesPerSecond: number;
    };

interface Connection {
  readonly dialler: Socket;
  readonly listener: Socket;
  readonly forth: Flow;
  readonly back: Flow;
}

/** A port in front of another one. It carries bytes without a look at them, so that TLS passes. */
export class Proxy {
  readonly #target: () => number;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #hindrances = new Set<Hindrance>();
  #port = 0;

  /** `target` is the port on this machine that connections go to. */
  constructor(ports: { readonly target: () => number }) {
    this.#target = ports.target;
    this.#server = createServer({ allowHalfOpen: true }, (dialler) => {
      this.#accept(dialler);
    });
  }

  async start(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (address === null || typeof address === "string")
      throw new Error("A proxy has no port.");
    this.#port = address.port;
  }

  get port(): number {
    return this.#port;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#connections.size;
  }

  /** Puts something between the ends; what comes back takes it away. */
  impose(hindrance: Hindrance): () => void {
    // A copy, so that the same one can be imposed twice.
    const own = { ...hindrance };
    this.#hindrances.add(own);
    this.#apply();
    return () => {
      this.#hindrances.delete(own);
      this.#apply();
    };
  }

  async stop(): Promise<void> {
    for (const connection of this.#connections) this.#reset(connection);
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(dialler: Socket): void {
    // It stays on its port while it is cut: nobody else can take it meanwhile. So connections are reset, not refused.
    if (this.#isCut()) {
      dialler.on("error", () => undefined);
      dialler.resetAndDestroy();
      return;
    }
    const listener = connect({
      port: this.#target(),
      host: "127.0.0.1",
      allowHalfOpen: true,
    });
    const connection: Connection = {
      dialler,
      listener,
      forth: new Flow(
        { pace: this.#paceOf("forth") },
        { from: dialler, to: listener },
      ),
      back: new Flow(
        { pace: this.#paceOf("back") },
        { from: listener, to: dialler },
      ),
    };
    this.#connections.add(connection);
    for (const socket of [dialler, listener]) {
      socket.setNoDelay(true);
      // What one end suffers, the other one hears as a reset.
      socket.on("error", () => {
        this.#reset(connection);
      });
      socket.on("close", () => {
        if (dialler.destroyed && listener.destroyed) this.#forget(connection);
      });
    }
  }

  #apply(): void {
    if (this.#isCut())
      for (const connection of this.#connections) this.#reset(connection);
    for (const { forth, back } of this.#connections) {
      forth.pace = this.#paceOf("forth");
      back.pace = this.#paceOf("back");
    }
  }

  #isCut(): boolean {
    return [...this.#hindrances].some(({ type }) => type === "cut");
  }

  #paceOf(direction: "forth" | "back"): Pace {
    let pace = freely;
    for (const hindrance of this.#hindrances) {
      if (hindrance.type === "hold" && hindrance.direction === direction)
        pace = { ...pace, isHeld: true };
      if (hindrance.type === "slow")
        pace = {
          isHeld: pace.isHeld,
          delayMs: Math.max(pace.delayMs, hindrance.delayMs),
          bytesPerSecond: Math.min(
            pace.bytesPerSecond,
            hindrance.bytesPerSecond,
          ),
        };
    }
    return pace;
  }

  #reset(connection: Connection): void {
    this.#forget(connection);
    for (const socket of [connection.dialler, connection.listener])
      if (!socket.destroyed) socket.resetAndDestroy();
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    connection.forth.stop();
    connection.back.stop();
  }
}
