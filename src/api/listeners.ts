import type { Timers } from "../async/timers.ts";
import { isName } from "../keys/user-names.ts";
import type { Query } from "../store/query.ts";
import type { ListenerSpec } from "../store/receipt-listeners.ts";
import type { UserBook } from "./book.ts";
import { Delivery, type Receiver } from "./delivery.ts";
import { UserError } from "./errors.ts";
import { pace } from "./pace.ts";
import type { Records } from "./records.ts";

/** Users' standing orders for receipts: they outlive sockets and restarts. */
export class Listeners {
  readonly #book: UserBook;
  readonly #records: Records;
  readonly #timers: Timers;
  readonly #onSettled: (listener: () => void) => () => void;
  readonly #report: (error: unknown) => void;
  readonly #deliveries = new Map<string, Delivery>();
  /** Those that have not looked for new receipts yet. */
  readonly #waiting = new Set<Delivery>();
  #isPumping = false;
  #stopListening: () => void = () => undefined;

  constructor(ports: {
    readonly book: UserBook;
    readonly records: Records;
    readonly timers: Timers;
    /** As of the node. */
    readonly onSettled: (listener: () => void) => () => void;
    readonly report: (error: unknown) => void;
  }) {
    this.#report = ports.report;
    this.#book = ports.book;
    this.#records = ports.records;
    this.#timers = ports.timers;
    this.#onSettled = ports.onSettled;
  }

  start(): void {
    this.#stopListening = this.#onSettled(() => {
      this.pump();
    });
  }

  stop(): void {
    this.#stopListening();
    for (const delivery of this.#deliveries.values()) delivery.stop();
    this.#deliveries.clear();
    this.#waiting.clear();
  }

  /** There may be new receipts. There may be many listeners, too: they look one after the other, with time for others. */
  pump(): void {
    for (const delivery of this.#deliveries.values())
      this.#waiting.add(delivery);
    if (!this.#isPumping) this.#pumpAll().catch(this.#report);
  }

  async #pumpAll(): Promise<void> {
    this.#isPumping = true;
    // One that is added again meanwhile comes again.
    for (const delivery of this.#waiting) {
      await pace.turn();
      this.#waiting.delete(delivery);
      delivery.pump();
    }
    this.#isPumping = false;
  }

  create(spec: Omit<ListenerSpec, "created">): void {
    const { name, filters } = spec;
    if (!isName(name))
      throw new UserError("PD020005", `'${name}' is no name for a listener`);
    if (filters.domain !== undefined && filters.type !== "private")
      throw new UserError(
        "PD012236",
        `A listener for a domain is for type private, not ${filters.type ?? "all"}`,
      );
    if (this.#book.listeners.byName(name) !== undefined)
      throw new UserError(
        "PD012237",
        `A receipt listener named '${name}' already exists`,
      );
    this.#book.database.write(() => {
      this.#book.listeners.insert({ ...spec, created: this.#book.now() });
    });
  }

  get(name: string): ListenerSpec | undefined {
    return this.#book.listeners.byName(name);
  }

  async find(query: Query): Promise<readonly ListenerSpec[]> {
    return await this.#book.queries.run(
      async (turn) => await this.#book.listeners.find(query, turn),
    );
  }

  setStarted(name: string, isStarted: boolean): void {
    this.#require(name);
    this.#book.database.write(() =>
      this.#book.listeners.setStarted(name, isStarted),
    );
    this.#deliveries.get(name)?.pump();
  }

  /** Its checkpoint goes with it. */
  remove(name: string): void {
    this.#require(name);
    this.#book.database.write(() => this.#book.listeners.remove(name));
    this.#deliveries.get(name)?.stop();
    this.#deliveries.delete(name);
  }

  /** From now on the receiver gets receipts, one batch at a time; none from a listener that was deleted meanwhile. */
  attach(name: string, receiver: Receiver): void {
    if (this.#book.listeners.byName(name) === undefined) return;
    const delivery =
      this.#deliveries.get(name) ??
      new Delivery(
        { name },
        {
          book: this.#book,
          records: this.#records,
          timers: this.#timers,
          report: this.#report,
        },
      );
    this.#deliveries.set(name, delivery);
    delivery.attach(receiver);
  }

  /** What the receiver had not acknowledged goes to the next one. */
  detach(name: string, receiver: Receiver): void {
    this.#deliveries.get(name)?.detach(receiver);
  }

  ack(name: string, receiver: Receiver): void {
    this.#deliveries.get(name)?.ack(receiver);
  }

  nack(name: string, receiver: Receiver): void {
    this.#deliveries.get(name)?.nack(receiver);
  }

  #require(name: string): void {
    if (this.#book.listeners.byName(name) === undefined)
      throw new UserError(
        "PD012238",
        `Receipt listener '${name}' does not exist`,
      );
  }
}
