import { expect } from "chai";

import { machineTimers } from "../../../src/async/timers.ts";
import { Database } from "../../../src/store/database.ts";
import type { ReceiptFilter } from "../../../src/store/user-receipts.ts";
import { userTables } from "../../../src/store/user-tables.ts";
import { UserBook } from "../../../src/api/book.ts";
import { Delivery, type Receiver } from "../../../src/api/delivery.ts";
import { Records } from "../../../src/api/records.ts";
import { FakeNode } from "./fake-node.ts";
import { toyDomain } from "./toy-domain.ts";

/** A database whose disk is as slow as the test wants. */
class SlowDisk extends Database {
  readonly waiting: (() => void)[] = [];

  override flush(done: (error: Error | undefined) => void): void {
    this.waiting.push(() => {
      done(undefined);
    });
  }
}

interface Batch {
  readonly sequences: readonly number[];
  isSent: boolean;
}

/** A user's socket: it acknowledges when it wants, and remembers all that it got. */
class Socket {
  readonly batches: Batch[] = [];
  readonly #onBatch: (socket: Socket) => void;
  readonly #sent: (() => void)[] = [];

  constructor(onBatch: (socket: Socket) => void) {
    this.#onBatch = onBatch;
  }

  readonly receiver: Receiver = ({ receipts }, onSent) => {
    const sequences = receipts.map(({ sequence }) => sequence);
    const batch = { sequences, isSent: false };
    this.#onBatch(this);
    this.batches.push(batch);
    this.#sent.push(() => {
      batch.isSent = true;
      onSent();
    });
  };

  /** The network takes what waits. */
  drain(): void {
    for (const send of this.#sent.splice(0)) send();
  }
}

/** One listener, its sockets and its receipts. */
export class DeliveryRig {
  readonly database = new SlowDisk(
    { file: ":memory:" },
    { migrations: userTables },
  );
  readonly book = new UserBook({ database: this.database, now: () => 0 });
  readonly node = new FakeNode(
    { domains: [toyDomain] },
    { database: this.database, book: this.book },
  );
  readonly errors: unknown[] = [];
  /** In the order in which users acknowledged them, having seen them. */
  readonly acknowledged: number[] = [];
  sockets: Socket[] = [];
  /** The one that has a batch which is not acknowledged. */
  #holder: Socket | undefined;
  #refusals = 0;
  #delivery = this.#create();
  #count = 0;

  constructor(filters: ReceiptFilter = {}) {
    this.database.write(() => {
      this.book.listeners.insert({
        name: "all",
        created: this.book.now(),
        isStarted: true,
        filters,
        options: { incompleteStateReceiptBehavior: "process" },
      });
    });
  }

  settle(count: number, type: "public" | "private" = "public"): void {
    this.database.write(() => {
      for (let added = 0; added < count; added++) this.#receipt(type);
    });
    this.#delivery.pump();
  }

  /** The latest receipts are taken back, and come again with other numbers. */
  reorganise(count: number): void {
    const rows = this.database.all(
      "SELECT transaction_id AS id FROM user_receipts ORDER BY sequence DESC LIMIT ?",
      count,
    );
    this.database.write(() => {
      for (const { id } of rows) this.book.receipts.remove(String(id));
    });
    this.settle(rows.length);
  }

  attach(): void {
    const socket = new Socket((receiver) => {
      if (!this.sockets.includes(receiver))
        throw new Error("A socket that is gone gets a batch.");
      if (this.#holder !== undefined)
        throw new Error("Two sockets have a batch at the same time.");
      this.#holder = receiver;
    });
    this.sockets.push(socket);
    this.#delivery.attach(socket.receiver);
  }

  detach(place: number): void {
    const [socket] = this.sockets.splice(place, 1);
    if (socket === undefined) return;
    if (this.#holder === socket) this.#holder = undefined;
    this.#delivery.detach(socket.receiver);
  }

  /** As clients do that lose count: also without a batch, and twice for one. */
  ack(place: number): void {
    const socket = this.sockets[place];
    if (socket === undefined) return;
    const before = this.book.listeners.checkpointOf("all");
    const seen = socket.batches.at(-1);
    this.#delivery.ack(socket.receiver);
    const checkpoint = this.book.listeners.checkpointOf("all");
    if (checkpoint === before) return;
    expect(seen?.isSent).to.equal(true);
    expect(this.#holder).to.equal(socket);
    this.#holder = undefined;
    expect(seen?.sequences.at(-1)).to.equal(checkpoint);
    this.acknowledged.push(...(seen?.sequences ?? []));
  }

  nack(place: number): void {
    const socket = this.sockets[place];
    if (socket === undefined) return;
    if (this.#holder === socket && socket.batches.at(-1)?.isSent === true) {
      this.#holder = undefined;
      this.#refusals++;
    }
    this.#delivery.nack(socket.receiver);
  }

  restart(): void {
    this.#delivery.stop();
    this.database.waiting.length = 0;
    this.sockets = [];
    this.#holder = undefined;
    this.#refusals = 0;
    this.#delivery = this.#create();
  }

  /** Batches are made, and wait for the disk. */
  async make(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** What is under way goes on: batches are made, the disk answers, the network takes them. */
  async goOn(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const done of this.database.waiting.splice(0)) done();
    }
    await new Promise((resolve) => setImmediate(resolve));
    for (const socket of this.sockets) socket.drain();
  }

  /** All that waits is received, by the sockets that are there, or by another one. */
  async finish(): Promise<void> {
    // A batch that was refused twice comes again only after a while.
    if (this.#refusals > 1) this.restart();
    if (this.sockets.length === 0) this.attach();
    for (let round = 0; round < 1_000; round++) {
      const last = this.sequences().at(-1) ?? 0;
      if (this.book.listeners.checkpointOf("all") >= last) return;
      await this.goOn();
      for (const place of this.sockets.keys()) this.ack(place);
    }
    throw new Error("The receipts never end.");
  }

  /** Of all receipts. */
  sequences(): readonly number[] {
    return this.database
      .all("SELECT sequence FROM user_receipts ORDER BY sequence")
      .map(({ sequence }) => Number(sequence));
  }

  #create(): Delivery {
    return new Delivery(
      { name: "all" },
      {
        book: this.book,
        records: new Records({ book: this.book, service: this.node }),
        timers: machineTimers,
        report: (error) => this.errors.push(error),
      },
    );
  }

  #receipt(type: "public" | "private"): void {
    const number = String(this.#count++).padStart(12, "0");
    const id = `00000000-0000-4000-8000-${number}`;
    this.book.transactions.insert({
      id,
      idempotencyKey: undefined,
      group: undefined,
      intentId: undefined,
      created: this.book.now(),
      submitMode: "auto",
      type: "public",
      domain: undefined,
      from: "alice",
      to: undefined,
      function: "",
      abiReference: "",
      data: {},
      dependsOn: [],
    });
    const nothing = undefined;
    this.book.receipts.insert({
      transactionId: id,
      indexed: this.book.now(),
      isSuccess: true,
      type,
      domain: nothing,
      contractAddress: nothing,
      source: nothing,
      transactionHash: nothing,
      blockNumber: nothing,
      transactionIndex: nothing,
      logIndex: nothing,
      failureMessage: nothing,
      revertData: nothing,
    });
  }
}
