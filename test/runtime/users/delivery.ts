import { expect } from "chai";
import fc from "fast-check";

import { Database } from "../../../src/runtime/store/database.ts";
import { userTables } from "../../../src/runtime/store/user-tables.ts";
import { UserBook } from "../../../src/runtime/users/book.ts";
import {
  Delivery,
  type Receiver,
} from "../../../src/runtime/users/delivery.ts";
import { Records } from "../../../src/runtime/users/records.ts";
import { FakeNode } from "../../helpers/rpc/fake-node.ts";
import { toyDomain } from "../../helpers/rpc/toy-domain.ts";

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
  readonly #sent: (() => void)[] = [];

  readonly receiver: Receiver = ({ receipts }, onSent) => {
    const sequences = receipts.map(({ sequence }) => sequence);
    const batch = { sequences, isSent: false };
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
class Rig {
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
  #delivery = this.#create();
  #count = 0;

  constructor() {
    this.database.write(() => {
      this.book.listeners.insert({
        name: "all",
        created: this.book.now(),
        isStarted: true,
        filters: {},
        options: {},
      });
    });
  }

  settle(count: number): void {
    this.database.write(() => {
      for (let added = 0; added < count; added++) this.#receipt();
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
    const socket = new Socket();
    this.sockets.push(socket);
    this.#delivery.attach(socket.receiver);
  }

  detach(place: number): void {
    const [socket] = this.sockets.splice(place, 1);
    if (socket !== undefined) this.#delivery.detach(socket.receiver);
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
    expect(seen?.sequences.at(-1)).to.equal(checkpoint);
    this.acknowledged.push(...(seen?.sequences ?? []));
  }

  nack(place: number): void {
    const socket = this.sockets[place];
    if (socket !== undefined) this.#delivery.nack(socket.receiver);
  }

  restart(): void {
    this.#delivery.stop();
    this.database.waiting.length = 0;
    this.sockets = [];
    this.#delivery = this.#create();
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

  async finish(): Promise<void> {
    this.restart();
    this.attach();
    const last = (): number =>
      this.book.receipts.after(0, {}, 100_000).at(-1)?.sequence ?? 0;
    while (this.book.listeners.checkpointOf("all") < last()) {
      await this.goOn();
      this.ack(0);
    }
  }

  #create(): Delivery {
    return new Delivery(
      { name: "all" },
      {
        book: this.book,
        records: new Records({ book: this.book, service: this.node }),
        report: (error) => this.errors.push(error),
      },
    );
  }

  #receipt(): void {
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
      type: "public",
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

const place = fc.nat({ max: 2 });
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("settle"), count: fc.nat({ max: 150 }) }),
    fc.record({ type: fc.constant("reorganise"), count: fc.nat({ max: 20 }) }),
    fc.record({ type: fc.constant("attach"), count: fc.constant(0) }),
    fc.record({ type: fc.constant("detach"), count: place }),
    fc.record({ type: fc.constant("ack"), count: place }),
    fc.record({ type: fc.constant("twice"), count: place }),
    fc.record({ type: fc.constant("nack"), count: place }),
    fc.record({ type: fc.constant("restart"), count: fc.constant(0) }),
    fc.record({ type: fc.constant("go on"), count: fc.constant(0) }),
  ),
  { maxLength: 40 },
);

async function play(
  rig: Rig,
  { type, count }: { readonly type: string; readonly count: number },
): Promise<void> {
  if (type === "settle") rig.settle(count);
  else if (type === "reorganise") rig.reorganise(count);
  else if (type === "attach") rig.attach();
  else if (type === "detach") rig.detach(count);
  else if (type === "nack") rig.nack(count);
  else if (type === "restart") rig.restart();
  else if (type === "go on") await rig.goOn();
  else {
    rig.ack(count);
    if (type === "twice") rig.ack(count);
  }
}

describe("the delivery of receipts", function () {
  this.timeout(60_000);

  it("acknowledges no batch that was not sent", async () => {
    const rig = new Rig();
    rig.settle(250);
    rig.attach();
    await rig.goOn();
    rig.ack(0);
    rig.ack(0);
    expect(rig.book.listeners.checkpointOf("all")).to.equal(100);
    await rig.finish();
    expect(rig.acknowledged).to.deep.equal(
      Array.from({ length: 250 }, (_, index) => index + 1),
    );
    rig.database.close();
  });

  it("leaves no gap and repeats nothing that was acknowledged, whatever happens", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const rig = new Rig();
        try {
          for (const step of list) await play(rig, step);
          await rig.finish();
          const got = rig.acknowledged;
          expect(got).to.deep.equal([...new Set(got)].sort((a, b) => a - b));
          const all = rig.book.receipts
            .after(0, {}, 100_000)
            .map(({ sequence }) => sequence);
          const seen = new Set(got);
          expect(all.filter((one) => !seen.has(one))).to.deep.equal([]);
          expect(rig.errors).to.deep.equal([]);
        } finally {
          rig.restart();
          rig.database.close();
        }
      }),
      { numRuns: 100 },
    );
  });
});
