import type { Server } from "node:http";

import type { Api } from "./api.ts";
import { Dispatcher } from "./dispatcher.ts";
import { guard, type GuardOptions, requireSafe } from "./guard.ts";
import { httpServer } from "./http.ts";
import { type RpcLimits, rpcLimits } from "./limits.ts";
import { close, listen } from "./listening.ts";
import type { Method } from "./method.ts";
import { methods } from "./methods.ts";
import { webSocketServer } from "./websocket.ts";

/** Where and to whom a node answers. */
export interface RpcOptions extends Omit<GuardOptions, "host"> {
  /** 127.0.0.1 unless told. Others need a token. */
  readonly host?: string | undefined;
  /** 0 takes a free one. */
  readonly httpPort: number;
  readonly webSocketPort: number;
  readonly limits?: Partial<RpcLimits> | undefined;
  /** All of them unless told. */
  readonly methods?: readonly Method[] | undefined;
}

/** The node's JSON-RPC, over HTTP and over WebSocket. */
export class RpcServer {
  readonly #options: RpcOptions & { readonly host: string };
  readonly #ports: {
    readonly api: Api;
    readonly report: (error: unknown) => void;
  };
  readonly #limits: RpcLimits;
  readonly #work = new Set<Promise<void>>();
  #open: readonly Server[] = [];
  #closeSockets: () => void = () => undefined;

  /** Throws if the options would let everybody in. */
  constructor(
    options: RpcOptions,
    ports: {
      readonly api: Api;
      /** Gets errors that users are not told. */
      readonly report: (error: unknown) => void;
    },
  ) {
    this.#options = { ...options, host: options.host ?? "127.0.0.1" };
    this.#ports = ports;
    this.#limits = { ...rpcLimits, ...options.limits };
    requireSafe("RPC server", this.#options);
  }

  /** Listens on both ports or on none. */
  async start(): Promise<{
    readonly httpUrl: string;
    readonly webSocketUrl: string;
  }> {
    if (this.#open.length > 0) throw new Error("The server runs already.");
    const { host, httpPort, webSocketPort } = this.#options;
    const limits = this.#limits;
    const { api, report } = this.#ports;
    const dispatcher = new Dispatcher(
      { limits, methods: this.#options.methods ?? methods },
      { api, report },
    );
    const refuse = guard(this.#options);
    const track = this.#track.bind(this);
    const http = httpServer({ limits }, { dispatcher, refuse, track });
    const sockets = await webSocketServer(
      { limits },
      { dispatcher, refuse, track, report },
    );
    this.#closeSockets = sockets.close;
    this.#open = [http, sockets.server];
    try {
      const urls = {
        httpUrl: `http://${await listen(http, httpPort, host)}`,
        webSocketUrl: `ws://${await listen(sockets.server, webSocketPort, host)}`,
      };
      // A connection that cannot be accepted is no reason to stop.
      for (const server of this.#open) server.on("error", report);
      api.start();
      return urls;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** When it resolves, both ports are free, no socket is open and no request is under way. */
  async stop(): Promise<void> {
    const servers = this.#open;
    this.#open = [];
    this.#closeSockets();
    await Promise.all(servers.map(close));
    await Promise.all(this.#work);
    this.#ports.api.stop();
  }

  #track(work: Promise<void>): void {
    const watched = work.catch(this.#ports.report).finally(() => {
      this.#work.delete(watched);
    });
    this.#work.add(watched);
  }
}
