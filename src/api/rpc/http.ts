import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";

import { readBody } from "./body.ts";
import type { Dispatcher, Load } from "./dispatcher.ts";
import { codes } from "./errors.ts";
import type { Refusal } from "./guard.ts";
import type { RpcLimits } from "./limits.ts";

/** When to ask a node again that is unavailable: another replica takes over within seconds. */
export const retryAfterSeconds = "1";

/** A server with the timeouts that all ports need; it does not listen yet. */
export function plainServer(
  limits: Pick<RpcLimits, "headersMs" | "bodyMs" | "idleMs" | "connections">,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.bodyMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      maxHeaderSize: 16_384,
    },
    handle,
  );
  server.maxConnections = limits.connections;
  return server;
}

/** JSON-RPC in the bodies of POST requests. */
export function httpServer(
  options: { readonly limits: RpcLimits },
  ports: {
    readonly dispatcher: Dispatcher;
    readonly refuse: (request: IncomingMessage) => Refusal | undefined;
    /** Gets the promise of every request, which never rejects. */
    readonly track: (work: Promise<void>) => void;
  },
): Server {
  const { limits } = options;
  const loads = new WeakMap<Socket, Load>();
  const loadOf = (socket: Socket): Load => {
    const load = loads.get(socket) ?? { inFlight: 0 };
    loads.set(socket, load);
    return load;
  };
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const refusal = ports.refuse(request);
    if (refusal !== undefined) {
      refuse(response, refusal.status, refusal.reason);
      return;
    }
    allowOrigin(request, response);
    const problem = problemOf(request);
    if (problem !== undefined) {
      refuse(response, ...problem);
      return;
    }
    const body = await readBody(request, limits.bodyBytes);
    if (body.type === "lost") return;
    if (body.type === "too large") {
      refuse(
        response,
        413,
        `PD020700: The body is larger than ${limits.bodyBytes} bytes`,
      );
      return;
    }
    const { text, isUnavailable } = await ports.dispatcher.handle(
      body.bytes.toString("utf8"),
      loadOf(request.socket),
    );
    if (isUnavailable) {
      response.statusCode = 503;
      response.setHeader("retry-after", retryAfterSeconds);
    }
    response.setHeader("content-type", "application/json");
    response.end(text ?? "");
  };
  return plainServer(limits, (request, response) => {
    // A client that goes away while it is answered is its own problem.
    response.on("error", () => undefined);
    ports.track(answer(request, response));
  });
}

/** Lets an allowed page read the answer. */
function allowOrigin(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-allow-methods", "POST");
  response.setHeader(
    "access-control-allow-headers",
    "content-type, authorization",
  );
  response.setHeader("vary", "origin");
}

function problemOf({
  method,
  url,
  headers,
}: IncomingMessage): readonly [number, string] | undefined {
  if (method === "OPTIONS" && headers.origin !== undefined) return [204, ""];
  if (method !== "POST") return [405, "PD020700: Use POST"];
  if (url?.split("?")[0] !== "/") return [404, "PD020700: Use the path /"];
  // Pages can send other types without asking first.
  if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? ""))
    return [415, "PD020700: Use the content type application/json"];
  return undefined;
}

/** Ends the connection too: what else comes on it has not been read. */
function refuse(
  response: ServerResponse,
  status: number,
  message: string,
): void {
  if (status === 401) response.setHeader("www-authenticate", "Bearer");
  if (status === 405) response.setHeader("allow", "POST");
  response.setHeader("connection", "close");
  response.statusCode = status;
  if (status === 204 || status === 401) {
    response.end();
    return;
  }
  const code = status === 403 ? codes.unauthorized : codes.invalid;
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }),
  );
}
