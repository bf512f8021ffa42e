import type { WebSocket } from "ws";

import type { RpcLimits } from "./limits.ts";
import type { Session, SessionSubscription } from "./session.ts";

/** A session as one request sees it. */
export interface RequestSession extends Session {
  /** The answer is on its way: what waited for that may happen. */
  readonly answered: () => void;
}

/** What belongs to one WebSocket, from its opening to its end. */
export class SocketSession {
  readonly #limits: RpcLimits;
  readonly #socket: WebSocket;
  readonly #report: (error: unknown) => void;
  readonly #isSilenced: () => boolean;
  readonly #subscriptions = new Map<string, SessionSubscription>();
  #isOver = false;

  constructor(
    limits: RpcLimits,
    ports: {
      readonly socket: WebSocket;
      readonly report: (error: unknown) => void;
      /** The node must not tell anything at this moment. */
      readonly isSilenced: () => boolean;
    },
  ) {
    this.#limits = limits;
    this.#socket = ports.socket;
    this.#report = ports.report;
    this.#isSilenced = ports.isSilenced;
  }

  forRequest(): RequestSession {
    const waiting: (() => void)[] = [];
    return {
      notify: (method, params, onSent) => {
        if (this.#isSilenced()) return;
        // No result at the top: clients would take it for an answer.
        this.send(
          JSON.stringify({ jsonrpc: "2.0", id: null, method, params }),
          onSent,
        );
      },
      afterAnswer: (work) => {
        waiting.push(work);
      },
      subscriptions: this.#subscriptions,
      subscriptionsMax: this.#limits.subscriptions,
      answered: () => {
        for (const work of waiting) this.#attempt(work);
        // The socket closed while its request was under way.
        if (this.#isOver) this.end();
      },
    };
  }

  /** Calls back when the text was handed to the network. */
  send(text: string, onSent: () => void = () => undefined): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text, (error) => {
      // A socket that fails is closed, and ends what it had.
      if (!(error instanceof Error)) onSent();
    });
    if (socket.bufferedAmount > this.#limits.bufferedBytes) socket.terminate();
  }

  end(): void {
    this.#isOver = true;
    const subscriptions = [...this.#subscriptions.values()];
    this.#subscriptions.clear();
    for (const { end } of subscriptions) this.#attempt(end);
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#report(error);
    }
  }
}
