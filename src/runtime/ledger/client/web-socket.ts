import { ChainError, type ChainClient } from "../../ports.ts";
import type { Timers } from "../../timers.ts";
import { Backoff } from "../backoff.ts";
import { parseAnswer, resultOf, unreachable } from "./answers.ts";
import type { Endpoint } from "./secrets.ts";

interface Pending {
  readonly body: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: ChainError) => void;
  readonly forget: () => void;
}

/** A chain over a WebSocket, which tells of new blocks. A lost connection is made again, later and later. */
export class WebSocketClient implements ChainClient {
  readonly #timeoutMs: number;
  readonly #endpoint: Endpoint;
  readonly #timers: Timers;
  readonly #backoff = new Backoff({ firstMs: 100, lastMs: 10_000 });
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<() => void>();
  #socket: WebSocket | undefined;
  #isClosed = false;
  #id = 0;

  constructor(
    options: { readonly timeoutMs: number },
    ports: { readonly endpoint: Endpoint; readonly timers: Timers },
  ) {
    this.#timeoutMs = options.timeoutMs;
    this.#endpoint = ports.endpoint;
    this.#timers = ports.timers;
    this.#connect();
  }

  readonly request: ChainClient["request"] = async (method, params) => {
    const socket = this.#socket;
    if (socket === undefined)
      throw unreachable(this.#endpoint.name, "There is no connection.");
    const id = ++this.#id;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return await new Promise((resolve, reject) => {
      // Whoever does not answer one request may be gone without a word, so the connection is given up too.
      const forget = this.#timers.after(this.#timeoutMs, () => {
        this.#drop(socket, "It did not answer in time.");
      });
      this.#pending.set(id, { body, resolve, reject, forget });
      if (socket.readyState === WebSocket.OPEN) socket.send(body);
    });
  };

  readonly onHead: ChainClient["onHead"] = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly close: ChainClient["close"] = async () => {
    this.#isClosed = true;
    this.#listeners.clear();
    if (this.#socket !== undefined)
      this.#drop(this.#socket, "The client was closed.");
    await Promise.resolve();
  };

  #connect(): void {
    if (this.#isClosed) return;
    const { url, headers } = this.#endpoint;
    const socket = new WebSocket(url, { headers });
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#backoff.reset();
      for (const { body } of this.#pending.values()) socket.send(body);
      // A node that cannot tell of blocks is polled.
      this.request("eth_subscribe", ["newHeads"]).catch(() => undefined);
      this.#tell();
    });
    socket.addEventListener("message", ({ data }) => {
      if (socket === this.#socket) this.#receive(data);
    });
    socket.addEventListener("error", () => undefined);
    socket.addEventListener("close", () => {
      this.#drop(socket, "The connection was lost.");
    });
  }

  #receive(data: unknown): void {
    const answer =
      typeof data === "string" && data !== "" ? parseAnswer(data) : undefined;
    if (answer === undefined) return;
    if (answer.method === "eth_subscription") this.#tell();
    if (typeof answer.id !== "number") return;
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    this.#pending.delete(answer.id);
    pending.forget();
    try {
      pending.resolve(resultOf(answer, this.#endpoint.name));
    } catch (error) {
      pending.reject(
        error instanceof ChainError
          ? error
          : unreachable(this.#endpoint.name, error),
      );
    }
  }

  #drop(socket: WebSocket, why: string): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    socket.close();
    const error = unreachable(this.#endpoint.name, why);
    for (const { forget, reject } of this.#pending.values()) {
      forget();
      reject(error);
    }
    this.#pending.clear();
    if (!this.#isClosed)
      this.#timers.after(this.#backoff.next(), () => {
        this.#connect();
      });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
