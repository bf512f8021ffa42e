import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

import type { WebSocket, WebSocketServer } from "ws";

import type { Dispatcher } from "./dispatcher.ts";
import type { ApiGate } from "./gate.ts";
import type { Refusal } from "./guard.ts";
import { plainServer, retryAfterSeconds } from "./http.ts";
import type { RpcLimits } from "./limits.ts";
import { SocketSession } from "./socket-session.ts";

/** What the WebSocket port needs of the rest. */
interface Ports {
  readonly dispatcher: Dispatcher;
  readonly gate: ApiGate;
  readonly refuse: (request: IncomingMessage) => Refusal | undefined;
  readonly track: (work: Promise<void>) => void;
  readonly report: (error: unknown) => void;
}

/** The WebSocket port; it does not listen yet. */
export interface WebSocketPort {
  readonly server: Server;
  /** Tells clients to connect elsewhere, each as soon as its requests are answered. */
  readonly goAway: () => void;
  readonly close: () => void;
}

/** JSON-RPC in text frames, on any path. */
export async function webSocketServer(
  options: { readonly limits: RpcLimits },
  ports: Ports,
): Promise<WebSocketPort> {
  const { limits } = options;
  const { WebSocketServer } = await import("ws");
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.bodyBytes,
    perMessageDeflate: false,
  });
  const server = plainServer(limits, (_, response) => {
    response.writeHead(426, { connection: "close", upgrade: "websocket" });
    response.end();
  });
  server.on("upgrade", (request, socket, head) => {
    upgrade({ sockets, request, socket, head }, ports);
  });
  const leaves = new Map<WebSocket, () => void>();
  sockets.on("connection", (socket) => {
    leaves.set(socket, serve(socket, limits, ports));
    socket.on("close", () => {
      leaves.delete(socket);
    });
  });
  const pings = setInterval(() => {
    for (const socket of sockets.clients) ping(socket);
  }, limits.pingMs);
  pings.unref();
  return {
    server,
    goAway: () => {
      for (const leave of leaves.values()) leave();
    },
    close: () => {
      clearInterval(pings);
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}

function upgrade(
  {
    sockets,
    request,
    socket,
    head,
  }: {
    readonly sockets: WebSocketServer;
    readonly request: IncomingMessage;
    readonly socket: Duplex;
    readonly head: Buffer;
  },
  { refuse, gate }: Pick<Ports, "refuse" | "gate">,
): void {
  socket.on("error", () => socket.destroy());
  const refusal = refuse(request);
  const status =
    refusal?.status ?? (gate.unavailable() === undefined ? undefined : 503);
  if (status === undefined) {
    sockets.handleUpgrade(request, socket, head, (ready) => {
      sockets.emit("connection", ready, request);
    });
    return;
  }
  const head503 = status === 503 ? `Retry-After: ${retryAfterSeconds}\r\n` : "";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nConnection: close\r\n${head503}Content-Length: 0\r\n\r\n`,
    () => socket.destroy(),
  );
}

/** Closes a socket politely, and soon also that of a client that does not answer. */
function goAway(socket: WebSocket, { closeMs }: RpcLimits): void {
  if (socket.readyState !== socket.OPEN) return;
  // "Service restart": clients connect again, and a load balancer brings them to the active replica.
  socket.close(1012, "The node does not answer here any more");
  const timer = setTimeout(() => {
    socket.terminate();
  }, closeMs);
  timer.unref();
  socket.once("close", () => {
    clearTimeout(timer);
  });
}

/** Gives what closes the socket as soon as all that came has its answer. */
function serve(socket: WebSocket, limits: RpcLimits, ports: Ports): () => void {
  const { gate, report } = ports;
  const load = { inFlight: 0 };
  let answering = 0;
  let isLeaving = false;
  const leave = (): void => {
    isLeaving = true;
    if (answering === 0) goAway(socket, limits);
  };
  const isSilenced = (): boolean => {
    if (gate.unavailable() !== undefined) leave();
    return isLeaving;
  };
  const session = new SocketSession(limits, { socket, report, isSilenced });
  alive.add(socket);
  socket.on("pong", () => alive.add(socket));
  // The reason is in the close frame; what is left is to end what the socket had.
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    session.end();
  });
  const answer = async (text: string): Promise<void> => {
    const request = session.forRequest();
    answering += 1;
    const reply = await ports.dispatcher.handle(text, load, request);
    answering -= 1;
    if (reply.text !== undefined) session.send(reply.text);
    request.answered();
    if (isSilenced() || reply.isUnavailable) leave();
  };
  socket.on("message", (data, isBinary) => {
    alive.add(socket);
    // A client that goes on sending does not keep the socket open.
    if (isLeaving) return;
    // Binary frames are not JSON, whatever they hold.
    const text = Buffer.isBuffer(data) && !isBinary ? data.toString() : "";
    ports.track(answer(text));
  });
  return leave;
}

/** Sockets that showed a sign of life since the last ping. */
const alive = new WeakSet<WebSocket>();

function ping(socket: WebSocket): void {
  if (!alive.delete(socket)) socket.terminate();
  else if (socket.readyState === socket.OPEN) socket.ping();
}
