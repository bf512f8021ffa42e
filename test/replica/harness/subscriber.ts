import { setTimeout } from "node:timers/promises";

import { WebSocket } from "ws";

import type { ServedReplica } from "./replica.ts";

export const LISTENER = "bookkeeping";

/** A connection that says nothing for so long, also when it is asked, is given up. */
const SILENT_MS = 1_500;
const AGAIN_MS = 100;

export interface Numbered {
  readonly id: string;
  readonly sequence: number;
}

interface Frame {
  readonly id?: number;
  readonly result?: string;
  readonly error?: { readonly message: string };
  readonly params?: {
    readonly subscription: string;
    readonly result: { readonly receipts: readonly Numbered[] };
  };
}

/**
 * Keeps the receipts of a listener, as a user does it: over one connection after the other, and with an acknowledgement for each batch.
 * It watches that there is no gap, that numbers do not change, and that nothing comes again but what it had not acknowledged for certain.
 */
export class Subscriber {
  readonly #replicas: readonly ServedReplica[];
  /** By number, from the first one on. */
  readonly receipts: Numbered[] = [];
  readonly violations: string[] = [];
  readonly count = { connections: 0, batches: 0, repeated: 0 };
  readonly #ids = new Set<string>();
  /** Up to here the listener has proved that it knows of the acknowledgement. */
  #proved = 0;
  #acknowledged = 0;

  constructor(ports: { readonly replicas: readonly ServedReplica[] }) {
    this.#replicas = ports.replicas;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  async run(stop: AbortSignal): Promise<void> {
    for (let turn = 0; !stop.aborted; turn++) {
      const replica = this.#replicas[turn % this.#replicas.length];
      if (replica?.isWanted === true) await this.#listen(replica, stop);
      await setTimeout(AGAIN_MS);
    }
  }

  /** Resolves when the connection is over. */
  async #listen(replica: ServedReplica, stop: AbortSignal): Promise<void> {
    const socket = new WebSocket(replica.webSocketUrl, {
      handshakeTimeout: SILENT_MS,
    });
    socket.on("error", () => undefined);
    const closed = new Promise<void>((resolve) => {
      socket.on("close", () => {
        resolve();
      });
    });
    const end = (): void => {
      socket.terminate();
    };
    stop.addEventListener("abort", end);
    const watch = watchSilence(socket, end);
    socket.on("open", () => {
      send(socket, {
        id: 1,
        method: "ptx_subscribe",
        params: ["receipts", LISTENER],
      });
    });
    socket.on("message", (data: Buffer) => {
      this.#take(socket, JSON.parse(data.toString("utf8")) as Frame);
    });
    await closed;
    clearInterval(watch);
    stop.removeEventListener("abort", end);
  }

  #take(socket: WebSocket, frame: Frame): void {
    if (frame.error !== undefined) socket.terminate();
    if (frame.result !== undefined) this.count.connections += 1;
    if (frame.params === undefined) return;
    const { subscription, result } = frame.params;
    this.count.batches += 1;
    const [first] = result.receipts;
    // The batch after one that was acknowledged comes only when that is durable.
    if (first !== undefined && first.sequence > this.#acknowledged)
      this.#proved = this.#acknowledged;
    for (const receipt of result.receipts) this.#see(receipt);
    this.#acknowledged = this.receipts.length;
    send(socket, { id: 2, method: "ptx_ack", params: [subscription] });
  }

  #see({ id, sequence }: Numbered): void {
    const last = this.receipts.length;
    const known = this.receipts[sequence - 1];
    if (sequence > last + 1)
      this.violations.push(`receipt ${sequence} came after receipt ${last}`);
    else if (known !== undefined) {
      this.count.repeated += 1;
      if (known.id !== id)
        this.violations.push(
          `receipt ${sequence} was of ${known.id}, and is of ${id}`,
        );
      else if (sequence <= this.#proved)
        this.violations.push(
          `receipt ${sequence} came again, and the listener knew that it was acknowledged`,
        );
    } else {
      if (this.#ids.has(id))
        this.violations.push(`${id} has receipt ${sequence}, and another one`);
      this.#ids.add(id);
      this.receipts.push({ id, sequence });
    }
  }
}

/** A connection to a process that is frozen, or behind a way that is cut off, does not end by itself. */
function watchSilence(socket: WebSocket, end: () => void): NodeJS.Timeout {
  let heardAt = performance.now();
  const hear = (): void => {
    heardAt = performance.now();
  };
  socket.on("open", hear);
  socket.on("message", hear);
  socket.on("pong", hear);
  return setInterval(() => {
    if (performance.now() - heardAt > 2 * SILENT_MS) end();
    else if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, SILENT_MS / 2);
}

function send(socket: WebSocket, request: object): void {
  socket.send(JSON.stringify({ jsonrpc: "2.0", ...request }));
}
