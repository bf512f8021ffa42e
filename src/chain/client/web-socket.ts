import type { WebSocket } from "ws";

import type { ChainClient } from "../ports.ts";
import type { Timers } from "../../async/timers.ts";
import { Backoff } from "../backoff.ts";
import { parseAnswer, resultOf, unreachable } from "./answers.ts";
import { type Attempt, CarefulRequests } from "./careful.ts";
import { clientLimits } from "./limits.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Endpoint } from "./secrets.ts";

interface Pending {
  readonly body: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A chain over a WebSocket, which tells of new blocks. A lost connection is made again, later and later. */
export class WebSocketClient implements ChainClient {
  readonly request: ChainClient["request"];
  readonly #endpoint: Endpoint;
  readonly #timers: Timers;
  readonly #requests: CarefulRequests;
  readonly #backoff = new Backoff({ firstMs: 100, lastMs: 10_000 });
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<() => void>();
  readonly #loaded: Promise<void>;
  #socket: WebSocket | undefined;
  #isClosed = false;
  #id = 0;
  #stopPinging: () => void = () => undefined;
  #isHeard = false;

  constructor(
    options: {
      readonly deadlineOf: (method: string) => number;
      readonly onRequest: (method: string) => void;
    },
    ports: {
      readonly endpoint: Endpoint;
      readonly timers: Timers;
      readonly rateLimit: RateLimit;
    },
  ) {
    this.#endpoint = ports.endpoint;
    this.#timers = ports.timers;
    const { name } = ports.endpoint;
    this.#requests = new CarefulRequests(
      { name, deadlineOf: options.deadlineOf },
      { ...ports, attempt: this.#attempt, onRequest: options.onRequest },
    );
    this.request = this.#requests.request;
    // Most users need no WebSocket, so it is loaded late.
    this.#loaded = import("ws").then((ws) => {
      this.#connect(ws.WebSocket);
    });
  }

  readonly onHead: ChainClient["onHead"] = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly close: ChainClient["close"] = async () => {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#requests.close();
    if (this.#socket !== undefined)
      this.#drop(this.#socket, "The client was closed.");
    await Promise.resolve();
  };

  readonly #attempt: Attempt = async (method, params, signal) => {
    await this.#loaded;
    const socket = this.#socket;
    if (socket === undefined)
      throw unreachable(this.#endpoint.name, "There is no connection.");
    const id = ++this.#id;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return await new Promise((resolve, reject) => {
      // A node that does not answer one request may be gone without a word, so the connection is given up too.
      const giveUp = (): void => {
        this.#drop(socket, "It did not answer in time.");
      };
      signal.addEventListener("abort", giveUp, { once: true });
      const end =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          signal.removeEventListener("abort", giveUp);
          settle(value);
        };
      this.#pending.set(id, {
        body,
        resolve: end(resolve),
        reject: end(reject),
      });
      if (socket.readyState === socket.OPEN) socket.send(body);
    });
  };

  #connect(Socket: typeof WebSocket): void {
    if (this.#isClosed) return;
    const { url, headers } = this.#endpoint;
    const socket = new Socket(url, {
      headers,
      maxPayload: clientLimits.answerBytes,
      handshakeTimeout: clientLimits.requestMs,
      followRedirects: false,
    });
    this.#socket = socket;
    socket.on("open", () => {
      this.#backoff.reset();
      for (const { body } of this.#pending.values()) socket.send(body);
      // A node that cannot tell of blocks is polled.
      this.request("eth_subscribe", ["newHeads"]).catch(() => undefined);
      this.#isHeard = true;
      this.#ping(socket);
      this.#tell();
    });
    socket.on("pong", () => (this.#isHeard = true));
    socket.on("message", (data, isBinary) => {
      this.#isHeard = true;
      // One buffer for each message is what the library gives unless told otherwise.
      if (socket === this.#socket && !isBinary && Buffer.isBuffer(data))
        this.#receive(data.toString("utf8"));
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#drop(socket, "The connection was lost.");
      if (this.#isClosed) return;
      this.#timers.after(this.#backoff.next(), () => {
        this.#connect(Socket);
      });
    });
  }

  /** A connection may die without a word, and one that only tells of blocks would never notice. */
  #ping(socket: WebSocket): void {
    this.#stopPinging = this.#timers.after(clientLimits.pingMs, () => {
      if (!this.#isHeard) {
        this.#drop(socket, "It did not answer in time.");
        return;
      }
      this.#isHeard = false;
      socket.ping();
      this.#ping(socket);
    });
  }

  #receive(text: string): void {
    const answer = parseAnswer(text);
    if (answer === undefined) return;
    if (answer.method === "eth_subscription") this.#tell();
    if (typeof answer.id !== "number") return;
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    this.#pending.delete(answer.id);
    try {
      pending.resolve(resultOf(answer, this.#endpoint.name));
    } catch (error) {
      pending.reject(error);
    }
  }

  #drop(socket: WebSocket, why: string): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#stopPinging();
    socket.terminate();
    const error = unreachable(this.#endpoint.name, why);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
