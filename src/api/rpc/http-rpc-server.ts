import type { Server } from "node:http";

import { Dispatcher } from "./dispatcher.ts";
import {
  guard,
  type GuardOptions,
  requireSafe,
  TOKEN_LENGTH_MIN,
} from "./guard.ts";
import { httpServer } from "./http.ts";
import { rpcLimits } from "./limits.ts";
import { close, listen } from "./listening.ts";
import type { Method } from "./method.ts";

export interface HttpRpcOptions extends GuardOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly methods: readonly Method[];
}

/** JSON-RPC over HTTP whose methods need no API of a node. */
export class HttpRpcServer {
  readonly #options: HttpRpcOptions;
  readonly #report: (error: unknown) => void;
  readonly #work = new Set<Promise<void>>();
  #server: Server | undefined;

  /** Throws if the options would let everybody in. */
  constructor(
    options: HttpRpcOptions,
    ports: { readonly report: (error: unknown) => void },
  ) {
    requireSafe("RPC server", options);
    this.#options = options;
    this.#report = ports.report;
  }

  /** Gives its address. */
  async start(): Promise<string> {
    const { host, port, methods } = this.#options;
    const report = this.#report;
    const dispatcher = new Dispatcher(
      { limits: rpcLimits, methods: [], standing: methods },
      { report },
    );
    const server = httpServer(
      { limits: rpcLimits },
      {
        dispatcher,
        refuse: guard(this.#options),
        track: (work) => {
          const watched = work.catch(report).finally(() => {
            this.#work.delete(watched);
          });
          this.#work.add(watched);
        },
      },
    );
    const address = await listen(server, port, host);
    server.on("error", report);
    this.#server = server;
    return `http://${address}`;
  }

  /** When it resolves, the port is free and no request is under way. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await close(server);
    await Promise.all(this.#work);
  }
}

/** One for operators, apart from that of users. It has a token also on this machine, where others than operators are. */
export function operatorServer(
  options: HttpRpcOptions & { readonly token: string },
  ports: { readonly report: (error: unknown) => void },
): HttpRpcServer {
  if (options.token.length < TOKEN_LENGTH_MIN)
    throw new Error("The server of operators needs a token that is not short.");
  return new HttpRpcServer(options, ports);
}
