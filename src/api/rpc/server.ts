import type { Server } from "node:http";

import type { Api } from "./api.ts";
import { Dispatcher } from "./dispatcher.ts";
import { ApiGate, type Unavailable } from "./gate.ts";
import { guard, type GuardOptions, requireSafe } from "./guard.ts";
import { httpServer } from "./http.ts";
import { type RpcLimits, rpcLimits } from "./limits.ts";
import { close, listen } from "./listening.ts";
import type { Method } from "./method.ts";
import { methods, standingMethods } from "./methods.ts";
import { type WebSocketPort, webSocketServer } from "./websocket.ts";

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
  /** Methods that need no API, and are answered also while none is served. Unless told, `rpc.discover`. */
  readonly standing?: readonly Method[] | undefined;
}

interface RpcPorts {
  /** Gets errors that users are not told. */
  readonly report: (error: unknown) => void;
  /**
   * Why the API that is served must not answer at this moment. It is asked before each request and before each answer, so it must
   * be fast.
   */
  readonly unavailable?: (() => Unavailable | undefined) | undefined;
}

/**
 * The node's JSON-RPC, over HTTP and over WebSocket. It can listen for the whole life of a process, while the API behind it comes
 * and goes. Without one, clients are told to try elsewhere: 503 over HTTP, and no WebSocket stays open.
 */
export class RpcServer {
  readonly #options: RpcOptions & { readonly host: string };
  readonly #ports: RpcPorts;
  readonly #gate: ApiGate;
  readonly #limits: RpcLimits;
  readonly #work = new Set<Promise<void>>();
  #open: readonly Server[] = [];
  #sockets: Pick<WebSocketPort, "close" | "goAway"> | undefined;

  /** Throws if the options would let everybody in. */
  constructor(options: RpcOptions, ports: RpcPorts) {
    this.#options = { ...options, host: options.host ?? "127.0.0.1" };
    this.#ports = ports;
    this.#gate = new ApiGate(ports.unavailable);
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
    const { report } = this.#ports;
    const gate = this.#gate;
    const dispatcher = new Dispatcher(
      {
        limits,
        methods: this.#options.methods ?? methods,
        standing: this.#options.standing ?? standingMethods,
      },
      { gate, report },
    );
    const refuse = guard(this.#options);
    const track = this.#track.bind(this);
    const http = httpServer({ limits }, { dispatcher, refuse, track });
    const sockets = await webSocketServer(
      { limits },
      { dispatcher, gate, refuse, track, report },
    );
    this.#sockets = sockets;
    this.#open = [http, sockets.server];
    try {
      const urls = {
        httpUrl: `http://${await listen(http, httpPort, host)}`,
        webSocketUrl: `ws://${await listen(sockets.server, webSocketPort, host)}`,
      };
      // A connection that cannot be accepted is no reason to stop.
      for (const server of this.#open) server.on("error", report);
      return urls;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Answers with this API from now on. It is started here, and stopped when it is not served any more. */
  serve(api: Api): void {
    this.#gate.serve(api);
    api.start();
  }

  /**
   * Answers with no API any more, and says why. Requests that are under way are refused at once, and WebSockets are closed. It can be
   * called again if the reason changes.
   */
  pause(why: Unavailable): void {
    const api = this.#gate.pause(why);
    this.#sockets?.goAway();
    api?.stop();
  }

  /** When it resolves, both ports are free, no socket is open and no request is under way. */
  async stop(): Promise<void> {
    const servers = this.#open;
    this.#open = [];
    this.#sockets?.close();
    await Promise.all(servers.map(close));
    await Promise.all(this.#work);
    this.pause({ why: "The node has stopped" });
  }

  #track(work: Promise<void>): void {
    const watched = work.catch(this.#ports.report).finally(() => {
      this.#work.delete(watched);
    });
    this.#work.add(watched);
  }
}
