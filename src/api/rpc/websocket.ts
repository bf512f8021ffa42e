import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

import type { WebSocket, WebSocketServer } from "ws";

import type { Dispatcher } from "./dispatcher.ts";
import type { Refusal } from "./guard.ts";
import { plainServer } from "./http.ts";
import type { RpcLimits } from "./limits.ts";
import { SocketSession } from "./socket-session.ts";

/** What the WebSocket port needs of the rest. */
interface Ports {
  readonly dispatcher: Dispatcher;
  readonly refuse: (request: IncomingMessage) => Refusal | undefined;
  readonly track: (work: Promise<void>) => void;
  readonly report: (error: unknown) => void;
}

/** JSON-RPC in text frames, on any path. */
export async function webSocketServer(
  options: { readonly limits: RpcLimits },
  ports: Ports,
): Promise<{ readonly server: Server; readonly close: () => void }> {
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
    upgrade({ sockets, request, socket, head }, ports.refuse);
  });
  sockets.on("connection", (socket) => {
    serve(socket, limits, ports);
  });
  const pings = setInterval(() => {
    for (const socket of sockets.clients) ping(socket);
  }, limits.pingMs);
  pings.unref();
  return {
    server,
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
  refuse: Ports["refuse"],
): void {
  socket.on("error", () => socket.destroy());
  const refusal = refuse(request);
  if (refusal === undefined) {
    sockets.handleUpgrade(request, socket, head, (ready) => {
      sockets.emit("connection", ready, request);
    });
    return;
  }
  const phrase = refusal.status === 401 ? "Unauthorized" : "Forbidden";
  socket.end(
    `HTTP/1.1 ${refusal.status} ${phrase}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    () => socket.destroy(),
  );
}

function serve(socket: WebSocket, limits: RpcLimits, ports: Ports): void {
  const load = { inFlight: 0 };
  const session = new SocketSession(limits, { socket, report: ports.report });
  alive.add(socket);
  socket.on("pong", () => alive.add(socket));
  // The reason is in the close frame; what is left is to end what the socket had.
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    session.end();
  });
  const answer = async (text: string): Promise<void> => {
    const request = session.forRequest();
    const reply = await ports.dispatcher.handle(text, load, request);
    if (reply !== undefined) session.send(reply);
    request.answered();
  };
  socket.on("message", (data, isBinary) => {
    alive.add(socket);
    // Binary frames are not JSON, whatever they hold.
    const text = Buffer.isBuffer(data) && !isBinary ? data.toString() : "";
    ports.track(answer(text));
  });
}

/** Sockets that showed a sign of life since the last ping. */
const alive = new WeakSet<WebSocket>();

function ping(socket: WebSocket): void {
  if (!alive.delete(socket)) socket.terminate();
  else if (socket.readyState === socket.OPEN) socket.ping();
}
