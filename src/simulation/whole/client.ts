import type { UserBook } from "../../api/book.ts";
import type { Session, SessionSubscription } from "../../api/rpc/session.ts";
import type { ReceiptView } from "../../api/shapes.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { FaultCounter } from "../faults.ts";
import type { Queue } from "../queue.ts";
import type { Random } from "../random.ts";
import type { SimulatedHost } from "./host.ts";
import { LISTENER, ToldAnswers } from "./told.ts";
import type { Watch } from "./watch/watch.ts";
import type { Wish } from "./wishes.ts";

/** How a client asks a node. */
export interface ClientPorts {
  readonly host: SimulatedHost;
  readonly queue: Queue;
  readonly random: Random;
  readonly faults: FaultCounter;
  /** What it still waits for; undefined if the node must be asked for something else first. */
  readonly requestOf: (wish: Wish) => object | undefined;
  /** Whether answers get lost, and clients are impatient. */
  readonly isDisturbed: () => boolean;
  /** Whether the chain has told every node the truth up to now, and never took a block back. */
  readonly isFinal: () => boolean;
  readonly watch: Watch;
  readonly onAccepted: (wish: Wish, id: string) => void;
  readonly say: (name: NodeName, what: string) => void;
  /** Gets what a check throws. */
  readonly fail: (error: unknown) => void;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Between a user and a node of the same organisation. */
const LATENCY_MS = 2;
/** How long a client waits for an answer before it asks again. */
const PATIENCE_MS = 3_000;
/** Errors that pass: the node stops, is busy, or does not know the group yet. */
const PASSING =
  /^PD(09900[045]|011609|099002: (The node stopped|\S+ takes part in no))/;

/**
 * The users of one node. They speak JSON-RPC, repeat what they get no answer to with the same idempotency key, look for receipts,
 * and follow a receipt listener for as long as the run lasts.
 */
export class UserClient {
  readonly told: ToldAnswers;
  readonly #ports: ClientPorts;
  #socket: Socket | undefined;

  constructor(ports: ClientPorts) {
    this.#ports = ports;
    this.told = new ToldAnswers(ports);
  }

