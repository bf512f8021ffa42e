import type { Server } from "node:http";

import { Dispatcher } from "./dispatcher.ts";
import { guard, requireSafe, TOKEN_LENGTH_MIN } from "./guard.ts";
import { httpServer } from "./http.ts";
import { rpcLimits } from "./limits.ts";
import { close, listen } from "./listening.ts";
import type { Method } from "./method.ts";

export interface OperatorServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** There is always one: on this machine are others than operators, too. */
  readonly token: string;
  readonly methods: readonly Method[];
}

/** JSON-RPC for operators over HTTP, apart from that of users: it answers whatever the role of a replica is. */
export class OperatorServer {
  readonly #options: OperatorServerOptions;
  readonly #report: (error: unknown) => void;
  readonly #work = new Set<Promise<void>>();
  #server: Server | undefined;

  /** Throws if the token can be guessed. */
  constructor(
    options: OperatorServerOptions,
    ports: { readonly report: (error: unknown) => void },
  ) {
    if (options.token.length < TOKEN_LENGTH_MIN)
      throw new Error("The operators' server needs a token that is not short.");
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
