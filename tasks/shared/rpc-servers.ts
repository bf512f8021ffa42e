import { SequencerError } from "../../src/plugin/errors.ts";
import type { ChainClient } from "../../src/runtime/ports.ts";
import { createApi } from "../../src/runtime/rpc/api.ts";
import { RpcServer } from "../../src/runtime/rpc/server.ts";
import type { NodeService } from "../../src/runtime/service.ts";
import type { UserBook } from "../../src/runtime/users/book.ts";

/** Where users reach a node. */
export interface Urls {
  readonly url: string;
  readonly webSocketUrl: string;
}

/** The JSON-RPC of nodes, on this machine only. Every node has two ports. */
export class RpcServers {
  readonly #port: number;
  readonly #report: (error: unknown) => void;
  readonly #servers: RpcServer[] = [];

  constructor(
    options: {
      /** Of the first node, for HTTP; 0 means any. */
      readonly port: number;
    },
    ports: { readonly report: (error: unknown) => void },
  ) {
    this.#port = options.port;
    this.#report = ports.report;
  }

  async open(
    index: number,
    {
      service,
      book,
      client,
    }: {
      readonly service: NodeService;
      readonly book: UserBook;
      readonly client: ChainClient;
    },
  ): Promise<Urls> {
    const report = this.#report;
    const isAny = this.#port === 0;
    const httpPort = isAny ? 0 : this.#port + 2 * index;
    const webSocketPort = isAny ? 0 : httpPort + 1;
    const server = new RpcServer(
      { httpPort, webSocketPort },
      { api: createApi({ service, book, chain: client, report }), report },
    );
    try {
      const { httpUrl: url, webSocketUrl } = await server.start();
      this.#servers.push(server);
      return { url, webSocketUrl };
    } catch (error) {
      throw refusalOf(error, {
        node: service.name,
        port: httpPort,
        purpose: "the JSON-RPC",
        option: "--rpc-port",
      });
    }
  }

  readonly close = async (): Promise<void> => {
    await Promise.all(
      this.#servers.splice(0).map(async (server) => {
        await server.stop();
      }),
    );
  };
}

/** Why a port cannot be opened, for the user. Other errors stay as they are. */
export function refusalOf(
  error: unknown,
  wanted: {
    readonly node: string;
    readonly port: number;
    readonly purpose: string;
    readonly option: string;
  },
): unknown {
  if (!(error instanceof Error)) return error;
  const code: unknown = Reflect.get(error, "code");
  const port: unknown = Reflect.get(error, "port");
  const where = { ...wanted, ...(typeof port === "number" && { port }) };
  if (code === "EADDRINUSE") return new SequencerError("PORT_IN_USE", where);
  if (typeof code === "string" && /^(EACCES|EADDR|ERR_SOCKET)/.test(code))
    return new SequencerError("PORT_REFUSED", { ...where, reason: code });
  return error;
}