  /** Asks for something until the node has it. */
  ask(wish: Wish): void {
    const { random, host, isDisturbed, faults } = this.#ports;
    if (wish.isOver || wish.id !== undefined) return;
    const request = this.#ports.requestOf(wish);
    if (request === undefined || !host.isUp) {
      this.#askLater(wish, random.between(100, 2_000));
      return;
    }
    if (wish.attempts++ > 0) faults.count("request-repeated");
    const patienceMs =
      isDisturbed() && random.chance(0.2)
        ? random.below(20)
        : PATIENCE_MS + random.below(PATIENCE_MS);
    this.#askLater(wish, patienceMs);
    this.#request("ptx_sendTransaction", [request], (answer) => {
      if (isDisturbed() && random.chance(0.1)) faults.count("answer-lost");
      else this.#hear(wish, answer);
    });
  }

  /** The node has started again. */
  started(book: UserBook): void {
    this.#socket?.break();
    this.told.restarted(book);
    this.#listen();
  }

  /** Its database is gone, and with it all promises. */
  forget(): void {
    this.told.forget();
  }

  #askLater(wish: Wish, ms: number): void {
    this.#ports.queue.after(ms, () => {
      this.#guarded(() => {
        this.ask(wish);
      });
    });
  }

  #hear(wish: Wish, { result, error }: Answer): void {
    if (wish.isOver) return;
    const taken = /already used by submitted transaction (\S+)$/.exec(
      error?.message ?? "",
    )?.[1];
    const id = typeof result === "string" ? result : taken;
    if (id !== undefined) {
      this.told.id(wish.key, id);
      if (wish.id !== undefined) return;
      this.#ports.onAccepted(wish, id);
      this.#lookLater(wish);
      return;
    }
    const message = error?.message ?? "";
    wish.problem = message;
    if (PASSING.test(message)) return;
    wish.isOver = true;
    // Users ask for nothing that the domain does not take.
    if (!message.startsWith("PD099002")) throw new Error(message);
    this.#ports.say(wish.node, `refuses ${wish.key}: ${message}`);
  }

  /** Looks for the receipt now and then, without waiting for the listener. */
  #lookLater(wish: Wish): void {
    const { queue, random, host } = this.#ports;
    queue.after(random.tail(500), () => {
      const { id, isOver } = wish;
      if (id === undefined || isOver || this.told.has(id)) return;
      this.#lookLater(wish);
      if (!host.isUp) return;
      this.#request("ptx_getTransactionReceipt", [id], ({ result }) => {
        const receipt = result as ReceiptView | null | undefined;
        if (receipt && !wish.isOver) this.told.receipt(receipt);
      });
    });
  }

  #listen(): void {
    const socket = new Socket(this.#ports, this.told);
    this.#socket = socket;
    const listener = { name: LISTENER };
    this.#request("ptx_createReceiptListener", [listener], () => {
      this.#subscribe(socket);
    });
  }

  #subscribe(socket: Socket): void {
    const { queue, random, faults, isDisturbed, host } = this.#ports;
    if (this.#socket !== socket || !host.isUp) return;
    const listen = (): void => {
      if (this.#socket === socket && host.isUp) this.#listen();
    };
    const params = ["receipts", LISTENER];
    const onAnswer = ({ error }: Answer): void => {
      if (error !== undefined) queue.after(500, listen);
    };
    this.#request("ptx_subscribe", params, onAnswer, socket.session);
    queue.after(random.between(2_000, 20_000), () => {
      if (!isDisturbed() || this.#socket !== socket || !host.isUp) return;
      faults.count("socket-lost");
      host.act(() => {
        socket.close();
      });
      listen();
    });
  }

  #request(
    method: string,
    params: readonly unknown[],
    onAnswer: (answer: Answer) => void,
    session?: Session,
  ): void {
    const { host, queue, watch } = this.#ports;
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    host.ask(text, session, (answer) => {
      if (method === "ptx_sendTransaction") watch.answers(host, answer);
      queue.after(LATENCY_MS, () => {
        this.#guarded(() => {
          onAnswer(JSON.parse(answer) as Answer);
        });
      });
    });
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#ports.fail(error);
    }
  }
}

/** One connection that gets receipts. */
class Socket {
  readonly #ports: ClientPorts;
  readonly #told: ToldAnswers;
  readonly #subscriptions = new Map<string, SessionSubscription>();
  readonly session: Session = {
    notify: (_, params, onSent) => {
      onSent();
      this.#receive(params);
    },
    afterAnswer: (work) => {
      work();
    },
    subscriptions: this.#subscriptions,
    subscriptionsMax: 1,
  };

  constructor(ports: ClientPorts, told: ToldAnswers) {
    this.#ports = ports;
    this.#told = told;
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
  }

  /** The process at its other end is gone: what was to be acknowledged is not. */
  break(): void {
    this.#subscriptions.clear();
  }

  #receive({ result }: Readonly<Record<string, unknown>>): void {
    const { host, queue, random, faults, isDisturbed, fail } = this.#ports;
    const { receipts } = result as { readonly receipts: ReceiptView[] };
    const { book } = host;
    try {
      if (book !== undefined) this.#told.batch(receipts, book);
    } catch (error) {
      fail(error);
    }
    const last = receipts.at(-1)?.sequence ?? 0;
    const isRefused = isDisturbed() && random.chance(0.1);
    queue.after(random.tail(isDisturbed() ? 300 : 5) + LATENCY_MS, () => {
      host.act(() => {
        // An old instance of the node has this connection: what it is told counts no more.
        if (host.book !== book) return;
        for (const subscription of this.#subscriptions.values())
          if (isRefused) subscription.nack();
          else {
            this.#told.acknowledge(last);
            subscription.ack();
          }
      });
    });
    if (isRefused) faults.count("batch-refused");
  }
}
