import { expect } from "chai";
import { WebSocket } from "ws";

import { requireDocumented } from "./document.ts";

/** An answer with an error. */
export class RpcFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Calls one method over HTTP. What it answers must be what the document says. */
export async function call<Result>(
  url: string,
  method: string,
  ...params: readonly unknown[]
): Promise<Result> {
  const answer = (await post(url, {
    jsonrpc: "2.0",
    id: 1,
    method,
    params,
  })) as Answer;
  expect(answer.id).to.equal(1);
  return resultOf(method, answer) as Result;
}

/** Posts anything; gives what came back. */
export async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

/** The error that a call ends with. */
export async function failureOf(work: Promise<unknown>): Promise<RpcFailure> {
  try {
    const result = await work;
    throw new Error(`There is no error, but ${JSON.stringify(result)}.`);
  } catch (error) {
    if (error instanceof RpcFailure) return error;
    throw error;
  }
}

function resultOf(method: string, answer: Answer): unknown {
  if (answer.error !== undefined)
    throw new RpcFailure(answer.error.code, answer.error.message);
  requireDocumented(method, answer.result);
  return answer.result;
}

/** A notification of a subscription. */
export interface Notification {
  readonly method: string;
  readonly params: {
    readonly subscription: string;
    readonly result: {
      readonly batchId?: number;
      readonly receipts: readonly {
        readonly id: string;
        readonly sequence: number;
      }[];
    };
  };
}

/** A WebSocket, as a client uses it: answers by id, and everything else in order. */
export class SocketClient {
  readonly #socket: WebSocket;
  readonly #frames: Answer[] = [];
  readonly #waiting: ((frame: Answer) => void)[] = [];
  readonly closed: Promise<void>;
  /** With which the other side closed it. */
  closeCode: number | undefined;
  #ids = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Answer;
      const next = this.#waiting.shift();
      if (next === undefined) this.#frames.push(frame);
      else next(frame);
    });
    this.closed = new Promise((resolve) => {
      socket.on("close", (code) => {
        this.closeCode = code;
        resolve();
      });
    });
    socket.on("error", () => undefined);
  }

  static async open(
    url: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SocketClient> {
    const socket = new WebSocket(url, { headers });
    const client = new SocketClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return client;
  }

  /** The next frame, whatever it is. */
  async next(): Promise<Answer> {
    const frame = this.#frames.shift();
    if (frame !== undefined) return frame;
    return await new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** The next frame must be a notification. */
  async notification(): Promise<Notification> {
    const frame = await this.next();
    expect(frame).to.have.property("method", "ptx_subscription");
    expect(frame).to.not.have.property("result");
    return frame as Notification;
  }

  /** Frames that came and were not asked for. */
  get unread(): number {
    return this.#frames.length;
  }

  send(method: string, ...params: readonly unknown[]): void {
    this.sendText(
      JSON.stringify({ jsonrpc: "2.0", id: ++this.#ids, method, params }),
    );
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** The next frame must be the answer. */
  async call<Result>(
    method: string,
    ...params: readonly unknown[]
  ): Promise<Result> {
    this.send(method, ...params);
    const answer = await this.next();
    expect(answer.id).to.equal(this.#ids);
    return resultOf(method, answer) as Result;
  }

  /** Cuts the line without a word. */
  cut(): void {
    this.#socket.terminate();
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }
}
