import type { IncomingMessage, ServerResponse } from "node:http";

import { guard, type GuardOptions, requireSafe } from "../api/rpc/guard.ts";
import { plainServer } from "../api/rpc/http.ts";
import { close, listen } from "../api/rpc/listening.ts";
import { monitorLimits } from "./limits.ts";
import type { Reason } from "./condition.ts";
import type { Monitor } from "./monitor.ts";

/** Where the monitor answers, and to whom. */
export interface MonitorDoorOptions extends Omit<
  GuardOptions,
  "host" | "allowedOrigins"
> {
  /** 127.0.0.1 unless given. Any address that other machines reach needs a token. */
  readonly host?: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  readonly limits?: Partial<
    Record<"connections" | "headersMs" | "bodyMs" | "idleMs", number>
  >;
}

/** A door that is open. */
export interface MonitorDoor {
  readonly url: string;
  /** When it resolves, the port is free and no connection is open. */
  readonly close: () => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Serves `/health`, `/ready` and `/metrics`, to read only. Nothing there is private; still, as at the RPC, no web page gets at
 * it. Only the metrics need the token, since load balancers have none. Rejects if it cannot listen.
 */
export async function openMonitorDoor(
  options: MonitorDoorOptions,
  ports: {
    readonly monitor: Monitor;
    /** Gets errors of the server. */
    readonly report: (error: unknown) => void;
  },
): Promise<MonitorDoor> {
  const host = options.host ?? "127.0.0.1";
  const { token, allowedHosts } = options;
  requireSafe("monitoring server", { host, token });
  const refuse = guard({ host, token, allowedHosts });
  const refuseOpen = guard({ host, token, allowedHosts }, { isOpen: true });
  const limits = { ...monitorLimits, ...options.limits };
  const server = plainServer(limits, (request, response) => {
    // A client that goes away while it is answered is its own problem.
    response.on("error", () => undefined);
    answer(request, { monitor: ports.monitor, refuse, refuseOpen })
      .then((given) => {
        send(request, response, given);
      })
      .catch(ports.report);
  });
  const address = await listen(server, options.port, host);
  server.on("error", ports.report);
  return {
    url: `http://${address}`,
    close: async () => {
      await close(server);
    },
  };
}

async function answer(
  request: IncomingMessage,
  {
    monitor,
    refuse,
    refuseOpen,
  }: {
    readonly monitor: Monitor;
    readonly refuse: ReturnType<typeof guard>;
    /** For requests about health and readiness. */
    readonly refuseOpen: ReturnType<typeof guard>;
  },
): Promise<Answer> {
  const [path = ""] = request.url?.split("?") ?? [];
  const isOpen = path === "/health" || path === "/ready";
  const refusal = (isOpen ? refuseOpen : refuse)(request);
  if (refusal !== undefined)
    return json(refusal.status, { error: refusal.reason });
  if (request.method !== "GET" && request.method !== "HEAD")
    return json(405, { error: "Use GET" });
  switch (path) {
    case "/health": {
      const { failure } = monitor;
      return condition("failed", failure === undefined ? [] : [failure]);
    }
    case "/ready":
      return condition("not ready", monitor.unreadiness());
    case "/metrics":
      return {
        status: 200,
        type: monitor.contentType,
        text: await monitor.text(),
      };
    default:
      return json(404, { error: "Use /health, /ready or /metrics" });
  }
}

function condition(otherwise: string, reasons: readonly Reason[]): Answer {
  return reasons.length === 0
    ? json(200, { status: "ok" })
    : json(503, { status: otherwise, reasons });
}

function json(status: number, value: unknown): Answer {
  return {
    status,
    type: "application/json",
    text: `${JSON.stringify(value)}\n`,
  };
}

function send(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { status, type, text }: Answer,
): void {
  const hasBody =
    headers["content-length"] !== undefined ||
    headers["transfer-encoding"] !== undefined;
  // What else comes on the connection has not been read.
  if (hasBody || (status >= 400 && status !== 503))
    response.setHeader("connection", "close");
  if (status === 401) response.setHeader("www-authenticate", "Bearer");
  if (status === 405) response.setHeader("allow", "GET, HEAD");
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("content-type", type);
  response.setHeader("content-length", Buffer.byteLength(text));
  response.statusCode = status;
  response.end(text);
}
